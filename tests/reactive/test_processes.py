"""Reactive programs between two processes over TLS, and runs that are cancelled."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tacit as t
from conftest import Parties

TIME_LIMIT_S = 60

PROGRAM = """
import asyncio, json, sys
import tacit as t

async def main():
    inputs = {{"x": 1000}} if sys.argv[1] == "A" else {{"y": 37}}
    async with t.session("s.toml", role=sys.argv[1], inputs=inputs) as s:
        x = s.role("A").input("x", t.u16)
        y = s.role("B").input("y", t.u16)
        steps = 0
        while await s.open(x >= y):
            x, steps = (x - y).astype(t.u16), steps + 1
            {extra}
        rest = await s.open(x)
    print(json.dumps([steps, rest, s.report["work"]["output_bits"]]))

try:
    asyncio.run(main())
except t.TacitError as error:
    print(type(error).__name__, error)
    sys.exit(5)
"""


def start(folder: Path, party: str, extra: str = "pass") -> subprocess.Popen[str]:
    """Starts the program of a party."""
    (folder / f"{party}.py").write_text(PROGRAM.format(extra=extra))
    command = [sys.executable, f"{party}.py", party]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_two_processes(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    running = [start(folder, party) for party in "AB"]
    for process in running:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
        assert process.returncode == 0, output
        assert json.loads(output) == [1000 // 37, 1000 % 37, 1000 // 37 + 1 + 16]


@pytest.mark.parametrize("killed", ["A", "B"])
def test_a_killed_peer_is_noticed(parties: Callable[..., Parties], killed: str) -> None:
    folder = parties().tacit.folder
    other = "B" if killed == "A" else "A"
    running = start(folder, other)
    dies = start(folder, killed, f"import os, signal; os.kill(os.getpid(), {int(signal.SIGKILL)})")
    output, _ = running.communicate(timeout=TIME_LIMIT_S)
    dies.communicate(timeout=TIME_LIMIT_S)
    assert dies.returncode == -signal.SIGKILL
    assert running.returncode == 5, output
    assert output.startswith("PeerError")


def test_a_peer_with_another_program(parties: Callable[..., Parties]) -> None:
    folder = parties(timeout_s=10).tacit.folder
    running = [start(folder, "A"), start(folder, "B", "x = x ^ 1")]
    for process in running:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
        assert process.returncode == 5, output
        assert "differ in what their programs do" in output
        for part in ("`lt_u` at A.py:11", "`constant` at B.py:13", "task main, step 9"):
            assert part in output
        # Folders are nobody's business.
        assert os.sep + "A.py" not in output


def test_an_absent_peer_is_awaited_only_so_long(parties: Callable[..., Parties]) -> None:
    folder = parties(timeout_s=1).tacit.folder

    async def run() -> None:
        async with t.session(folder / "s.toml", role="A"):
            pass

    with pytest.raises(t.PeerError):
        asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))


def test_a_session_cancelled_while_it_waits_for_its_peer(parties: Callable[..., Parties]) -> None:
    folder = parties(timeout_s=TIME_LIMIT_S).tacit.folder

    async def enter() -> None:
        async with t.session(folder / "s.toml", role="A"):
            pass

    async def run() -> None:
        task = asyncio.create_task(enter())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S / 2))


@t.function
def larger(A: t.Role, B: t.Role) -> None:  # noqa: N803
    x, y = A.input("x", t.u32), B.input("y", t.u32)
    A.output("larger", x > y)


def test_a_run_is_cancelled(parties: Callable[..., Parties]) -> None:
    folder = parties(timeout_s=TIME_LIMIT_S).tacit.folder
    connection = larger.connect(folder / "s.toml", role="A")

    async def run() -> None:
        async def one() -> None:
            await connection.run(A={"x": 1})

        task = asyncio.create_task(one())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    # The run would wait for its peer for the session's whole time limit.
    asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S / 2))


def test_an_awaited_run_still_gives_its_outputs(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder

    async def run() -> tuple[object, object]:
        first = larger.connect(folder / "s.toml", role="A").run(A={"x": 2})
        second = larger.connect(folder / "s.toml", role="B").run(B={"y": 1})
        return (await first)["A"]["larger"], dict(await second)

    outputs, _ = asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))
    assert outputs is True
