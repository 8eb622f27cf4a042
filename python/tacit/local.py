"""Runs every party as its own process on this machine, over TLS on loopback.

A child reads its task from standard input and answers on standard output; each message is a line of JSON:

    to the child      {"party", "program_bytes", "source", "inputs", "options"}, then the program; or
                      {"party", "program_bytes", "source", "inputs", "options", "roles", "threshold",
                      "modulus"}, then the program, which is for any number of parties; or
                      {"party", "file", "name", "inputs", "threshold", "modulus", "net",
                      "planned_link", "profile"}, a program among any number of parties; each with
                      {"watched"}: whether to report traffic;
                      {"session"} once every party listens
    from the child    {"event": "listening", "address", "public_key"}, {"event": "progress", …},
                      {"event": "traffic", …}, {"event": "result", …} or {"event": "error", …}

Each child takes a free port itself and reports it, so that no other process can take the port in between. It
makes its own key for this run, which never leaves its memory. It ends the run when its standard input closes,
so no child outlives this process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

from tacit import PeerError, Program, TacitError, UsageError
from tacit.exit_codes import ExitCode, error_from
from tacit.options import USUAL, RunOptions
from tacit.sessions.speakers import KEPT

GRACE_S = 5.0
"""How long a child may take to end a run that is over for another reason, before it is killed."""

COMPUTING = 2
"""Number of parties that compute."""

Progress = Callable[[str, int, int], object]
Traffic = Callable[[str, str, int, int, int], object]
"""A function called with a party, its phase, the bytes sent and received in it, and the predicted bytes."""


@dataclass(frozen=True)
class PartyResult:
    """The result of one party: the JSON outputs of its roles, and its report."""

    party: str
    outputs: dict[str, str]
    report: str


@dataclass(frozen=True)
class _Listening:
    """The address on which a party listens, and its public key."""

    address: str
    public_key: str


def run_local(
    program: Program,
    inputs: Mapping[str, str],
    options: RunOptions = USUAL,
    *,
    progress: Progress | None = None,
    traffic: Traffic | None = None,
) -> list[PartyResult]:
    """Runs every role as a separate party and returns the parties' results in the program's order.

    The first two compute; others give inputs and take outputs.
    """
    if KEPT in program.roles:
        raise UsageError(
            "the program keeps shares between runs, but parties of a local run have keys for one run only; "
            "name a session, or compute in the clear"
        )
    jobs = {
        role: {"inputs": {role: inputs[role]} if role in inputs else {}, "options": options.given()}
        for role in program.roles
    }
    return run_parties(jobs, program, computing=COMPUTING, progress=progress, traffic=traffic)


def run_parties(
    jobs: Mapping[str, Mapping[str, Any]],
    program: Program | None = None,
    *,
    computing: int | None = None,
    progress: Progress | None = None,
    traffic: Traffic | None = None,
) -> list[PartyResult]:
    """Gives each party its job and returns the parties' results. The first `computing` compute, or all."""
    encoded, common = b"", dict[str, Any]()
    if program is not None:
        encoded = program.to_bytes()
        common = {"program_bytes": len(encoded), "source": program.source}
    common["watched"] = traffic is not None
    with Children(progress, traffic) as children:
        for party in jobs:
            children.start(party)
        for party, job in jobs.items():
            children.tell(party, json.dumps({"party": party, **common, **job}).encode() + b"\n" + encoded)
        children.tell_all({"session": session_file(children.listening(), computing)})
        return children.results()


def session_file(parties: Mapping[str, _Listening], computing: int | None = None) -> str:
    """The session file of listening parties. The first `computing` of them compute, or all."""
    tables = [
        f"[party.{json.dumps(role)}]\naddress = {json.dumps(at.address)}\nkey = {json.dumps(at.public_key)}"
        + ("" if computing is None or number < computing else "\ncomputes = false")
        for number, (role, at) in enumerate(parties.items())
    ]
    return "\n".join(tables)


