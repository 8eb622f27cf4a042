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
    outputs = product.using(security=level).run(a={"x": 3}, b={"y": 5})
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
        product.using(security=level).run(a=given["a"], b=given["b"]).reports["a"]
        for level in ("medium", "long")
    )
    assert {**medium["security"], "level": "long"} == long["security"]
    assert medium["predicted"] == long["predicted"]
    assert medium["plan_hash"] != long["plan_hash"]


def test_unknown_levels() -> None:
    for level in ("short", "ultra-short", "128"):
        with pytest.raises(t.UsageError, match="medium"):
            product.using(security=level).run(a={"x": 3}, b={"y": 5})


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


INSECURE = [("1024-bit", 72), ("ultra-short", 80), ("short", 96)]
PRODUCTS = EXAMPLES / "tastyl" / "homomorphic" / "minimum_product.py"
FACTORS = ["--input", 'client={"v": [5, 6, 7, 8]}', "--input", 'server={"w": [9, 3, 4, 5]}']


@pytest.mark.parametrize(("level", "bits"), INSECURE)
def test_insecure_levels_are_told_in_reports(tacit: Tacit, level: str, bits: int) -> None:
    given = (*FACTORS, "--insecure-bench", level)
    result = tacit("run", PRODUCTS, "--local", *given, "--report", "r.json")
    assert result.outputs == {"minimum value": 18}
    reports = json.loads((tacit.folder / "r.json").read_text())
    assert {name: report["security"]["level"] for name, report in reports.items()} == {
        "client": level,
        "server": level,
    }
    assert f"level {level} (at least {bits} bits)" in product.trace().plan(insecure_bench=level)


def test_keys_are_as_long_as_the_insecure_level_says(tacit: Tacit) -> None:
    """The client sends a ciphertext for each of its four numbers."""
    for level, modulus_bits in (("ultra-short", 1248), ("short", 1776)):
        given = (*FACTORS, "--insecure-bench", level)
        assert tacit("run", PRODUCTS, "--local", *given, "--report", "r.json").code == 0
        report = json.loads((tacit.folder / "r.json").read_text())["client"]
        online = next(phase for phase in report["phases"] if phase["phase"] == "online")
        ciphertexts = 4 * 2 * modulus_bits // 8
        assert ciphertexts <= online["payload_sent"] < ciphertexts + 2 * modulus_bits // 8


def test_insecure_levels_are_no_security_levels(tacit: Tacit) -> None:
    for level, _ in INSECURE:
        tacit("run", PRODUCTS, "--local", *FACTORS, "--security", level).failed(2, "medium", "long")
    tacit("run", PRODUCTS, "--local", *FACTORS, "--insecure-bench", "long").failed(2, "ultra-short", "short")


def test_both_parties_must_have_the_insecure_level(parties: Callable[..., Parties]) -> None:
    made = parties()
    running = made.start("A", MILLIONAIRES, '{"mil": 1}', "--insecure-bench", "ultra-short")
    second = made.start("B", MILLIONAIRES, '{"mil": 2}').wait()
    first = running.wait()
    assert first.code != 0
    assert second.code != 0
    assert "ultra-short" in first.stderr + second.stderr


def test_two_levels_contradict_each_other(tacit: Tacit, parties: Callable[..., Parties]) -> None:
    both = ("--security", "long", "--insecure-bench", "short")
    for arguments in (("run", "--local"), ("run", "--clear"), ("bench", "--repeat", "1")):
        command, *more = arguments
        result = tacit(command, PRODUCTS, *more, *(FACTORS if command == "run" else ()), *both)
        result.failed(2, "--security", "--insecure-bench", "" if "--clear" in more else "contradict")
    with pytest.raises(t.UsageError, match="security and insecure_bench contradict each other"):
        product.using(security="long", insecure_bench="short").run(a={"x": 3}, b={"y": 5})
    with pytest.raises(t.UsageError, match="contradict each other"):
        product.trace().plan(insecure_bench="short", security="medium")
    made = parties(extra='[security]\nlevel = "long"\ninsecure_bench = "short"')
    for result in reporting(made):
        result.failed(2, "security.insecure_bench and security.level contradict each other", "s.toml")


def test_an_insecure_level_of_the_command_line_goes_before_the_session_file(
    parties: Callable[..., Parties],
) -> None:
    made = parties(extra='[security]\nlevel = "long"')
    first, second = reporting(made, "--insecure-bench", "short")
    assert first.outputs == second.outputs
    assert json.loads((made.tacit.folder / "r.json").read_text())["security"]["level"] == "short"
