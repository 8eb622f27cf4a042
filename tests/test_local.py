"""Local runs: every party its own process, none left behind, and the same results as in the clear."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import EXAMPLES, Running, Tacit
from test_faults import LONG, MODES, SLOW

Made = dict[str, dict[str, object]]


def uint(bits: int) -> int:
    corners = [0, 1, (1 << bits) - 1, random.randrange(1 << bits)]
    return corners[random.randrange(len(corners))]


def millionaires() -> Made:
    return {"A": {"mil": uint(32)}, "B": {"mil": uint(32)}}


def sint(bits: int) -> int:
    return uint(bits) - (1 << (bits - 1))


def nearest() -> Made:
    taxis = [{"id": uint(16), "x": sint(16), "y": sint(16)} for _ in range(12)]
    return {"A": {"taxis": taxis}, "B": {"here": {"x": sint(16), "y": sint(16)}}}


PROGRAMS: dict[str, Callable[[], Made]] = {"millionaires.c": millionaires, "nearest.c": nearest}


def given(inputs: Made) -> list[str]:
    return [f"--input={role}={json.dumps(values)}" for role, values in inputs.items()]


@MODES
@pytest.mark.parametrize("program", PROGRAMS)
def test_local_equals_clear(tacit: Tacit, program: str, mode: str) -> None:
    for _ in range(2):
        arguments = given(PROGRAMS[program]())
        local = tacit("run", EXAMPLES / program, "--local", "--mode", mode, *arguments)
        assert local.outputs == tacit("run", EXAMPLES / program, "--clear", *arguments).outputs


def test_the_report_has_every_party(tacit: Tacit) -> None:
    result = tacit(
        "run", EXAMPLES / "millionaires.c", "--local", "--report", "r.json", *given(millionaires())
    )
    assert result.code == 0
    report = json.loads((tacit.folder / "r.json").read_text())
    assert list(report) == ["A", "B"]


def test_plans_are_made_for_the_link_that_is_named(tacit: Tacit) -> None:
    lesser = """
        int INPUT_A_x[1000], INPUT_B_y[1000], OUTPUT_lesser[1000];
        void lesser(void) {
            for (int i = 0; i < 1000; i++)
                OUTPUT_lesser[i] = INPUT_A_x[i] < INPUT_B_y[i] ? INPUT_A_x[i] : INPUT_B_y[i];
        }
    """
    path = tacit.write("lesser.c", lesser)
    inputs: Made = {"A": {"x": [sint(32) for _ in range(1000)]}, "B": {"y": [sint(32) for _ in range(1000)]}}
    clear = tacit("run", path, "--clear", *given(inputs)).outputs
    rounds = {}
    for link in ("lan", "wan"):
        asked = ["--domain", "bool", "--planned-link", link, "--report", f"{link}.json"]
        assert tacit("run", path, "--local", *asked, *given(inputs)).outputs == clear
        report = json.loads((tacit.folder / f"{link}.json").read_text())["A"]
        rounds[link] = report["phases"][2]["rounds"]
    assert rounds["wan"] < rounds["lan"]


def children(running: Running) -> list[int]:
    """The processes that a command has started."""
    found: list[int] = []
    for task in Path(f"/proc/{running.process.pid}/task").iterdir():
        # A thread may have ended since it was listed.
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (task / "children").read_text().split())
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def long_run(tacit: Tacit, mode: str = "streamed") -> tuple[Running, list[int]]:
    """A local run that takes long, and its two parties' processes."""
    tacit.write("grind.c", LONG)
    running = tacit.start(
        "run", "grind.c", "--local", "--mode", mode, *SLOW, *given({"A": {"x": 3}, "B": {"y": 5}})
    )
    deadline = time.monotonic() + 30
    found: list[int] = []
    while len(found) < 2 and time.monotonic() < deadline and running.process.poll() is None:
        time.sleep(0.05)
        found = [pid for pid in children(running) if "local_party" in command_line(pid)]
    assert len(found) == 2, running.process.poll()
    time.sleep(1.5)
    assert running.process.poll() is None
    return running, found


def gone(pids: list[int]) -> None:
    """Asserts that the processes end, soon."""
    deadline = time.monotonic() + 15
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline, [command_line(pid) for pid in pids if alive(pid)]
        time.sleep(0.05)


@MODES
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_ends_every_process(tacit: Tacit, mode: str, number: int) -> None:
    running, pids = long_run(tacit, mode)
    running.process.send_signal(number)
    running.wait().failed(130, "interrupted")
    gone(pids)


def test_no_party_outlives_a_killed_parent(tacit: Tacit) -> None:
    running, pids = long_run(tacit)
    running.process.kill()
    gone(pids)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_party_is_named(tacit: Tacit, victim: int) -> None:
    running, pids = long_run(tacit)
    os.kill(pids[victim], signal.SIGKILL)
    running.wait().failed(5, f"party {'AB'[victim]}", "signal 9")
    gone(pids)


def test_a_role_without_its_input(tacit: Tacit) -> None:
    tacit("run", EXAMPLES / "millionaires.c", "--local", "--input", 'A={"mil": 1}').failed(4, "B", "mil")


def test_nothing_is_left_in_the_temporary_folder(tacit: Tacit, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tacit.folder / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    assert tacit("run", EXAMPLES / "millionaires.c", "--local", *given(millionaires())).code == 0
    assert list(temporary.iterdir()) == []
