"""The outputs of a run, available at once or later."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

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
        self._run: Results | Future[Results] = _begun(work) if _in_event_loop() else work()
        self._cancel = cancel

    def _results(self) -> Results:
        return self._run if isinstance(self._run, Results) else self._run.result()

    @property
    def reports(self) -> dict[str, dict[str, Any]]:
        """The report of each party that ran here; empty for a computation in the clear."""
        return self._results().reports

    def to_arrow(self, role: str) -> Any:
        """The outputs of a role as a table of pyarrow, with a column for each; all must have one length.

        Errors: `UsageError` if their lengths differ, or if no Arrow type holds their numbers.
        """
        from tacit.tables import table_of

        return table_of(self[role], f"the outputs of {role}")

    def __getitem__(self, role: str) -> Mapping[str, Any]:
        return self._results().outputs[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results().outputs)

    def __len__(self) -> int:
        return len(self._results().outputs)

    def __repr__(self) -> str:
        is_done = isinstance(self._run, Results) or self._run.done()
        return repr(self._results().outputs) if is_done else "<outputs to come>"

    def __await__(self) -> Generator[Any, None, Outputs]:
        if isinstance(self._run, Results):
            return self
        import asyncio

        ended = asyncio.wrap_future(self._run)
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


def _begun(work: Callable[[], Results]) -> Future[Results]:
    """The results of work that a thread does."""
    from concurrent.futures import Future

    future: Future[Results] = Future()

    def done() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # whatever it is, it is raised where the result is awaited
            future.set_exception(error)

    threading.Thread(target=done, daemon=True).start()
    return future


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
