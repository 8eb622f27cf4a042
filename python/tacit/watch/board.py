"""How far a run is, as its page shows it: phases, bytes and times; nothing of inputs, outputs or keys."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

PHASES = ("analysis", "setup", "online")

RATE_OVER_S = 3.0
"""The rate is that of so many last seconds."""

LOOKS_PER_S = 20
"""How often progress is told; more is not kept for the rate."""

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
"""States of a phase or a run."""


@dataclass(frozen=True)
class _Bytes:
    """What a party has sent and received, and what it is predicted to send and receive together."""

    sent: int = 0
    received: int = 0
    predicted: int = 0


@dataclass
class _Phase:
    """A phase of the run."""

    began: float | None = None
    ended: float | None = None
    done: int = 0
    total: int = 0
    moved: dict[str, _Bytes] = field(default_factory=dict)


class Board:
    """What is known of a run. Threads may tell it and read it at the same time."""

    def __init__(self, program: str) -> None:
        self._lock = threading.Lock()
        self._program, self._parties = program, list[str]()
        self._began = time.monotonic()
        self._phases = {name: _Phase() for name in PHASES}
        self._seen: deque[tuple[float, int]] = deque(maxlen=int(RATE_OVER_S * LOOKS_PER_S))
        self._state, self._ended = RUNNING, 0.0

    def begin(self, program: str, parties: Sequence[str]) -> None:
        """A run of this program begins, of which these parties are told of here."""
        with self._lock:
            self._program, self._parties = program, list(parties)
            self._phases = {name: _Phase() for name in PHASES}
            self._seen.clear()

    def progress(self, phase: str, done: int, total: int) -> None:
        """So much of a phase is done. A total of 0 is unknown."""
        with self._lock:
            entered = self._enter(phase)
            entered.done, entered.total = done, total

    def traffic(self, party: str, phase: str, sent: int, received: int, predicted: int) -> None:
        """A party has moved so many bytes in a phase; so many are predicted, 0 if that is unknown."""
        with self._lock:
            entered = self._enter(phase)
            entered.moved[party] = _Bytes(sent, received, predicted)
            self._seen.append((time.monotonic(), sum(self._moved(each) for each in self._phases.values())))

    def finish(self, state: str) -> None:
        """The run is over: done, or failed."""
        with self._lock:
            self._state, self._ended = state, time.monotonic()
            for phase in self._phases.values():
                if phase.began is not None and phase.ended is None:
                    phase.ended = self._ended

    def snapshot(self) -> dict[str, Any]:
        """All that the page shows, for JSON."""
        with self._lock:
            now = time.monotonic() if self._state == RUNNING else self._ended
            return {
                "program": self._program,
                "state": self._state,
                "seconds": now - self._began,
                "bytes_per_second": self._rate(now),
                "phases": [
                    {
                        "name": name,
                        "state": self._state_of(phase),
                        "seconds": (phase.ended or now) - phase.began if phase.began is not None else 0.0,
                        "done": phase.done if phase.total else self._moved(phase),
                        "total": phase.total or self._predicted(phase),
                        "bytes": self._moved(phase),
                        "predicted_bytes": self._predicted(phase),
                    }
                    for name, phase in self._phases.items()
                ],
                "parties": [self._party(party) for party in self._parties],
            }

    def _party(self, name: str) -> dict[str, Any]:
        moved = [phase.moved.get(name, _Bytes()) for phase in self._phases.values()]
        return {
            "name": name,
            "sent": sum(each.sent for each in moved),
            "received": sum(each.received for each in moved),
        }

    def _enter(self, name: str) -> _Phase:
        """The phase of this name, which has begun; those before it have ended."""
        phase, now = self._phases[name], time.monotonic()
        if phase.began is None:
            phase.began = now
            for earlier in self._phases.values():
                if earlier is phase:
                    break
                if earlier.began is not None and earlier.ended is None:
                    earlier.ended = now
        return phase

    def _state_of(self, phase: _Phase) -> str:
        if phase.began is None:
            return DONE if self._state == DONE else WAITING
        if phase.ended is None:
            return RUNNING
        return self._state if phase.ended == self._ended else DONE

    def _moved(self, phase: _Phase) -> int:
        return sum(each.sent + each.received for each in phase.moved.values()) // self._ends

    def _predicted(self, phase: _Phase) -> int:
        return sum(each.predicted for each in phase.moved.values()) // self._ends

    @property
    def _ends(self) -> int:
        """How often each byte is counted: at both ends, where all parties are here."""
        return 2 if len(self._parties) > 1 else 1

    def _rate(self, now: float) -> float | None:
        """Bytes per second of late; None before there are two looks."""
        recent = [look for look in self._seen if now - look[0] <= RATE_OVER_S]
        if len(recent) < 2 or recent[-1][0] == recent[0][0]:
            return None
        (began, first), (ended, last) = recent[0], recent[-1]
        return (last - first) / (ended - began)
