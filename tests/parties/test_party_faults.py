"""Parties that die, stop, come late or are slow, each a process of its own."""

from __future__ import annotations

import itertools
import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from conftest import Finished, Many
from tacit import SecretKey

STEPS = """
import asyncio, os, signal

async def main(rt):
    async def step(number):
        if rt.party == rt.inputs.get("party") and number == rt.inputs["step"]:
            {fault}
    await step(0)
    x = rt.share(6 if rt.party == "p1" else None, by="p1")
    await step(1)
    y = rt.share(7 if rt.party == "p3" else None, by="p3")
    z = x * y
    await step(2)
    first = await rt.open(z)
    await step(3)
    less = z - 1 < x * x
    bits = rt.random_bits(4)
    await step(4)
    second = await rt.open(less)
    await step(5)
    await rt.synchronise()
    await step(6)
    third = await rt.open(bits * bits - bits)
    return [first, second, third]
"""

EXPECTED = [42, 0, [0, 0, 0, 0]]

KILL = "os.kill(os.getpid(), signal.SIGKILL)"

STOP = "os.kill(os.getpid(), signal.SIGSTOP)"


def run(many: Many, fault: str, party: str, step: int) -> dict[str, Finished]:
    """Runs all parties, where something happens to one of them before a step; gives how the others ended."""
    program = many.tacit.write("steps.py", STEPS.format(fault=fault))
    given = json.dumps({"party": party, "step": step})
    running = many.start_all(program, "--input", given)
    return {name: one.wait() for name, one in running.items() if name != party}


def names_the_lost(ended: Finished, party: str) -> None:
    assert ended.code in (5, 6), ended.stderr
    assert ended.stdout == ""
    assert party in ended.stderr, ended.stderr
    assert "Traceback" not in ended.stderr


ALL = list(itertools.product(["p1", "p2", "p3"], range(7)))

FEW = [("p1", 0), ("p2", 2), ("p3", 4), ("p2", 6)]


@pytest.mark.parametrize(
    ("party", "step"), [pytest.param(*one, marks=[] if one in FEW else pytest.mark.long) for one in ALL]
)
def test_a_party_killed_at_any_step_is_named(many: Callable[..., Many], party: str, step: int) -> None:
    for ended in run(many(timeout_s=20), KILL, party, step).values():
        names_the_lost(ended, party)


@pytest.mark.long
@pytest.mark.parametrize("party", ["p1", "p2", "p3", "p4", "p5"])
def test_one_of_five_is_killed(many: Callable[..., Many], party: str) -> None:
    five = many(5, timeout_s=20)
    for step in range(7):
        for ended in run(five, KILL, party, step).values():
            names_the_lost(ended, party)


@pytest.mark.parametrize("step", [0, 4])
def test_a_party_whose_program_raises_is_named_with_the_kind_of_error(
    many: Callable[..., Many], step: int
) -> None:
    for ended in run(many(timeout_s=20), "raise ValueError('secret 4711')", "p2", step).values():
        names_the_lost(ended, "p2")
        # Its text may be secret, and `finished` is what it did not.
        assert "its program raised ValueError" in ended.stderr
        assert "4711" not in ended.stderr and "finished" not in ended.stderr


def test_a_silent_party_is_named_within_the_time_limit(many: Callable[..., Many]) -> None:
    parties = many(timeout_s=8)
    program = parties.tacit.write("steps.py", STEPS.format(fault=STOP))
    given = json.dumps({"party": "p2", "step": 3})
    running = parties.start_all(program, "--input", given)
    try:
        for party in ("p1", "p3"):
            names_the_lost(running[party].wait(), "p2")
    finally:
        os.kill(running["p2"].process.pid, signal.SIGKILL)
    running["p2"].process.communicate(timeout=10)


def test_a_slow_party_is_waited_for(many: Callable[..., Many]) -> None:
    ended = run(many(timeout_s=20), "await asyncio.sleep(2)", "p2", 3)
    assert [one.outputs for one in ended.values()] == [{"p1": EXPECTED}, {"p3": EXPECTED}]


def test_a_party_that_starts_late_is_waited_for(many: Callable[..., Many]) -> None:
    parties = many()
    program = parties.tacit.write("steps.py", STEPS.format(fault="pass"))
    running = [parties.start(party, program) for party in ("p1", "p3")]
    time.sleep(1.5)
    running.append(parties.start("p2", program))
    assert [one.wait().outputs for one in running] == [{p: EXPECTED} for p in ("p1", "p3", "p2")]


