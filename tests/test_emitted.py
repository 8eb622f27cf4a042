"""What `tacit compile --emit` writes: circuits with a map of their wires, and netlists."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from conftest import Tacit

SOURCE = """
#include <stdint.h>

struct point { int16_t x; uint8_t weight[2]; };

void f(int INPUT_B_factor, _Bool INPUT_B_negate) {
    struct point INPUT_A_points[3], OUTPUT_scaled[3];
    int64_t OUTPUT_A_total = 0;
    for (int i = 0; i < 3; i++) {
        OUTPUT_scaled[i] = INPUT_A_points[i];
        OUTPUT_scaled[i].x = INPUT_A_points[i].x * (INPUT_B_negate ? -INPUT_B_factor : INPUT_B_factor);
        OUTPUT_A_total += OUTPUT_scaled[i].x * OUTPUT_scaled[i].weight[i % 2];
    }
}
"""
POINTS = [{"x": -5, "weight": [1, 2]}, {"x": 700, "weight": [3, 4]}, {"x": 9, "weight": [255, 0]}]
INPUTS: dict[str, dict[str, Any]] = {"A": {"points": POINTS}, "B": {"factor": 3, "negate": 1}}
GIVEN = [part for role, values in INPUTS.items() for part in ("--input", f"{role}={json.dumps(values)}")]


def evaluate(text: str, inputs: dict[int, int]) -> list[int]:
    """Runs a circuit in Bristol Fashion on the bits of its input wires."""
    lines = [line.split() for line in text.splitlines() if line]
    wires = dict(inputs)
    for *fields, gate in lines[3:]:
        numbers = [int(field) for field in fields[2:]]
        if gate == "EQ":
            wires[numbers[-1]] = numbers[0]
            continue
        first, second = wires[numbers[0]], wires[numbers[len(numbers) - 2]]
        values = {"AND": first & second, "XOR": first ^ second, "INV": 1 - first, "EQW": first}
        wires[numbers[-1]] = values[gate]
    return [wires[wire] for wire in range(int(lines[0][1]))]


def at(value: Any, path: str) -> Any:
    """The part of a value at a path like `[1].weight[0]`."""
    for index, name in re.findall(r"\[(\d+)\]|\.(\w+)", path):
        value = value[int(index)] if index else value[name]
    return value


def test_a_wire_map_places_inputs_and_outputs(tacit: Tacit) -> None:
    tacit.write("f.c", SOURCE)
    assert tacit("compile", "f.c", "--emit", "bristol", "-o", "f.txt").code == 0
    wire_map = json.loads((tacit.folder / "f.map.json").read_text())
    assert (wire_map["version"], wire_map["program"]) == (1, "f")
    bits = {}
    for one in wire_map["inputs"]:
        (role,) = one["roles"]
        value = at(INPUTS[role][one["variable"]], one["path"])
        bits.update({one["first_wire"] + bit: value >> bit & 1 for bit in range(one["width"])})
    wires = evaluate((tacit.folder / "f.txt").read_text(), bits)
    expected = tacit("run", "f.c", "--clear", *GIVEN).outputs
    for one in wire_map["outputs"]:
        number = sum(wires[one["first_wire"] + bit] << bit for bit in range(one["width"]))
        if one["type"].startswith("i"):
            number -= (number >> (one["width"] - 1)) << one["width"]
        assert number == at(expected[one["variable"]], one["path"]), one
    found = {(*one["roles"], one["variable"] + one["path"], one["type"]) for one in wire_map["outputs"]}
    assert ("A", "total", "i64") in found
    assert ("A", "B", "scaled[2].weight[1]", "u8") in found
    assert len(found) == 10


@pytest.mark.parametrize("how", ["--clear", "--local"])
def test_a_netlist_runs_in_place_of_its_source(tacit: Tacit, how: str) -> None:
    tacit.write("f.c", SOURCE)
    result = tacit("compile", "f.c", "--emit", "netlist", "-o", "f.netlist")
    assert (result.code, result.stdout) == (0, "")
    expected = tacit("run", "f.c", "--clear", *GIVEN).outputs
    assert tacit("run", "f.netlist", how, *GIVEN).outputs == expected
    assert tacit("compile", "f.netlist", "--stats").outputs["and_count"] > 0


def test_a_netlist_is_small(tacit: Tacit) -> None:
    tacit.write("f.c", SOURCE)
    for form in ("bristol", "netlist"):
        assert tacit("compile", "f.c", "--emit", form, "-o", form).code == 0
    sizes = [(tacit.folder / form).stat().st_size for form in ("netlist", "bristol")]
    assert 4 * sizes[0] < sizes[1]


def test_damaged_netlists(tacit: Tacit) -> None:
    tacit.write("f.c", SOURCE)
    assert tacit("compile", "f.c", "--emit", "netlist", "-o", "f.netlist").code == 0
    good = (tacit.folder / "f.netlist").read_bytes()
    for bad in (good[:-1], good + b"\0", good[:9], good[:8] + b"\xff" * 40, b"TACITN\x09\x00" + good[8:]):
        (tacit.folder / "bad.netlist").write_bytes(bad)
        tacit("run", "bad.netlist", "--clear").failed(3, "bad.netlist", "netlist")


def test_a_target_of_depth_makes_circuits_shallow(tacit: Tacit) -> None:
    tacit.write(
        "f.c",
        "void f(unsigned long INPUT_A_x, unsigned long INPUT_B_y) {"
        " _Bool OUTPUT_z = INPUT_A_x * INPUT_B_y < 77; }",
    )
    size, depth = (
        tacit("compile", "f.c", "--stats", "--target", target).outputs for target in ("size", "depth")
    )
    assert depth["and_depth"] * 3 < size["and_depth"]
    assert size["and_count"] < depth["and_count"]
    given = ("--input", 'A={"x": 4294967297}', "--input", 'B={"y": 4294967295}')
    for form in ("bristol", "netlist"):
        assert tacit("compile", "f.c", "--emit", form, "-o", form, "--target", "depth").code == 0
    expected = tacit("run", "f.c", "--clear", *given).outputs
    assert tacit("run", "netlist", "--clear", *given).outputs == expected
    assert tacit("compile", "netlist", "--stats", "--effort", "0").outputs["and_depth"] <= depth["and_depth"]


def test_effort_is_part_of_a_run(tacit: Tacit) -> None:
    tacit.write("f.c", SOURCE)
    expected = tacit("run", "f.c", "--clear", *GIVEN).outputs
    assert tacit("run", "f.c", "--local", "--effort", "0", *GIVEN).outputs == expected
    tacit("run", "f.c", "--clear", "--effort", "0", *GIVEN).failed(2, "--effort", "--clear")