@dataclass(frozen=True)
class _Failure:
    """The error of a party, and how far it may be from the cause."""

    error: TacitError
    distance: int

    @staticmethod
    def told(party: str, code: int, message: str) -> _Failure:
        error = error_from(code, f"party {party}: {message}")
        if code == ExitCode.INTERRUPTED:
            return _Failure(error, 3)
        return _Failure(error, 2 if isinstance(error, PeerError) else 0)

    @staticmethod
    def crash(party: str, code: int) -> _Failure:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return _Failure(PeerError(f"party {party}: its process ended unexpectedly ({how})"), 1)


class Children:
    """The processes of a run, and the events that they have reported."""

    def __init__(self, progress: Progress | None, traffic: Traffic | None = None) -> None:
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._events: queue.SimpleQueue[tuple[str, dict[str, Any]]] = queue.SimpleQueue()
        self._progress, self._traffic = progress, traffic
        self._errors: dict[str, _Failure] = {}
        self._results: dict[str, PartyResult] = {}

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def start(self, party: str) -> None:
        """Starts the process of a party, which then waits for its task."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tacit.local_party"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C reaches this process, which ends the children in order
            env={**os.environ, "PYTHONSAFEPATH": "1"},
        )
        self._processes[party] = process
        assert process.stdout is not None
        threading.Thread(target=self._listen, args=(party, process.stdout), daemon=True).start()

    def tell(self, party: str, data: bytes) -> None:
        """Writes to one child."""
        stream = self._processes[party].stdin
        assert stream is not None
        with contextlib.suppress(OSError):  # the end of its output shows that a child has ended
            stream.write(data)
            stream.flush()

    def tell_all(self, message: Mapping[str, Any]) -> None:
        """Sends one line to every child."""
        for party in self._processes:
            self.tell(party, json.dumps(message).encode() + b"\n")

    def listening(self) -> dict[str, _Listening]:
        """Waits until all parties listen. Returns their addresses and keys, in the order of their starts."""
        found: dict[str, _Listening] = {}
        while len(found) < len(self._processes):
            party, event = self._events.get()
            if event["event"] == "listening":
                found[party] = _Listening(event["address"], event["public_key"])
            elif event["event"] in ("error", "end"):
                self._note(party, event)
                raise self._root_error()
        return {party: found[party] for party in self._processes}

    def results(self) -> list[PartyResult]:
        """The parties' results, in the order in which they were started."""
        waiting = set(self._processes)
        deadline: float | None = None
        while waiting:
            try:
                party, event = self._events.get(timeout=_left(deadline))
            except queue.Empty:
                break
            if self._note(party, event):
                waiting.discard(party)
                if self._errors and deadline is None:
                    deadline = time.monotonic() + GRACE_S
                    self._hang_up()
        if self._errors:
            raise self._root_error()
        return [self._results[party] for party in self._processes]

    def _note(self, party: str, event: dict[str, Any]) -> bool:
        """Records an event. Returns whether the party is done."""
        kind: str = event["event"]
        if kind == "progress" and self._progress and party == next(iter(self._processes)):
            self._progress(event["phase"], event["done"], event["total"])
        elif kind == "traffic" and self._traffic:
            self._traffic(party, event["phase"], event["sent"], event["received"], event["predicted"])
        elif kind == "result":
            self._results[party] = PartyResult(party, event["outputs"], event["report"])
        elif kind == "error":
            self._errors[party] = _Failure.told(party, event["code"], event["message"])
        elif kind == "end" and party not in self._results and party not in self._errors:
            self._errors[party] = _Failure.crash(party, self._processes[party].wait())
        return kind == "end"

    def _root_error(self) -> TacitError:
        """The error to show: the one closest to the cause."""
        return min(self._errors.values(), key=lambda failure: failure.distance).error

    def _listen(self, party: str, stream: IO[bytes]) -> None:
        """Turns what a child writes into events; runs in a thread of its own."""
        with contextlib.suppress(ValueError, OSError):
            for line in stream:
                self._events.put((party, json.loads(line)))
        self._events.put((party, {"event": "end"}))

    def _hang_up(self) -> None:
        """Asks all children to end their runs."""
        for process in self._processes.values():
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()

    def _end(self) -> None:
        """Ends all children."""
        self._hang_up()
        deadline = time.monotonic() + GRACE_S
        for process in self._processes.values():
            try:
                process.wait(_left(deadline))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())
