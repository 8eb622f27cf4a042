"""`tacit bench`, from the command line to its lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLES, Tacit
from tacit import ProgramError, TacitError
from tacit.measure import Case, load
from tacit.measure.ports import Array, Integer, Struct, input_ports
from tacit.measure.random_inputs import random_inputs
from tacit.measure.sweep import Plan, Sweep, Terms, _compare
from tacit.measure.targets import Compiled, Made, PythonFunction, target_of
from tacit.sources import load_program

DOT = """
#ifndef N
#define N 2
#endif
unsigned INPUT_A_x[N], INPUT_B_y[N], OUTPUT_sum;
void total(void)
{
    for (int i = 0; i < N; i++)
        OUTPUT_sum += INPUT_A_x[i] + INPUT_B_y[i];
}
"""


@pytest.fixture
def total(tacit: Tacit) -> Path:
    return tacit.write("total.c", DOT)


def test_a_sweep_over_macros_and_links(tacit: Tacit, total: Path) -> None:
    result = tacit(
        *("bench", total, "--param", "N=2,4", "--repeat", "2", "--net", "none,lan"),
        *("--domain", "yao", "--output", "b.jsonl"),
    )
    assert (result.code, result.stdout) == (0, ""), result.stderr
    assert "8/8" in result.stderr
    assert "medians" in result.stderr
    records = load(tacit.folder / "b.jsonl")
    assert [(record.params["N"], record.net, record.fields["repeat"]) for record in records] == [
        (n, net, repeat) for repeat in (0, 1) for n in (2, 4) for net in (None, "lan")
    ]
    assert all(record.fields["checked"] for record in records)
    # All summands are added up together, with fewer ANDs than the 31 of each addition.
    assert records[0].cost("and_count") == 31 * 3 - 1
    assert records[2].cost("and_count") == 31 * 7 - 4
    for name in ("online_s", "and_depth", "compile_s", "wall_s", "A.peak_memory_bytes"):
        assert (records[0].cost(name) or 0) > 0, name


def test_without_a_file_the_lines_are_the_output(tacit: Tacit) -> None:
    given = ["--input", 'A={"mil": 12}', "--input", 'B={"mil": 7}']
    result = tacit("bench", EXAMPLES / "millionaires.c", "--repeat", "1", "--mode", "streamed", *given)
    assert result.code == 0, result.stderr
    (line,) = map(json.loads, result.stdout.splitlines())
    assert line["mode"] == line["reports"]["A"]["mode"] == "streamed"


@pytest.mark.parametrize("command", ["bench", "plot", "report"])
def test_every_command_has_help(tacit: Tacit, command: str) -> None:
    assert tacit(command, "--help").code == 0


def test_results_are_never_overwritten(tacit: Tacit) -> None:
    tacit.write("b.jsonl", "")
    arguments = ["bench", EXAMPLES / "millionaires.c", "--repeat", "1", "--output", "b.jsonl"]
    tacit(*arguments).failed(2, "exists already", "--append")
    assert tacit(*arguments, "--append").code == 0
    assert tacit(*arguments, "--append").code == 0
    assert len(load(tacit.folder / "b.jsonl")) == 2


def test_a_driver_gives_inputs_and_checks_outputs(tacit: Tacit, total: Path) -> None:
    driver = tacit.write(
        "drive.py",
        "def driver():\n"
        "    for n in (2, 3):\n"
        "        inputs = {'A': {'x': [n] * n}, 'B': {'y': [1] * n}}\n"
        "        yield {'params': {'N': n}, 'inputs': inputs, 'outputs': {'sum': n * (n + 1)}}\n"
        "def wrong():\n"
        "    yield {'params': {'N': 2}, 'outputs': {'sum': -1}}\n",
    )
    result = tacit("bench", total, "--driver", driver, "--repeat", "1", "--output", "b.jsonl")
    assert result.code == 0, result.stderr
    tacit("bench", total, "--driver", f"{driver}:wrong", "--repeat", "1").failed(
        3, "N=2", "the driver expects -1"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "PROGRAM is missing"),
        (["none.c", "--param", "N=1"], "none.c"),
        (["total.c", "--param", "M=1"], "never mentions M"),
        (["total.c", "--param", "N"], "NAME=VALUE"),
        (["total.c", "--append"], "--output"),
        (["total.c", "--repeat", "0"], "--repeat"),
        (["total.c", "--net", "slow", "--repeat", "1"], "slow"),
        (["app.py"], "app.py:FUNCTION"),
        (["app.py:f", "--clang", "clang"], "--clang is for C"),
        (["app.py:g"], "has no g"),
        (["app.py:f"], "@tacit.function"),
        (["total.tacit", "--param", "N=1"], "compiled already"),
    ],
)
def test_wrong_usage(tacit: Tacit, total: Path, arguments: list[str], words: str) -> None:
    tacit.write("app.py", "def f(): pass\n")
    (tacit.folder / "total.tacit").write_bytes(load_program(total).to_bytes())
    tacit("bench", *arguments).failed(2, words)


def test_a_wrong_input_ends_the_sweep(tacit: Tacit, total: Path) -> None:
    tacit("bench", total, "--input", 'A={"x": [1]}', "--repeat", "1").failed(4, "x")


def test_a_macro_that_only_a_header_mentions(tacit: Tacit) -> None:
    tacit.write("size.h", "#define LENGTH (N + 1)\n")
    path = tacit.write("p.c", '#include "size.h"\n' + DOT.replace("[N]", "[LENGTH]").replace("N 2", "Q 2"))
    (port, _) = input_ports(target_of(str(path)).make({"N": 4}).program)
    assert port.shape == Array(5, Integer(32, False))


def test_input_ports_are_those_of_the_program() -> None:
    ports = input_ports(load_program(EXAMPLES / "nearest.c"))
    short = Integer(16, True)
    taxi = Struct({"id": Integer(16, False), "x": short, "y": short})
    assert [(port.role, port.name, port.shape) for port in ports] == [
        ("A", "taxis", Array(12, taxi)),
        ("B", "here", Struct({"x": short, "y": short})),
    ]


@pytest.mark.parametrize("name", ["millionaires.c", "nearest.c"])
def test_random_inputs_fit_and_repeat(name: str) -> None:
    program = load_program(EXAMPLES / name)
    drawn = [random_inputs(program, seed) for seed in ("1", "1", "2")]
    assert drawn[0] == drawn[1] != drawn[2]
    assert program.clear({role: json.dumps(values) for role, values in drawn[0].items()})
    assert set(random_inputs(program, "1", given=["A"])) == {"B"}


def test_random_inputs_of_a_circuit(tmp_path: Path) -> None:
    path = tmp_path / "and.txt"
    path.write_text("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n")
    program = load_program(path)
    assert [(port.role, port.name, port.shape) for port in input_ports(program)] == [
        ("A", "in0", Integer(1, False)),
        ("B", "in1", Integer(1, False)),
    ]


class _Function:
    """What the language makes of a function."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def trace(self, *, n: int = 2) -> Made:
        return target_of(str(self.path)).make({"N": n})


