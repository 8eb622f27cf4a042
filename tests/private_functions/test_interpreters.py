"""Interpreters of private programs in C, against the programs in the clear, ill-formed ones included."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from conftest import EXAMPLES, Tacit
from tacit import InputError, Program
from tacit.sources import load_program

PRIVATE = EXAMPLES / "private"
AND, OR, XOR, NOT = range(4)
INPUTS, GATES, SCRATCH = 32, 50, 3
WIRES, MEMORY = 2 * INPUTS + GATES, INPUTS + SCRATCH
LAST = WIRES - 1

Gate = dict[str, int]


def gate(operation: int, left: int, right: int = 0) -> Gate:
    return {"operation": operation, "left": left, "right": right}


def step(operation: int, left: int, right: int, target: int) -> Gate:
    return gate(operation, left, right) | {"target": target}


def applied(operation: int, left: int, right: int) -> int:
    results = {AND: left & right, OR: left | right, XOR: left ^ right, NOT: 1 - left}
    return results.get(operation, 0)


def circuit_in_clear(gates: list[Gate], author: list[int], owner: list[int]) -> int:
    wires = author + owner + [0] * GATES
    for wire, each in enumerate(gates, 2 * INPUTS):
        left, right = (wires[each[side]] if each[side] < WIRES else 0 for side in ("left", "right"))
        wires[wire] = applied(each["operation"], left, right)
    return wires[LAST]


def program_in_clear(steps: list[Gate], data: list[int]) -> list[int]:
    memory = data + [0] * SCRATCH
    for each in steps:
        left, right = (memory[each[side]] if each[side] < MEMORY else 0 for side in ("left", "right"))
        if each["target"] < MEMORY:
            memory[each["target"]] = applied(each["operation"], left, right)
    return memory[INPUTS:]


def more_than(bits: int) -> list[Gate]:
    """Whether OWNER's number is greater than AUTHOR's, lowest bits first; the last gate has the result."""
    gates = [gate(AND, 2 * INPUTS + 1, 2 * INPUTS + 2)] * (GATES - 5 * bits)
    greater = LAST  # No gate has set it yet, so that it is 0.
    for bit in range(bits):
        first = 2 * INPUTS + len(gates)
        gates += [gate(XOR, bit, INPUTS + bit), gate(NOT, first), gate(AND, first, INPUTS + bit)]
        gates += [gate(AND, first + 1, greater), gate(OR, first + 2, first + 3)]
        greater = first + 4
    return gates


def parities() -> list[Gate]:
    """The parity of all data, whether the first eight bits are all 1, and the first bit's complement."""
    parity, all_set, complement = range(INPUTS, MEMORY)
    steps = [step(XOR, parity, bit, parity) for bit in range(INPUTS)]
    steps += [step(OR, 0, 0, all_set)] + [step(AND, all_set, bit, all_set) for bit in range(1, 8)]
    steps += [step(NOT, 0, 0, complement)]
    return steps + [step(AND, 0, 0, 0)] * (GATES - len(steps))


def bits(value: int) -> list[int]:
    return [value >> bit & 1 for bit in range(INPUTS)]


def drawn(draw: random.Random, *, well_formed: bool) -> Gate:
    """A gate or step; half of the ill-formed ones name operations and places that do not exist."""
    if well_formed or draw.random() < 0.5:
        operation, places = draw.randrange(4), [draw.randrange(MEMORY) for _ in range(3)]
    else:
        operation = draw.choice([4, 7, 128, 255])
        places = [draw.choice([MEMORY - 1, MEMORY, LAST, WIRES, 255, 256, 65535]) for _ in range(3)]
    return step(operation, *places)


def of_circuit(gates: list[Gate], author: int, owner: int) -> dict[str, dict[str, Any]]:
    return {"AUTHOR": {"gates": gates, "bits": bits(author)}, "OWNER": {"bits": bits(owner)}}


def of_program(steps: list[Gate], data: int) -> dict[str, dict[str, Any]]:
    return {"AUTHOR": {"program": steps}, "OWNER": {"data": bits(data)}}


@pytest.fixture(scope="module")
def circuits() -> Program:
    return load_program(PRIVATE / "interpreter_circuit.c")


@pytest.fixture(scope="module")
def programs() -> Program:
    return load_program(PRIVATE / "interpreter_memory.c")


def found(program: Program, inputs: dict[str, dict[str, Any]]) -> Any:
    return json.loads(program.clear({role: json.dumps(values) for role, values in inputs.items()}))


@pytest.mark.parametrize(("limit", "value"), [(99, 100), (100, 100), (255, 0), (0, 255), (128, 127)])
def test_a_circuit_compares_two_numbers(circuits: Program, limit: int, value: int) -> None:
    gates = more_than(8)
    assert circuit_in_clear(gates, bits(limit), bits(value)) == (value > limit)
    assert found(circuits, of_circuit(gates, limit, value)) == {"result": value > limit}


@pytest.mark.parametrize("data", [0, 1, 255, 2**32 - 1, 0x8000_0001, 0xDEAD_BEEF])
def test_a_program_computes_parities(programs: Program, data: int) -> None:
    expected = [data.bit_count() % 2, int(data & 255 == 255), 1 - data % 2]
    assert program_in_clear(parities(), bits(data)) == expected
    assert found(programs, of_program(parities(), data)) == {"scratch": expected}


