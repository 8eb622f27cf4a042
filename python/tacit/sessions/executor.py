"""What a session needs of that which computes for it."""

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
    """A compiled program that is to be run or prepared."""

    source: Source
    options: RunOptions
    task: str
    """The name of a task of its own, in which it runs where tasks count."""
    roles: Mapping[str, str] | None = None
    """Which party speaks for each role, where the session file does not say it."""
    prepared: bool = False
    """Whether its setup comes from the store."""


@dataclass(frozen=True)
class Material:
    """What programs among three parties and more need ahead, by kind; masks by their number of bits."""

    bits: int
    comparisons: int
    masks: Mapping[int, int]

    def counts(self) -> list[tuple[str, int, int | None]]:
        """The kinds that are wanted, each with its count, and masks with their number of bits."""
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
    """What computes for a session, with some number of parties."""

    parties: list[str]
    """Those who compute, in the order of their names."""

    graph: Graph | PartyEnd
    """What makes arrays, once the others were met."""

    @abstractmethod
    async def meet(self, awaited: Awaited, ask: Callable[[], Any]) -> None:
        """Meets the other parties. `ask` tells the native half of the task that runs."""

    @abstractmethod
    def task(self, path: Path) -> Any:
        """The native half of a task."""

    @abstractmethod
    def end_task(self, task: Any) -> None:
        """A task writes nothing more."""

    @abstractmethod
    def input(self, port: Port, party: str, value: Any) -> Array:
        """An input of a party; `value` is for that party alone."""

    @abstractmethod
    def kept(self, name: str, kind: Kind, shape: tuple[int, ...]) -> Array:
        """What earlier sessions have kept under a name."""

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
        """What each phase has cost so far, as a report says it; empty where that is known only at the end."""
        return []

    @abstractmethod
    async def finish(self, tasks: Collection[Any]) -> dict[str, Any]:
        """Waits until all that was written has run, and gives the report. `tasks` have not been ended."""

    @abstractmethod
    async def leave(self, why: str | None) -> None:
        """Parts from the others; `why` is for them, if this party gives up."""


def opened_nothing(x: Array, known: bool) -> asyncio.Future[Any]:
    """What opening an array without elements gives: at once, as nothing travels."""
    opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    opened.set_result(nothing(x.shape) if known else None)
    return opened


def refuse(what: str, where: str, instead: str) -> NoReturn:
    """Refuses what a session of so many parties cannot do."""
    raise UsageError(f"{what} is not possible {where}: {instead}")


def closed() -> NoReturn:
    """Refuses the use of a session outside of its `async with`."""
    raise ProgramError("the session is not open; use it within `async with`")
