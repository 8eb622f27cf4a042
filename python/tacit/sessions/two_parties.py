"""Two parties: arrays by garbled circuits as they are written, and compiled programs as their options say."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any, TypeVar

from tacit._native import (
    Array,
    Cancel,
    Kind,
    Listener,
    Live,
    LiveEnd,
    LivePath,
    OpenSession,
    SecretKey,
    Session,
    Store,
    UsageError,
)
from tacit.language.operators import array
from tacit.language.values import Port
from tacit.options import RunOptions
from tacit.sessions.awaited import Awaited, nothing
from tacit.sessions.executor import FRONT, Call, Executor, Material, closed, refuse
from tacit.sessions.speakers import roles_of
from tacit.sessions.tasks import CURRENT, Path

COMPUTING = 2
"""How many parties compute here."""

GRACE_S = 3.0
"""How long a session that is given up may take to tell its peer."""

Result = TypeVar("Result")


class TwoParties(Executor):
    """One of two parties: of arrays, which are garbled as they are written, and of compiled programs."""

    def __init__(self, parties: Collection[str], party: str, end: LiveEnd, programs: Programs | None) -> None:
        """`programs` are none where there is no session file."""
        self.parties, self._party, self._end, self._programs = sorted(parties), party, end, programs
        self._live: Live | None = None

    @classmethod
    def of_session(
        cls,
        session: Session,
        party: str,
        key: SecretKey,
        store: str | PathLike[str] | None,
        shares: str | PathLike[str] | None,
        listener: Listener | None,
        options: Mapping[str, Any],
    ) -> TwoParties:
        """A party of a session file."""
        kept = None if shares is None else str(shares)
        end = LiveEnd.of_session(session, party, key, listener=listener, shares=kept, **options)
        programs = Programs(session, party, key, store, {"listener": listener, **options})
        return cls(session.computing, party, end, programs)

    @classmethod
    def pair(cls, first: str, second: str, timeout_s: float | None, options: RunOptions) -> list[TwoParties]:
        """Both parties, over memory."""
        ends = LiveEnd.pair(first, second, timeout_s=timeout_s, **options.given())
        names = (first, second)
        return [cls(names, name, end, None) for name, end in zip(names, ends, strict=True)]

    @property
    def live(self) -> Live:
        """The program that grows, once the peer was met."""
        return self._live or closed()

    async def meet(self, awaited: Awaited, ask: Callable[[], LivePath]) -> None:
        self._awaited = awaited
        loop, found = asyncio.get_running_loop(), weakref.ref(self)

        def submit() -> None:
            executor = found()
            if executor is not None and executor._live is not None:
                executor.submit()

        def wake() -> None:
            loop.call_soon(submit)

        (ready, met), (ended, self._over) = awaited.expect(nothing), awaited.expect(json.loads)
        live = self._end.start(ready, ended, current=CURRENT, ask=ask, wake=wake, front=FRONT)
        self._live, self._part = live, awaited.listen(live.fileno(), live.events)
        try:
            await asyncio.wait([met, self._over], return_when=asyncio.FIRST_COMPLETED)
            if self._over.done():
                self._over.result()
        except BaseException:
            await self.leave(None)
            raise
        self.graph = live.graph

    def task(self, path: Path) -> LivePath:
        return self.live.path(path.shown())

    def end_task(self, task: LivePath) -> None:
        self.live.end_path(task)

    def input(self, port: Port, party: str, value: Any) -> Array:
        text = port.text(value) if party == self._party else None
        return self.live.input(port.role, port.name, port.kind, port.shape, text)

    def kept(self, name: str, kind: Kind, shape: tuple[int, ...]) -> Array:
        return self.live.kept(name, kind, shape)

    def keep(self, name: str, value: Any) -> None:
        self.live.keep(name, array(value))

    def open(self, x: Any, to: Collection[str] | None) -> asyncio.Future[Any]:
        made = array(x)
        me = to is None or self._party in to
        peer = to is None or any(party != self._party for party in to)
        port = Port("", "", made.kind, made.shape)

        def decode(text: str | None) -> Any:
            return None if text is None else port.decode(json.loads(text))

        opened = self._awaited.begin(lambda number: self.live.open(made, me, peer, number), decode)
        self.submit()
        return opened

    def submit(self) -> None:
        self.live.submit()

    def run(self, call: Call, inputs: Mapping[str, str]) -> asyncio.Future[dict[str, str]]:
        if call.roles is not None:
            refuse("roles=…", "between two parties", "the session file says who speaks for whom")
        return self._unless_over(self._of_file().run(call, inputs))

    def prepare(self, call: Call | None, count: int, material: Material) -> asyncio.Future[Any]:
        if call is None or material.counts():
            refuse("material without a program", "between two parties", "write prepare(program, count)")
        return self._unless_over(self._of_file().prepare(call, count))

    def _unless_over(self, work: asyncio.Future[Result]) -> asyncio.Future[Result]:
        """The result of work with the peer, or why the session has ended before."""
        programs, result = self._of_file(), asyncio.get_running_loop().create_future()

        def done(first: asyncio.Future[Any]) -> None:
            if first is self._over:
                programs.cancel()
            error = None if first.cancelled() else first.exception()
            if first.cancelled() or result.done():
                return
            if error is not None:
                result.set_exception(error)
            elif first is work:
                result.set_result(work.result())

        work.add_done_callback(done)
        self._over.add_done_callback(done)
        result.add_done_callback(lambda _: self._over.remove_done_callback(done))
        return result

    def _of_file(self) -> Programs:
        if self._programs is None:
            refuse(
                "a compiled program", "over memory", "open the session from a file, or use the function's run"
            )
        return self._programs

    async def finish(self, tasks: Collection[LivePath]) -> dict[str, Any]:
        del tasks  # They end with the session.
        await self._awaited.idle()
        if self._programs is not None:
            await self._programs.close()
        self.live.close()
        report: dict[str, Any] = await asyncio.shield(self._over)
        return report

    async def leave(self, why: str | None) -> None:
        del why  # The peer is told that this party gives up, and nothing else.
        live, self._live = self.live, None
        if self._programs is not None:
            self._programs.cancel()
        if not self._over.done():
            live.cancel()
            await asyncio.wait([self._over], timeout=GRACE_S)
        self._part()


class Programs:
    """Compiled programs over a connection of their own, one after the other, in the order of the calls."""

    def __init__(
        self,
        session: Session,
        party: str,
        key: SecretKey,
        store: str | PathLike[str] | None,
        terms: Mapping[str, Any],
    ) -> None:
        """`terms` are those of `OpenSession.open`. The connection is opened when a program is first run."""
        self._session, self._party, self._key, self._terms = session, party, key, terms
        self._folder = store
        self._cancel = Cancel()
        self._pool: ThreadPoolExecutor | None = None
        self._opened: OpenSession | None = None
        self._store: Store | None = None

    def run(self, call: Call, inputs: Mapping[str, str]) -> asyncio.Future[dict[str, str]]:
        program, options = call.source.program, call.options.given()
        roles = roles_of(self._party, self._session, program)
        given = {**dict.fromkeys(roles, "{}"), **inputs}

        def work(opened: OpenSession) -> dict[str, str]:
            if call.prepared:
                return opened.run_prepared(program, given, self._material(), **options)[0]
            return opened.run(program, given, **options)[0]

        return self._begin(work)

    def prepare(self, call: Call, count: int) -> asyncio.Future[int]:
        """Puts so many runs into both stores; gives how many can be spent now."""
        program, options = call.source.program, call.options.given()
        return self._begin(lambda opened: opened.prepare(program, self._material(), count, **options)[0])

    async def close(self) -> None:
        """Ends the connection, in step with the peer."""
        if self._pool is not None:
            await self._begin(lambda opened: opened.close(self._store))
            self._pool.shutdown(wait=False)

    def cancel(self) -> None:
        """Ends the connection at once, if it was not closed."""
        self._cancel.cancel()
        self._opened = None
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def _begin(self, work: Callable[[OpenSession], Result]) -> asyncio.Future[Result]:
        """Does work in the session, after what was begun before."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "tacit programs")

        def within() -> Result:
            if self._opened is None:
                given = (self._session, self._party, self._key)
                self._opened = OpenSession.open(*given, cancel=self._cancel, **self._terms)
            return work(self._opened)

        return asyncio.get_running_loop().run_in_executor(self._pool, within)

    def _material(self) -> Store:
        """The store, which is opened when it is first needed."""
        if self._folder is None:
            raise UsageError(
                "prepared runs need a store: name its folder when the session begins, as store=…"
            )
        if self._store is None:
            self._store = Store.open(str(self._folder), self._key)
        return self._store
