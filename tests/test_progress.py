"""Progress of runs from Python: functions that are told, and bars on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import tacit as t

PHASES = ("analysis", "setup", "online")
INPUTS = {"alice": {"fortune": 12}, "bob": {"fortune": 7}}

PROGRAM = """
import tacit as t


@t.function
def richer(alice, bob):
    t.output("richer", alice.input("fortune", t.u32) > bob.input("fortune", t.u32), alice, bob)


if __name__ == "__main__":
    print(richer.local(alice={"fortune": 12}, bob={"fortune": 7}, progress=True)["bob"])
"""


@t.function
def richer(alice: t.Role, bob: t.Role) -> None:
    t.output("richer", alice.input("fortune", t.u32) > bob.input("fortune", t.u32), alice, bob)


def test_a_function_is_told_the_phases() -> None:
    told: list[tuple[str, int, int]] = []
    outputs = richer.using(progress=lambda *given: told.append(given)).local(**INPUTS)
    assert outputs["bob"] == {"richer": True}
    # A phase that is over in no time may go by untold, but for the last.
    phases = list(dict.fromkeys(phase for phase, _, _ in told))
    assert phases[-1] == "online"
    assert phases == [phase for phase in PHASES if phase in phases]
    assert all(0 <= done <= (total or done) for _, done, total in told)


def test_in_one_process_there_is_none() -> None:
    with pytest.raises(t.UsageError, match=r"richer\.run shows no progress; use richer\.local"):
        richer.run(**INPUTS, progress=True)  # type: ignore[call-arg]


def test_bars_are_drawn_on_a_terminal_alone(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    quiet = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert (quiet.stdout, quiet.stderr) == ("{'richer': True}\n", "")
    drawn = _drawn(program)
    assert any(phase.encode() in drawn for phase in PHASES)


def test_a_file_called_rich_beside_the_program_is_left_alone(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "rich.py").write_text("raise SystemExit('a file of the user')")
    assert _drawn(program) == b""


def _drawn(program: Path) -> bytes:
    """What a program, whose result is right, writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=theirs, text=True) as run:
        os.close(theirs)
        drawn = b""
        while part := _read(ours):
            drawn += part
        assert run.stdout is not None
        assert run.stdout.read() == "{'richer': True}\n"
    os.close(ours)
    return drawn


def _read(terminal: int) -> bytes:
    """What a program has written to a terminal; nothing once it has closed it."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
