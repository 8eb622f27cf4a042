"""`tacit run` of programs among many parties: what it prints, and what it refuses."""

from __future__ import annotations

import pytest

from conftest import EXAMPLES, Tacit

MILLIONAIRES = EXAMPLES / "parties" / "millionaires.py"


def test_a_program_may_have_any_name_and_print(tacit: Tacit) -> None:
    tacit.write(
        "own.py",
        "async def count(rt):\n    print('hello')\n"
        "    return [rt.party, await rt.open(rt.constant(3) * 2)]\n",
    )
    run = tacit("run", "own.py:count", "--local", "--threshold", 1)
    assert run.outputs == {party: [party, 6] for party in ("p1", "p2", "p3")}
    assert "hello" in run.stderr


def test_another_modulus(tacit: Tacit) -> None:
    tacit.write("own.py", "async def main(rt):\n    return await rt.open(rt.constant(50) * 50)\n")
    run = tacit("run", "own.py", "--local", "--parties", 3, "--modulus", "0x3f1")
    assert run.outputs == dict.fromkeys(("p1", "p2", "p3"), 2500 % 1009)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--parties", "3"], 2, ["--as, --session missing"]),
        (["--local", "--parties", "5", "--threshold", "3"], 2, ["threshold 3"]),
        (["--local", "--parties", "3", "--modulus", "91"], 2, ["91 is not an odd prime"]),
        (["--local", "--parties", "3", "--modulus", "x"], 2, ["--modulus x"]),
        (["--local", "--parties", "3", "--mode", "streamed"], 2, ["--mode"]),
        (["--local", "--parties", "3", "--clear"], 2, ["--clear"]),
        (["--local", "--parties", "3", "--as", "p1"], 2, ["--as"]),
        (["--local", "--parties", "3", "--input", "p4={}"], 2, ["p4"]),
        (["--local", "--parties", "3", "--input", 'p1={"fortune": 1.5}'], 3, ["not an integer"]),
    ],
)
def test_what_means_nothing_is_refused(
    tacit: Tacit, arguments: list[str], code: int, words: list[str]
) -> None:
    tacit("run", MILLIONAIRES, *arguments).failed(code, *words)


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("x = 1\n", 2, ["async def main(rt)"]),
        ("async def main(rt):\n    return rt\n", 3, ["cannot be written as JSON"]),
        ("async def main(rt):\n    return 1 // 0\n", 3, ["own.py", "ZeroDivisionError"]),
        (
            "async def main(rt):\n    x = rt.share_by_all(1)[0]\n"
            "    return await rt.open(x * x if rt.party == 'p2' else x + x)\n",
            5,
            ["another program", "own.py:3"],
        ),
    ],
)
def test_programs_that_fail(tacit: Tacit, program: str, code: int, words: list[str]) -> None:
    tacit.write("own.py", program)
    tacit("run", "own.py", "--local", "--parties", 3).failed(code, *words)
