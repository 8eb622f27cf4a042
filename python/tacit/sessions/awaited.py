"""The futures of a session by number, which events of the native module complete."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Event = tuple[int, Any, Exception | None]
"""The number of a future, with its result or an error."""


@dataclass
class _Waiting:
    future: asyncio.Future[Any]
    decode: Callable[[Any], Any]
    counted: bool = False


class Awaited:
    """Futures by the numbers that the native module uses for them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count()
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def expect(self, decode: Callable[[Any], Any]) -> tuple[int, asyncio.Future[Any]]:
        """A number, and the future with this number; `decode` turns what the event has into the result."""
        number, future = next(self._numbers), self._loop.create_future()
        self._waiting[number] = _Waiting(future, decode)
        return number, future

    def begin(self, work: Callable[[int], object], decode: Callable[[Any], Any]) -> asyncio.Future[Any]:
        """The future of what `work` begins under a number. `idle` waits for it."""
        number, future = self.expect(decode)
        try:
            work(number)
        except BaseException:
            del self._waiting[number]
            raise
        self._waiting[number].counted = True
        self._count += 1
        self._idle.clear()
        return future

    def deliver(self, events: Iterable[Event]) -> None:
        """Completes the futures of events."""
        for number, answer, error in events:
            waiting = self._waiting.pop(number)
            self._count -= waiting.counted
            if waiting.future.done():
                continue
            try:
                result = None if error is not None else waiting.decode(answer)
            except Exception as wrong:  # any exception is raised where the result is awaited
                error = wrong
            if error is not None:
                waiting.future.set_exception(error)
                # Nobody need await it. Retrieved at once, since an interruption may end the loop before any
                # callback runs, and asyncio would warn of an error that nobody has seen.
                waiting.future.exception()
            else:
                waiting.future.set_result(result)
        if self._count == 0:
            self._idle.set()

    def listen(self, descriptor: int, events: Callable[[], Iterable[Event]]) -> Callable[[], object]:
        """Handles events whenever there are some, until the returned function is called."""
        self._loop.add_reader(descriptor, lambda: self.deliver(events()))
        return lambda: self._loop.remove_reader(descriptor)

    async def idle(self) -> None:
        """Returns when everything that was begun is done."""
        await self._idle.wait()


def nothing(_: Any) -> None:
    """The result of work without a value."""


def raise_first(results: Sequence[object], *echoes: type[Exception]) -> None:
    """Raises the first error. Errors of the classes `echoes`, which are consequences of others, come last."""
    errors = [result for result in results if isinstance(result, BaseException)]
    for error in sorted(errors, key=lambda error: [isinstance(error, echo) for echo in reversed(echoes)]):
        raise error
