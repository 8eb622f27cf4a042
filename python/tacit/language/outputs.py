"""The outputs of a run, available at once or later."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from tacit.tables import table_of

GRACE_S = 3.0
"""How long a run that is cancelled may take to tell its peer."""


@dataclass(frozen=True)
class Results:
    """The outputs of each role by name, and the report of each party that ran here."""

    outputs: dict[str, dict[str, Any]]
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)


class Outputs(Mapping[str, Mapping[str, Any]]):
    """The outputs of a run by role: `outputs["client"]["index"]`. Within a coroutine, `await` them first."""

    def __init__(self, work: Callable[[], Results], cancel: Callable[[], None] | None = None) -> None:
        """`cancel`, if given, ends the work early."""
        self._future: Future[Results] = Future()
        self._cancel = cancel
        if _in_event_loop():
            threading.Thread(target=self._work, args=(work,), daemon=True).start()
        else:
            self._future.set_result(work())

    def _work(self, work: Callable[[], Results]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as error:  # whatever it is, it is raised where the result is awaited
            self._future.set_exception(error)

    @property
    def reports(self) -> dict[str, dict[str, Any]]:
        """The report of each party that ran here; empty for a computation in the clear."""
        return self._future.result().reports

    def to_arrow(self, role: str) -> Any:
        """The outputs of a role as a table of pyarrow, with a column for each; all must have one length.

        Errors: `UsageError` if their lengths differ, or if no Arrow type holds their numbers.
        """
        return table_of(self[role], f"the outputs of {role}")

    def __getitem__(self, role: str) -> Mapping[str, Any]:
        return self._future.result().outputs[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._future.result().outputs)

    def __len__(self) -> int:
        return len(self._future.result().outputs)

    def __repr__(self) -> str:
        return repr(self._future.result().outputs) if self._future.done() else "<outputs to come>"

    def __await__(self) -> Generator[Any, None, Outputs]:
        import asyncio

        ended = asyncio.wrap_future(self._future)
        # Who is cancelled need not know how the run ended.
        ended.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            yield from asyncio.shield(ended).__await__()
        except asyncio.CancelledError:
            if self._cancel is not None:
                self._cancel()
                # The peer is told before whoever cancelled goes on.
                yield from asyncio.wait([ended], timeout=GRACE_S).__await__()
            raise
        return self


def _in_event_loop() -> bool:
    """Whether the caller is within a coroutine, which waiting would block."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
