"""The process of one party of a local run; `tacit.local` describes its messages."""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit import PartySession, Program, SecretKey, Session, TacitError, _native
from tacit.exit_codes import ExitCode, exit_code

Run = Callable[[Session, SecretKey, _native.Listener], tuple[dict[str, str], str]]
"""Takes part in a run; returns the JSON outputs of roles, and a report."""

_TOLD = sys.stdout
"""The stream that the parent reads."""


def main() -> int:
    """Takes part in one run and reports every step to the parent."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _take_part()
    except (KeyboardInterrupt, EOFError):  # also where an error is being reported
        return _fail(ExitCode.INTERRUPTED, "interrupted")


def _take_part() -> int:
    try:
        job = _read_line()
        run = _shared(job) if "file" in job else _among(job) if "roles" in job else _compiled(job)
        listener, key = _native.Listener.bind("127.0.0.1:0"), SecretKey.generate()
        _say(event="listening", address=listener.address, public_key=key.public)
        session = Session.parse(_read_line()["session"], "local session")
        threading.Thread(target=_end_with_parent, daemon=True).start()
        outputs, report = run(session, key, listener)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _say(event="result", outputs=outputs, report=report)
    except TacitError as error:
        return _fail(exit_code(error), str(error))
    return ExitCode.OK


def _compiled(job: dict[str, Any]) -> Run:
    """A compiled program."""
    program = Program.from_bytes(sys.stdin.buffer.read(job["program_bytes"]), job["source"])

    def run(session: Session, key: SecretKey, listener: _native.Listener) -> tuple[dict[str, str], str]:
        given = (program, session, job["party"], key, job["inputs"])
        return _native.run(
            *given, listener=listener, progress=_progress, traffic=_traffic_of(job), **job["options"]
        )

    return run


def _among(job: dict[str, Any]) -> Run:
    """A compiled program among any number of parties."""
    from tacit.options import RunOptions
    from tacit.party_program import take_part_in

    program = Program.from_bytes(sys.stdin.buffer.read(job["program_bytes"]), job["source"])
    part = (program, job["inputs"], job["roles"], RunOptions(**job["options"]))
    terms = {name: job[name] for name in ("threshold", "modulus")}

    def run(session: Session, key: SecretKey, listener: _native.Listener) -> tuple[dict[str, str], str]:
        return take_part_in(
            *part, session, job["party"], key, **terms, listener=listener, traffic=_traffic_of(job)
        )

    return run


def _shared(job: dict[str, Any]) -> Run:
    """A program among any number of parties. What it prints goes to standard error."""
    from tacit.party_program import take_part
    from tacit.programs import load_party_program

    sys.stdout = sys.stderr
    program = load_party_program(Path(job["file"]), job["name"])
    terms = {name: job[name] for name in ("threshold", "modulus", "net", "planned_link", "profile", "inputs")}

    def run(session: Session, key: SecretKey, listener: _native.Listener) -> tuple[dict[str, str], str]:
        own = PartySession(session, job["party"], key, listener=listener, **terms)
        result, report = take_part(program, own, _traffic_of(job))
        return {job["party"]: result}, report

    return run


def _read_line() -> dict[str, Any]:
    line = sys.stdin.buffer.readline()
    if not line:
        raise EOFError
    message: dict[str, Any] = json.loads(line)
    return message


def _end_with_parent() -> None:
    """Waits until the parent hangs up, then interrupts the run."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    _thread.interrupt_main(signal.SIGINT)


def _progress(phase: str, done: int, total: int) -> None:
    _say(event="progress", phase=phase, done=done, total=total)


def _traffic_of(job: dict[str, Any]) -> Callable[[str, int, int, int], None] | None:
    """The function that reports the traffic of the run, if the parent asks for it."""
    return _traffic if job["watched"] else None


def _traffic(phase: str, sent: int, received: int, predicted: int) -> None:
    _say(event="traffic", phase=phase, sent=sent, received=received, predicted=predicted)


def _say(**event: object) -> None:
    _TOLD.write(json.dumps(event) + "\n")
    _TOLD.flush()


def _fail(code: ExitCode, message: str) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _say(event="error", code=int(code), message=message)
    return code


if __name__ == "__main__":
    sys.exit(main())
