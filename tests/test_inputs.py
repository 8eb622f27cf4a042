"""Inputs of every kind, good and bad, in the clear; the same code reads them for protocol runs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from conftest import Finished, Parties, Tacit

TYPES = """
#include <stdint.h>
#include <stdbool.h>
struct point { uint8_t x; int16_t y[2]; };
void types(void)
{
    uint64_t INPUT_A_wide;
    int8_t INPUT_A_small;
    bool INPUT_A_flag;
    struct point INPUT_B_points[2];
    uint64_t OUTPUT_wide = INPUT_A_wide;
    int OUTPUT_small = INPUT_A_small;
    bool OUTPUT_flag = INPUT_A_flag;
    struct point OUTPUT_second = INPUT_B_points[1];
    int OUTPUT_sum = 0;
    for (int i = 0; i < 2; i++)
        OUTPUT_sum += INPUT_B_points[i].x + INPUT_B_points[i].y[0] + INPUT_B_points[i].y[1];
}
"""

A = {"wide": 2**64 - 1, "small": -128, "flag": 1}
B = {"points": [{"x": 1, "y": [2, 3]}, {"x": 255, "y": [-32768, 32767]}]}


def run(tacit: Tacit, a: object, b: object) -> Finished:
    tacit.write("types.c", TYPES)
    given = [
        f"--input={role}={value if isinstance(value, str) else json.dumps(value)}"
        for role, value in (("A", a), ("B", b))
    ]
    return tacit("run", "types.c", "--clear", *given)


def test_every_type(tacit: Tacit) -> None:
    result = run(tacit, A, B)
    assert result.outputs == {
        "wide": 2**64 - 1,
        "small": -128,
        "flag": 1,
        "second": B["points"][1],
        "sum": 1 + 2 + 3 + 255 - 32768 + 32767,
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"wide": 2**64}, ["wide", str(2**64), "64"]),
        ({"wide": -1}, ["wide", "-1"]),
        ({"small": 128}, ["small", "128", "8"]),
        ({"small": -129}, ["small", "-129"]),
        ({"flag": 2}, ["flag", "2"]),
        ({"wide": 10**400}, ["wide"]),
        ({"small": 1.5}, ["small", "1.5"]),
        ({"small": "1"}, ["small"]),
        ({"small": None}, ["small"]),
        ({"small": [1]}, ["small"]),
        ({"small": {"x": 1}}, ["small"]),
        ({"unknown": 1}, ["unknown"]),
    ],
)
def test_bad_values(tacit: Tacit, change: dict[str, object], words: list[str]) -> None:
    run(tacit, {**A, **change}, B).failed(4, *words)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([{"x": 1, "y": [2, 3]}], ["points"]),
        ([{"x": 1, "y": [2, 3]}] * 3, ["points"]),
        ([{"x": 1, "y": [2]}] * 2, ["points[0].y"]),
        ([{"x": 1, "y": [2, 3]}, {"x": 1}], ["points[1]", "y"]),
        ([{"x": 1, "y": [2, 3]}, {"x": 1, "y": [2, 3], "z": 0}], ["points[1]", "z"]),
        ([{"x": 1, "y": [2, 3]}, {"x": 1, "y": [2, 40000]}], ["points[1].y[1]", "40000"]),
        (7, ["points"]),
        ([7, 8], ["points[0]"]),
    ],
)
def test_bad_shapes(tacit: Tacit, points: object, words: list[str]) -> None:
    run(tacit, A, {"points": points}).failed(4, *words)


def test_missing_variable(tacit: Tacit) -> None:
    run(tacit, {"wide": 1, "small": 1}, B).failed(4, "flag")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"wide": 1,', ["not JSON"]),
        ('{"wide": NaN, "small": 1, "flag": 1}', ["NaN"]),
        ('{"wide": Infinity, "small": 1, "flag": 1}', ["Infinity"]),
        ('{"wide": 1, "wide": 2, "small": 1, "flag": 1}', ["wide", "twice"]),
        ('{"wide": ' + "[" * 100_000, ["JSON"]),
        ("absent.json", ["absent.json"]),
        (".", ["directory"]),
    ],
)
def test_bad_texts(tacit: Tacit, text: str, words: list[str]) -> None:
    run(tacit, text, B).failed(4, *words)


@pytest.mark.parametrize(("content", "words"), [("[1]", "object"), ("\xff", "JSON"), ("", "JSON")])
def test_bad_files(tacit: Tacit, content: str, words: str) -> None:
    tacit.write("a.json", content)
    run(tacit, "a.json", B).failed(4, words)


def test_a_file_that_is_no_text(tacit: Tacit) -> None:
    (tacit.folder / "a.json").write_bytes(b"\xff\xfe\x00")
    run(tacit, "a.json", B).failed(4, "UTF-8")


def test_roles_that_do_not_fit(tacit: Tacit) -> None:
    tacit.write("types.c", TYPES)
    whole = json.dumps(A)
    tacit("run", "types.c", "--clear", "--input", f"C={whole}").failed(2, "role C")
    tacit("run", "types.c", "--clear", "--input", whole).failed(2, "ROLE=")
    tacit("run", "types.c", "--clear", "--input", f"A={whole}", "--input", f"A={whole}").failed(2, "twice")
    tacit("run", "types.c", "--clear", "--input", f"A={whole}").failed(4, "points")


def test_both_ways_of_running_refuse_alike(tacit: Tacit, parties: Callable[..., Parties]) -> None:
    tacit.write("types.c", TYPES)
    bad, good = json.dumps({**A, "small": 128}), json.dumps(B)
    tacit("run", "types.c", "--local", "--input", f"A={bad}", "--input", f"B={good}").failed(
        4, "small", "128"
    )
    made = parties(timeout_s=5)
    made.start("A", "types.c", bad).wait().failed(4, "small", "128")