def test_static_parameters_of_a_python_function(total: Path) -> None:
    target = PythonFunction("app.py:total", _Function(total))
    inputs: dict[str, Any] = {"A": {"x": [1, 2, 3]}, "B": {"y": [4, 5, 6]}}
    sweep = Sweep(target, [Case({"n": 3}, inputs, {"sum": 21})], Terms(repeat=1))
    (record,) = sweep.run()
    assert record.program == "app.py:total"
    assert record.fields["checked"] is True


APP = """
import tacit as t

def half(rows):
    return rows[: len(rows) // zero]

@t.function
def broken(a, b, zero: int = 0):
    x = a.input("x", t.u8[4])
    globals()["zero"] = zero
    b.output("z", half(x))

@t.function
def secret(a, b):
    x = a.input("x", t.u8[4])
    b.output("z", t.sum(x) if x[0] else x[1])

@t.function
def lesser(a, b):
    x, y = t.bool_(a.input("x", t.u32[1000])), t.bool_(b.input("y", t.u32[1000]))
    t.output("lesser", t.where(x < y, x, y), a, b)
"""


def test_runs_are_planned_for_the_link_they_are_run_over(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    result = tacit(
        "bench", "app.py:lesser", "--repeat", "1", "--net", "lan,250mbit,50ms", "--output", "l.jsonl"
    )
    assert result.code == 0, result.stderr
    near, far = (
        record.fields["reports"]["a"]["phases"][2]["rounds"] for record in load(tacit.folder / "l.jsonl")
    )
    assert far < near


def test_an_exception_of_a_function_shows_the_lines_of_the_user(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    result = tacit("bench", "app.py:broken", "--repeat", "1")
    result.failed(3, "app.py:broken", "line 11, in broken", "line 5, in half", "ZeroDivisionError")
    assert "function.py" not in result.stderr
    result = tacit("bench", "app.py:secret", "--repeat", "1")
    result.failed(3, "line 16, in secret", "t.where")


class _Lying(Compiled):
    """A program whose inputs change on their way, so that driver and protocol see different ones."""

    def encode(self, given: Mapping[str, Any]) -> dict[str, str]:
        return super().encode({role: dict.fromkeys(values, 1) for role, values in given.items()})


@dataclass(frozen=True)
class _Fixed:
    """A target that is what it is."""

    form: Made
    name: str = "fixed"

    def make(self, params: Mapping[str, Any]) -> Made:
        assert not params
        return self.form


def test_a_driver_notices_wrong_outputs() -> None:
    form = _Lying(load_program(EXAMPLES / "millionaires.c"))
    case = Case({}, {"A": {"mil": 2}, "B": {"mil": 1}}, {"richer": 1})
    with pytest.raises(ProgramError, match="richer is 0, the driver expects 1"):
        list(Sweep(_Fixed(form), [case], Terms(repeat=1)).run())


def test_outputs_other_than_in_the_clear_are_an_error() -> None:
    plan = Plan(Case({"n": 2}), None, None, 0)
    _compare(plan, {"x": 1}, {"x": 1})
    with pytest.raises(TacitError, match="n=2: x is 1, in the clear 2"):
        _compare(plan, {"x": 1}, {"x": 2})
