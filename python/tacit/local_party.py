"""The process of one party of a local run; `tacit.local` says how it is spoken to."""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
from typing import Any

from tacit import Program, SecretKey, Session, TacitError, _native
from tacit.exit_codes import ExitCode, exit_code


def main() -> int:
    """Takes part in one run and reports every step to the parent."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _take_part()
    except (KeyboardInterrupt, EOFError):  # also where an error is being reported
        return _fail(ExitCode.INTERRUPTED, "interrupted")


def _take_part() -> int:
    try:
        job, program = _read_job()
        listener, key = _native.Listener.bind("127.0.0.1:0"), SecretKey.generate()
        _say(event="listening", address=listener.address, public_key=key.public)
        session = Session.parse(_read_line()["session"], "local session")
        threading.Thread(target=_end_with_parent, daemon=True).start()
        outputs, report = _native.run(
            program,
            session,
            job["party"],
            key,
            job["inputs"],
            mode=job["mode"],
            garbling=job["garbling"],
            domain=job["domain"],
            effort=job["effort"],
            net=job["net"],
            listener=listener,
            progress=_progress,
        )
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _say(event="result", outputs=outputs, report=report)
    except TacitError as error:
        return _fail(exit_code(error), str(error))
    return ExitCode.OK


def _read_line() -> dict[str, Any]:
    line = sys.stdin.buffer.readline()
    if not line:
        raise EOFError
    message: dict[str, Any] = json.loads(line)
    return message


def _read_job() -> tuple[dict[str, Any], Program]:
    job = _read_line()
    return job, Program.from_bytes(sys.stdin.buffer.read(job["program_bytes"]), job["source"])


def _end_with_parent() -> None:
    """Waits until the parent hangs up, then interrupts the run."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    _thread.interrupt_main(signal.SIGINT)


def _progress(phase: str, done: int, total: int) -> None:
    _say(event="progress", phase=phase, done=done, total=total)


def _say(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _fail(code: ExitCode, message: str) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _say(event="error", code=int(code), message=message)
    return code


if __name__ == "__main__":
    sys.exit(main())