def test_a_party_that_comes_too_late_is_named(many: Callable[..., Many]) -> None:
    parties = many(timeout_s=2)
    program = parties.tacit.write("steps.py", STEPS.format(fault="pass"))
    for running in [parties.start(party, program) for party in ("p1", "p2")]:
        names_the_lost(running.wait(), "p3")


def test_sessions_that_differ_do_not_begin(many: Callable[..., Many]) -> None:
    parties = many(timeout_s=15)
    program = parties.tacit.write("steps.py", STEPS.format(fault="pass"))
    running = [parties.start(party, program) for party in ("p1", "p2")]
    running.append(parties.start("p3", program, "--modulus", str(2**64 - 59)))
    ended = [one.wait() for one in running]
    assert all(one.code in (5, 6) and one.stdout == "" for one in ended)
    assert any("field of order" in one.stderr for one in ended), [one.stderr for one in ended]


def another_key(session: str) -> str:
    before, _ = session.rsplit("key = ", 1)
    return f'{before}key = "{SecretKey.generate().public}"'


def one_more(session: str) -> str:
    return f'{session}\n[party.p4]\naddress = "127.0.0.1:7829"\nkey = "{SecretKey.generate().public}"'


@pytest.mark.parametrize(("change", "words"), [(another_key, "key"), (one_more, "parties and keys")])
def test_a_session_file_that_differs_does_not_begin(
    many: Callable[..., Many], change: Callable[[str], str], words: str
) -> None:
    parties = many(timeout_s=8)
    tacit = parties.tacit
    program = tacit.write("steps.py", STEPS.format(fault="pass"))
    tacit.write("other.toml", change((tacit.folder / "many.toml").read_text()))
    running = [parties.start(party, program) for party in ("p2", "p3")]
    running.append(parties.start("p1", program, session="other.toml"))
    ended = [one.wait() for one in running]
    for one in ended:
        assert one.code in (2, 5, 6) and one.stdout == "", one.stderr
        assert "Traceback" not in one.stderr
    assert any(words in one.stderr for one in ended), [one.stderr for one in ended]


def test_a_program_that_differs_ends_with_its_line(many: Callable[..., Many]) -> None:
    parties = many(timeout_s=10)
    program = parties.tacit.write("steps.py", STEPS.format(fault="pass"))
    other = parties.tacit.write("other.py", STEPS.format(fault="pass").replace("x * y", "x + y"))
    running = {party: parties.start(party, program) for party in ("p1", "p2")}
    running["p3"] = parties.start("p3", other)
    ended = {party: one.wait() for party, one in running.items()}
    assert all(one.code in (5, 6) and one.stdout == "" for one in ended.values()), ended
    assert any("program" in one.stderr for one in ended.values()), [one.stderr for one in ended.values()]


def test_a_party_joins_once(many: Callable[..., Many]) -> None:
    parties = many(timeout_s=10)
    program = parties.tacit.write("steps.py", STEPS.format(fault="await asyncio.sleep(3)"))
    given = ["--input", json.dumps({"party": "p3", "step": 3})]
    running = {party: parties.start(party, program, *given) for party in ("p1", "p2", "p3")}
    time.sleep(1)
    again = parties.start("p2", program, *given)
    ended = {party: one.wait() for party, one in running.items()}
    second = again.wait()
    # Whichever of the two came first takes part; the other never does.
    good = [one for one in (ended["p2"], second) if one.code == 0]
    assert len(good) == 1, (ended["p2"].stderr, second.stderr)
    assert good[0].outputs == {"p2": EXPECTED}
    assert ended["p1"].outputs == {"p1": EXPECTED}


def test_masks_are_fresh_after_a_restart(many: Callable[..., Many]) -> None:
    parties = many()
    program = parties.tacit.write(
        "draw.py", "async def main(rt):\n    return await rt.open(rt.random(8) + rt.random_bits(8))\n"
    )
    drawn = []
    for _ in range(2):
        ended = [one.wait().outputs for one in parties.start_all(program).values()]
        assert ended[0]["p1"] == ended[1]["p2"] == ended[2]["p3"]
        drawn += ended[0]["p1"]
    assert len(set(drawn)) == 16
