"""What programs among many parties need ahead: prepared by commands, kept by programs, spent by others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Finished, Many, Tacit

NUMBERS = list(range(-50, 50))

SPENDS = f"""
async def main(rt):
    before = rt.stored
    x = rt.share({NUMBERS} if rt.party == "p1" else None, by="p1", shape={len(NUMBERS)})
    less = await rt.open(x < 0)
    cut = await rt.open(x.truncate(3, bits=10))
    bits = await rt.open(rt.random_bits(30))
    return [less == {[int(x < 0) for x in NUMBERS]}, cut == {[x >> 3 for x in NUMBERS]},
            set(bits) <= {{0, 1}}, before, rt.stored]
"""


def all_of(many: Many, start: Callable[[str], list[str | Path]]) -> list[Finished]:
    """Runs a command of every party."""
    running = [
        many.tacit.start(*start(party), "--as", party, "--store", f"store-{party}") for party in many.names
    ]
    return [one.wait() for one in running]


def prepare(many: Many, *more: str) -> list[Finished]:
    return all_of(many, lambda _: ["prepare", "many.toml", "--threshold", "1", *more])


def spend(many: Many, program: Path, *more: str) -> list[Finished]:
    command: list[str | Path] = ["run", program, "--session", "many.toml", "--threshold", "1", *more]
    return all_of(many, lambda party: [*command, f"--report=report-{party}.json"])


def pools(tacit: Tacit, party: str) -> dict[str, dict[str, Any]]:
    """What is in a store, by kind."""
    text = tacit("store", "list", f"store-{party}").stdout
    return {pool["kind"]: pool for pool in map(json.loads, text.splitlines())}


def test_what_commands_prepare_programs_spend(many: Callable[..., Many]) -> None:
    three = many()
    tacit = three.tacit
    wanted = ["--comparisons", "100", "--bits", "40", "--masks", "3:100"]
    for finished in prepare(three, *wanted):
        assert finished.outputs["prepared"] == {"bits": 40, "comparisons": 100, "masks": {"3": 100}}
    for party in three.names:
        found = pools(tacit, party)
        assert {kind: pool["ready"] for kind, pool in found.items()} == {
            "shared bits": 1,
            "shared bit masks 61": 2,
            "shared masks 3": 2,
        }
        one = found["shared bits"]
        assert (one["party"], one["parties"], one["threshold"]) == (party, three.names, 1)
        assert tacit("store", "verify", f"store-{party}", "--key", f"{party}.key").code == 0
    program = tacit.write("spends.py", SPENDS)
    sent = []
    for stored in [{"bits": 1024, "comparisons": 128, "masks": {"3": 128}}] + 2 * [
        {"bits": 0, "comparisons": 0, "masks": {}}
    ]:
        for party, finished in zip(three.names, spend(three, program), strict=True):
            *right, before, after = finished.outputs[party]
            assert right == [True, True, True]
            assert before == stored
            assert after == {"bits": 0, "comparisons": 0, "masks": {}}
        sent.append(json.loads((tacit.folder / "report-p1.json").read_text())["bytes_sent"])
    # With nothing left, programs make what they need.
    assert sent[0] < sent[1] / 2
    # Both send the same, but for the headers of ranges, whose number depends on what is ready together.
    assert abs(sent[1] - sent[2]) < sent[1] / 100
    for party in three.names:
        assert all(pool["ready"] == 0 for pool in pools(tacit, party).values())


KEEPS = """
import os, signal

async def main(rt):
    async def step(number):
        if rt.party == rt.inputs.get("party") and number == rt.inputs["step"]:
            os.kill(os.getpid(), signal.SIGKILL)
    await step(0)
    kept = rt.keep(comparisons=64)
    await step(1)
    await kept
    await step(2)
    x = rt.share(list(range(-30, 34)) if rt.party == "p1" else None, by="p1", shape=64)
    less = x < 0
    await step(3)
    less = await rt.open(less)
    await step(4)
    await rt.synchronise()
    return sum(less)
"""


def test_whoever_is_killed_goes_on_afterwards(many: Callable[..., Many]) -> None:
    three = many(timeout_s=10)
    program = three.tacit.write("keeps.py", KEEPS)
    killed = [("p2", 0), ("p1", 1), ("p3", 2), ("p2", 3), ("p1", 4)]
    for party, step in [("", 0), *killed, ("", 0)]:
        given = json.dumps({"party": party, "step": step})
        for name, finished in zip(three.names, spend(three, program, "--input", given), strict=True):
            if not party:
                assert finished.outputs == {name: 30}
            elif name != party:
                assert finished.code in (0, 5, 6), finished.stderr
    for party in three.names:
        assert three.tacit("store", "verify", f"store-{party}", "--key", f"{party}.key").code == 0


def test_what_was_prepared_for_others_is_refused(many: Callable[..., Many]) -> None:
    three = many(timeout_s=5)
    assert [finished.code for finished in prepare(three, "--bits", "1")] == [0, 0, 0]
    program = three.tacit.write("spends.py", SPENDS)
    command = ["run", program, "--session", "many.toml", "--threshold", "1", "--store", "store-p1"]
    for finished in spend(three, program, "--modulus", str(2**64 - 59)):
        assert finished.code in (2, 5)
    other = three.tacit.start(*command, "--as", "p2").wait()
    other.failed(2, "belongs to")
    three.tacit.start(*command, "--local").wait().failed(2, "--store")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["many.toml"], ["nothing to prepare"]),
        (["many.toml", "--masks", "x"], ["BITS:COUNT"]),
        (["many.toml", "--masks", "8:10", "--count", "3"], ["--count"]),
        (["x.c", "--bits", "3"], ["--bits", "session file"]),
        (["x.c"], ["--session"]),
    ],
)
def test_what_means_nothing_is_refused(
    many: Callable[..., Many], arguments: list[str], words: list[str]
) -> None:
    many().tacit("prepare", *arguments, "--as", "p1").failed(2, *words)


def test_only_the_first_task_keeps() -> None:
    async def program(rt: t.Runtime) -> bool:
        with pytest.raises(t.UsageError, match="without a store"):
            await rt.keep(bits=3)
        with pytest.raises(t.UsageError, match="cannot prepare"):
            await rt.keep(bits=-3)
        return rt.stored == {"bits": 0, "comparisons": 0, "masks": {}}

    assert set(asyncio.run(t.together(program)).values()) == {True}
