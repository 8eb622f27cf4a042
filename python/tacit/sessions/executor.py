"""The executor of a session: the interface to what computes for it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NoReturn

from tacit._native import Array, Graph, Kind, PartyEnd, ProgramError, UsageError
from tacit.language.values import Port, nothing
from tacit.options import RunOptions
from tacit.sessions.awaited import Awaited
from tacit.sessions.tasks import Path

if TYPE_CHECKING:
    from tacit.programs import Source

FRONT = [str(FilePath(__file__).parents[1] / folder) for folder in ("language", "sessions", "tastyl")]
"""The folders through which programs call; errors name the line that called."""


@dataclass(frozen=True)
class Call:
    """A compiled program to run or to prepare."""

    source: Source
    options: RunOptions
    task: str
    """The name of a task of its own in which it runs, among three parties or more."""
    roles: Mapping[str, str] | None = None
    """The party that speaks for each role, if the session file does not name it."""
    prepared: bool = False
    """Whether its setup comes from the store."""


@dataclass(frozen=True)
class Material:
    """Prepared material of programs among three parties or more, by kind; masks by their number of bits."""

    bits: int
    comparisons: int
    masks: Mapping[int, int]

    def counts(self) -> list[tuple[str, int, int | None]]:
        """The requested kinds, each with its count, and masks with their number of bits."""
        counts: list[tuple[str, int, int | None]] = [
            ("bits", self.bits, None),
            ("comparisons", self.comparisons, None),
            *(("masks", count, size) for size, count in sorted(self.masks.items())),
        ]
        for what, count, _ in counts:
            if count < 0:
                raise UsageError(f"cannot prepare {count} {what}")
        return [one for one in counts if one[1] > 0]


class Executor(ABC):
    """Computes for a session, with two parties or with more."""

    parties: list[str]
    """The computing parties, in the order of their names."""

    @property
    @abstractmethod
    def graph(self) -> Graph | PartyEnd:
        """Makes arrays, once the others were met."""

    @abstractmethod
    async def meet(self, awaited: Awaited, ask: Callable[[], Any]) -> None:
        """Meets the other parties. `ask` returns the native half of the running task."""

    @abstractmethod
    def task(self, path: Path) -> Any:
        """The native half of a task."""

    @abstractmethod
    def end_task(self, task: Any) -> None:
        """Ends a task, which writes nothing more."""

    @abstractmethod
    def input(self, port: Port, party: str, value: Any) -> Array:
        """An input of a party; only that party has a `value`."""

    @abstractmethod
    def kept(self, name: str, kind: Kind, shape: tuple[int, ...]) -> Array:
        """The value that earlier sessions have kept under a name."""

    @abstractmethod
    def keep(self, name: str, value: Any) -> None:
        """Keeps a value under a name when the session ends."""

    @abstractmethod
    def open(self, x: Any, to: Collection[str] | None) -> asyncio.Future[Any]:
        """Opens a value to all parties, or to those that are named."""

    @abstractmethod
    def submit(self) -> None:
        """Lets everything that was written run now."""

    @abstractmethod
    def run(self, call: Call, inputs: Mapping[str, str]) -> asyncio.Future[dict[str, str]]:
        """Runs a compiled program, from JSON inputs of this party's roles to their JSON outputs."""

    @abstractmethod
    def prepare(self, call: Call | None, count: int, material: Material) -> asyncio.Future[Any]:
        """Prepares runs of a program, or material, into the stores of all parties."""

    def phases(self) -> list[dict[str, Any]]:
        """The costs of each phase so far, as in a report; empty if they are only known at the end."""
        return []

    @abstractmethod
    async def finish(self, tasks: Collection[Any]) -> dict[str, Any]:
        """Waits until everything that was written has run, and returns the report. `tasks` have not ended."""

    @abstractmethod
    async def leave(self, why: str | None) -> None:
        """Leaves the others; `why` is the reason for them, if this party gives up."""


def opened_nothing(x: Array, known: bool) -> asyncio.Future[Any]:
    """The result of opening an array without elements: known at once, since nothing is sent."""
    opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    opened.set_result(nothing(x.shape) if known else None)
    return opened


def refuse(what: str, where: str, instead: str) -> NoReturn:
    """Refuses what a session with this number of parties cannot do."""
    raise UsageError(f"{what} is not possible {where}: {instead}")


def closed() -> NoReturn:
    """Refuses the use of a session outside of its `async with`."""
    raise ProgramError("the session is not open; use it within `async with`")
