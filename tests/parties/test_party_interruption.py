"""Parties that are interrupted in the middle of a compiled program."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import LISTENING, Many, Tacit, wait_for_socket

LIMIT_S = 60

# Over the slow links its layers of ANDs take a minute or more.
LONG = """
void grind(unsigned INPUT_A_x, unsigned INPUT_B_y)
{
    unsigned OUTPUT_z = INPUT_A_x;
    for (int i = 0; i < 400; i++)
        OUTPUT_z = OUTPUT_z * INPUT_B_y + INPUT_A_x;
}
"""

WITHIN = """
import asyncio
from pathlib import Path

async def main(rt):
    given = {"p1": {"A": {"x": 3}}, "p2": {"B": {"y": 5}}}
    run = asyncio.ensure_future(rt.run("grind", given.get(rt.party, {})))
    # What is opened beside it tells that all are there.
    await rt.open(rt.constant(1) + rt.random())
    Path(f"begun-{rt.party}").touch()
    return await run
"""

SLOW = ("--net", "10mbit,20ms")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("party", ["p1", "p3"])
def test_an_interruption_ends_a_compiled_program_at_all(
    many: Callable[..., Many], tacit: Tacit, compiled: Callable[[str], Path], party: str, number: int
) -> None:
    (tacit.folder / "grind").symlink_to(compiled(LONG))
    three, program = many(timeout_s=20), tacit.write("within.py", WITHIN)
    running = three.start_all(program, "--modulus", "256", *SLOW)
    until = time.monotonic() + LIMIT_S
    while not all((tacit.folder / f"begun-{one}").exists() for one in three.names):
        assert time.monotonic() < until, {name: one.process.poll() for name, one in running.items()}
        time.sleep(0.05)
    time.sleep(0.5)
    assert all(one.process.poll() is None for one in running.values()), "in the middle"
    running[party].process.send_signal(number)
    running[party].wait().failed(130, "interrupted")
    for name, one in running.items():
        if name != party:
            ended = one.wait()
            ended.failed(ended.code if ended.code in (5, 6) else 5, party)


def test_a_party_of_a_compiled_program_is_interrupted_while_it_waits(
    many: Callable[..., Many], tacit: Tacit
) -> None:
    tacit.write("grind.c", LONG)
    # Longer than a command may take.
    three = many(timeout_s=600)
    running = three.start("p1", "grind.c", "--input", json.dumps({"x": 3}))
    wait_for_socket(three.host, three.port("p1"), LISTENING)
    running.process.send_signal(signal.SIGINT)
    running.wait().failed(130, "interrupted")