@pytest.mark.parametrize("well_formed", [True, False])
def test_any_circuit_has_the_result_of_the_reference(circuits: Program, well_formed: bool) -> None:
    for seed in range(60):
        draw = random.Random(seed)
        # Most gates read others.
        gates = [drawn(draw, well_formed=well_formed) for _ in range(GATES)]
        gates = [gate(g["operation"], g["left"] + draw.choice([0, 79]), g["right"]) for g in gates]
        gates = [g | {"left": min(g["left"], 65535)} for g in gates]
        author, owner = draw.getrandbits(INPUTS), draw.getrandbits(INPUTS)
        expected = circuit_in_clear(gates, bits(author), bits(owner))
        assert found(circuits, of_circuit(gates, author, owner)) == {"result": expected}, seed


@pytest.mark.parametrize("well_formed", [True, False])
def test_any_program_has_the_result_of_the_reference(programs: Program, well_formed: bool) -> None:
    for seed in range(60):
        draw = random.Random(seed)
        steps = [drawn(draw, well_formed=well_formed) for _ in range(GATES)]
        # Some results stand where they are seen.
        steps = [s | {"target": draw.choice([s["target"], INPUTS + seed % SCRATCH])} for s in steps]
        data = draw.getrandbits(INPUTS)
        expected = {"scratch": program_in_clear(steps, bits(data))}
        assert found(programs, of_program(steps, data)) == expected, seed


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        (gate(AND, 0, 0), 1),
        (gate(4, 0, 0), 0),  # no such operation
        (gate(255, 0, 0), 0),
        (gate(OR, LAST, LAST), 0),  # a gate that reads itself
        (gate(NOT, LAST), 1),
        (gate(OR, WIRES, 65535), 0),  # no such wires
        (gate(NOT, WIRES), 1),
        (gate(XOR, 0, 65535), 1),
    ],
)
def test_what_is_ill_formed_in_a_circuit_counts_as_zero(
    circuits: Program, changed: Gate, result: int
) -> None:
    gates = [gate(AND, 0, 0)] * (GATES - 1) + [changed]
    assert found(circuits, of_circuit(gates, 1, 0)) == {"result": result}


@pytest.mark.parametrize(
    ("changed", "scratch"),
    [
        (step(OR, 0, 0, INPUTS), [1, 0, 0]),
        (step(4, 0, 0, INPUTS), [0, 0, 0]),
        (step(255, 0, 0, INPUTS + 2), [0, 0, 0]),
        (step(OR, 0, 0, MEMORY), [0, 0, 0]),  # stored nowhere
        (step(OR, 0, 0, 65535), [0, 0, 0]),
        (step(NOT, MEMORY, 0, INPUTS + 1), [0, 1, 0]),
        (step(XOR, 65535, 0, INPUTS + 2), [0, 0, 1]),
    ],
)
def test_what_is_ill_formed_in_a_program_is_zero_or_lost(
    programs: Program, changed: Gate, scratch: list[int]
) -> None:
    steps = [step(AND, 0, 0, 0)] * (GATES - 1) + [changed]
    assert found(programs, of_program(steps, 1)) == {"scratch": scratch}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("interpreter_circuit", {"result": 1}), ("interpreter_memory", {"scratch": [1, 1, 0]})],
)
def test_the_examples_run_between_two_processes(tacit: Tacit, name: str, expected: dict[str, Any]) -> None:
    files = {role: PRIVATE / f"{name}_{role.lower()}.json" for role in ("AUTHOR", "OWNER")}
    given = [f"--input={role}={path}" for role, path in files.items()]
    run = tacit("run", PRIVATE / f"{name}.c", "--local", *given)
    assert run.outputs == expected
    assert run.outputs == tacit("run", PRIVATE / f"{name}.c", "--clear", *given).outputs


def test_an_ill_formed_program_runs_between_two_processes(tacit: Tacit) -> None:
    draw = random.Random(7)
    steps = [drawn(draw, well_formed=False) for _ in range(GATES)]
    steps = [s | {"target": draw.choice([s["target"], INPUTS + 1])} for s in steps]
    data = draw.getrandbits(INPUTS)
    given = [f"--input={role}={json.dumps(values)}" for role, values in of_program(steps, data).items()]
    run = tacit("run", PRIVATE / "interpreter_memory.c", "--local", *given)
    assert run.outputs == {"scratch": program_in_clear(steps, bits(data))}


def test_the_examples_are_the_programs_above() -> None:
    def read(name: str) -> Any:
        return json.loads((PRIVATE / name).read_text())

    assert read("interpreter_circuit_author.json") == {"bits": bits(99), "gates": more_than(8)}
    assert read("interpreter_circuit_owner.json") == {"bits": bits(100)}
    assert read("interpreter_memory_author.json") == {"program": parities()}
    assert read("interpreter_memory_owner.json") == {"data": bits(0x1FF)}


@pytest.mark.parametrize(
    ("name", "ands"), [("interpreter_circuit.c", 11474), ("interpreter_memory.c", 10233)]
)
def test_sizes_are_those_of_the_documentation(tacit: Tacit, name: str, ands: int) -> None:
    stats = tacit("compile", PRIVATE / name, "--stats")
    assert json.loads(stats.stdout)["and_count"] == ands


@pytest.mark.parametrize(("field", "value"), [("operation", 256), ("left", 65536), ("right", -1)])
def test_what_no_gate_can_hold_is_refused(circuits: Program, field: str, value: int) -> None:
    gates = more_than(8)
    gates[7] = gates[7] | {field: value}
    with pytest.raises(InputError, match=rf"gates\[7\].{field}"):
        found(circuits, of_circuit(gates, 1, 2))
