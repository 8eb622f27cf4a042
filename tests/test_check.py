"""`tacit check`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import EXAMPLES, TIME_LIMIT_S, Tacit
from tacit.cbmc import compare, read_results

TRAPS = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")

SUM = """int sum(int INPUT_A_x, int INPUT_B_y)
{
    return INPUT_A_x + INPUT_B_y;
}
"""

GUARDED = """#include <assert.h>
int half(int INPUT_A_x, int INPUT_B_y)
{
    tacit_assume(INPUT_B_y > 0);
    int list[4] = {1, 2, 3, 4};
    unsigned index = INPUT_A_x;
    assert(index % 4 < 4);
    return INPUT_A_x % INPUT_B_y ? 0 : list[index % 4];
}
"""

LOOP = """int loop(unsigned INPUT_A_x, unsigned INPUT_B_y)
{
    int OUTPUT_n = 0;
    for (unsigned i = 0; i < INPUT_A_x && i < 6; i++) OUTPUT_n++;
    return OUTPUT_n;
}
"""

# Which two numbers have this product no solver finds soon.
HARD = """#include <assert.h>
int hard(unsigned long INPUT_A_x, unsigned long INPUT_B_y)
{
    unsigned __int128 product = (unsigned __int128)INPUT_A_x * INPUT_B_y;
    assert(product != ((unsigned __int128)0x2123456789abcdef << 64 | 0x1123456789abcdef));
    return product >> 64;
}
"""


@pytest.mark.parametrize("source", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.stem)
def test_the_examples_are_proven(tacit: Tacit, source: Path) -> None:
    result = tacit("check", source)
    assert result.code == 0, result.stdout + result.stderr
    assert all(line.startswith("proven") for line in result.stdout.splitlines())


def test_a_violation_has_inputs_that_everyone_can_run(tacit: Tacit) -> None:
    tacit.write("sum.c", SUM)
    result = tacit("check", "sum.c", "--report", "report.json", "--emit-test", "test.c")
    assert result.code == 7, result.stderr
    assert result.stdout.startswith("violated  sum.c:3: signed overflow in sum")
    assert "0 proven, 1 violated, 0 undecided" in result.stderr
    report = json.loads((tacit.folder / "report.json").read_text())
    (found,) = report["properties"]
    assert (found["kind"], found["line"], found["verdict"]) == ("signed overflow", 3, "violated")
    total = found["inputs"]["A"]["x"] + found["inputs"]["B"]["y"]
    assert not -(2**31) <= total < 2**31
    compiled = subprocess.run(
        ["cc", "-w", *TRAPS, "test.c", "-o", "test"],
        cwd=tacit.folder, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False,
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stderr
    run = subprocess.run([tacit.folder / "test"], timeout=TIME_LIMIT_S, check=False, capture_output=True)
    assert run.returncode < 0


def test_assumptions_and_assertions(tacit: Tacit) -> None:
    tacit.write("half.c", GUARDED)
    assert tacit("check", "half.c").code == 0
    tacit.write("half.c", GUARDED.replace("index % 4 < 4", "index % 4 < 3"))
    result = tacit("check", "half.c")
    assert result.code == 7
    assert sum(line.startswith("violated") for line in result.stdout.splitlines()) == 1
    assert "half.c:7: assertion" in result.stdout


def test_bounds_are_proven_to_suffice(tacit: Tacit) -> None:
    tacit.write("loop.c", LOOP)
    assert tacit("check", "loop.c").code == 0
    assert tacit("check", "loop.c", "--unwind", "6").code == 0
    result = tacit("check", "loop.c", "--unwind", "5")
    assert result.code == 7
    assert "loop.c:4: unwinding in loop" in result.stdout
    tacit("check", "loop.c", "--unwind", "many").failed(2, "--unwind", "many")


def test_an_unbounded_loop_is_an_error(tacit: Tacit) -> None:
    tacit.write("loop.c", LOOP.replace(" && i < 6", ""))
    tacit("check", "loop.c").failed(3, "loop.c:4", "loop")
    assert tacit("check", "loop.c", "--unwind", "4").code == 7


def test_what_takes_too_long_is_undecided(tacit: Tacit) -> None:
    tacit.write("hard.c", HARD)
    result = tacit("check", "hard.c", "--conflicts", "10")
    assert result.code == 8
    assert "undecided hard.c:5: assertion" in result.stdout
    assert tacit("check", "hard.c", "--time-limit", "0").code == 8


def test_interruption_ends_a_proof(tacit: Tacit) -> None:
    tacit.write("hard.c", HARD)
    command = [sys.executable, "-m", "tacit", "check", "hard.c", "--conflicts", "4000000000"]
    process = subprocess.Popen(command, cwd=tacit.folder, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "interrupted" in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.c"], ["missing.c", "no such file"]),
        (["program.py"], ["program.py", "only C"]),
        (["sum.c", "--with-cbmc"], ["cbmc", "PATH"]),
    ],
)
def test_wrong_usage(
    tacit: Tacit, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    tacit.write("sum.c", SUM)
    monkeypatch.setenv("PATH", str(tacit.folder))
    tacit("check", *arguments).failed(2, *words)


def test_a_source_that_does_not_compile(tacit: Tacit) -> None:
    tacit.write("bad.c", "int bad(int INPUT_A_x) { return INPUT_A_x +; }\n")
    tacit("check", "bad.c").failed(3, "bad.c:1", "expected expression")


CBMC = json.dumps(
    [
        {"program": "CBMC 5.95"},
        {
            "result": [
                {
                    "property": "f.overflow.1",
                    "status": "FAILURE",
                    "sourceLocation": {"file": "f.c", "line": "3"},
                },
                {
                    "property": "f.array_bounds.2",
                    "status": "SUCCESS",
                    "sourceLocation": {"file": "f.c", "line": "4"},
                },
            ]
        },
        {"cProverStatus": "failure"},
    ]
)


def test_verdicts_of_cbmc_are_compared() -> None:
    theirs = read_results(CBMC)
    assert [one["violated"] for one in theirs] == [True, False]

    def ours(first: str, second: str) -> dict[str, object]:
        kinds = zip(("signed overflow", "out of bounds"), (3, 4), (first, second), strict=True)
        found = [{"kind": kind, "file": "f.c", "line": line, "verdict": said} for kind, line, said in kinds]
        return {"properties": found}

    assert compare(ours("violated", "proven"), theirs)["differences"] == []
    assert compare(ours("undecided", "proven"), theirs)["differences"] == []
    assert len(compare(ours("proven", "violated"), theirs)["differences"]) == 2


@pytest.mark.parametrize("source", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.stem)
def test_the_examples_are_verified(tacit: Tacit, source: Path) -> None:
    result = tacit("compile", source, "--verify")
    assert result.code == 0, result.stderr
    assert "verified" in result.stderr
    assert "native: 256 random runs agree" in result.stderr


def test_undefined_runs_are_left_out_of_the_comparison(tacit: Tacit) -> None:
    tacit.write("divide.c", "int divide(int INPUT_A_x, int INPUT_B_y) { return INPUT_A_x / INPUT_B_y; }\n")
    result = tacit("compile", "divide.c", "--verify", "--stats")
    assert result.code == 0, result.stderr
    assert "have no defined outputs" in result.stderr
    assert json.loads(result.stdout)["outputs"] == 32


def test_a_verification_without_time_is_undecided(tacit: Tacit) -> None:
    tacit.write("sum.c", SUM)
    result = tacit("compile", "sum.c", "--verify", "--time-limit", "0")
    assert result.code in (0, 8)
    # The native runs do not depend on what the proof leaves of the time.
    assert "native: 256 random runs agree" in result.stderr or "have no defined outputs" in result.stderr
    assert "native: 0 random runs" not in result.stderr
