"""Named security levels: chosen on the command line, in session files, in the language; told in reports."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import tacit as t
from conftest import EXAMPLES, Finished, Parties, Tacit

MILLIONAIRES = EXAMPLES / "millionaires.c"
GIVEN = ["--input", 'A={"mil": 1}', "--input", 'B={"mil": 2}']


@t.function
def product(a: t.Role, b: t.Role) -> None:
    t.output("z", a.input("x", t.u8) * b.input("y", t.u8), a, b)


@pytest.mark.parametrize("level", ["medium", "long"], ids=["112", "128"])
def test_in_the_language(level: str) -> None:
    outputs = product.run(a={"x": 3}, b={"y": 5}, security=level)
    assert outputs["a"] == {"z": 15}
    assert [report["security"]["level"] for report in outputs.reports.values()] == [level, level]
    assert f"level {level}" in product.trace().plan(security=level)


def test_long_unless_given() -> None:
    report = product.run(a={"x": 3}, b={"y": 5}).reports["a"]
    assert report["security"] == {
        "level": "long",
        "computational_bits": 128,
        "statistical_bits": 40,
        "softspoken_k": 4,
    }


def test_a_level_changes_no_other_parameter() -> None:
    given = {"a": {"x": 3}, "b": {"y": 5}}
    medium, long = (
        product.run(a=given["a"], b=given["b"], security=level).reports["a"] for level in ("medium", "long")
    )
    assert {**medium["security"], "level": "long"} == long["security"]
    assert medium["predicted"] == long["predicted"]
    assert medium["plan_hash"] != long["plan_hash"]


def test_unknown_levels() -> None:
    for level in ("short", "ultra-short", "128"):
        with pytest.raises(t.UsageError, match="medium"):
            product.run(a={"x": 3}, b={"y": 5}, security=level)


def test_on_the_command_line(tacit: Tacit) -> None:
    result = tacit("run", MILLIONAIRES, "--local", *GIVEN, "--security", "medium", "--report", "r.json")
    assert result.code == 0
    reports = json.loads((tacit.folder / "r.json").read_text())
    assert {report["security"]["level"] for report in reports.values()} == {"medium"}
    tacit("run", MILLIONAIRES, "--local", *GIVEN, "--security", "short").failed(2, "medium")
    tacit("run", MILLIONAIRES, "--clear", *GIVEN, "--security", "medium").failed(2, "--security", "--clear")


def reporting(made: Parties, *more: str) -> tuple[Finished, Finished]:
    """Runs both parties; A writes its report to r.json."""
    running = made.start("A", MILLIONAIRES, '{"mil": 1}', *more, "--report", "r.json")
    second = made.start("B", MILLIONAIRES, '{"mil": 2}', *more).wait()
    return running.wait(), second


def test_in_session_files(parties: Callable[..., Parties]) -> None:
    made = parties(extra='[security]\nlevel = "medium"')
    first, second = reporting(made)
    assert first.outputs == second.outputs
    assert json.loads((made.tacit.folder / "r.json").read_text())["security"]["level"] == "medium"


def test_the_command_line_goes_before_the_session_file(parties: Callable[..., Parties]) -> None:
    made = parties(extra='[security]\nlevel = "medium"')
    first, second = reporting(made, "--security", "long")
    assert first.outputs == second.outputs
    assert json.loads((made.tacit.folder / "r.json").read_text())["security"]["level"] == "long"
