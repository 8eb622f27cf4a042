"""Two parties over one connection: arrays by garbled circuits as they are written, and compiled programs."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any

from tacit._native import (
    Array,
    Graph,
    Kind,
    Listener,
    Live,
    LiveEnd,
    LivePath,
    LiveWork,
    SecretKey,
    Session,
    Store,
    UsageError,
)
from tacit.language.operators import array
from tacit.language.values import Port
from tacit.options import RunOptions
from tacit.sessions.awaited import Awaited, nothing
from tacit.sessions.executor import FRONT, Call, Executor, Material, closed, opened_nothing, refuse
from tacit.sessions.tasks import CURRENT, Path

COMPUTING = 2
"""The number of computing parties."""

GRACE_S = 3.0
"""Time limit for informing the peer when a session is given up."""


class TwoParties(Executor):
    """One of two parties: of arrays, which are garbled as they are written, and of compiled programs."""

    def __init__(self, parties: Collection[str], party: str, end: LiveEnd, programs: Programs) -> None:
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
        return cls(session.computing, party, end, Programs(key, store))

    @classmethod
    def pair(cls, first: str, second: str, timeout_s: float | None, options: RunOptions) -> list[TwoParties]:
        """Both parties, over memory."""
        ends = LiveEnd.pair(first, second, timeout_s=timeout_s, **options.given())
        names = (first, second)
        return [cls(names, name, end, Programs(None, None)) for name, end in zip(names, ends, strict=True)]

    @property
    def live(self) -> Live:
        """The reactive program, once the peer was met."""
        return self._live or closed()

    @property
    def graph(self) -> Graph:
        return self._graph

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
        self._graph = live.graph

    def task(self, path: Path) -> LivePath:
        return self.live.path(path.shown())

    def end_task(self, task: LivePath) -> None:
        self.live.end_path(task)

    def input(self, port: Port, party: str, value: Any) -> Array:
        text = None
        if party == self._party:
            text = json.dumps(port.nothing(value)) if port.is_empty else port.text(value)
        return self.live.input(port.role, port.name, port.kind, port.shape, text)

    def kept(self, name: str, kind: Kind, shape: tuple[int, ...]) -> Array:
        return self.live.kept(name, kind, shape)

    def keep(self, name: str, value: Any) -> None:
        self.live.keep(name, array(value))

    def open(self, x: Any, to: Collection[str] | None) -> asyncio.Future[Any]:
        made = array(x)
        me = to is None or self._party in to
        peer = to is None or any(party != self._party for party in to)
        if 0 in made.shape:
            return opened_nothing(made, me)
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
            refuse("roles=…", "between two parties", "the session file says which party speaks for each role")
        return self._work(call, inputs, None)

    def prepare(self, call: Call | None, count: int, material: Material) -> asyncio.Future[Any]:
        if call is None or material.counts():
            refuse("material without a program", "between two parties", "write prepare(program, count)")
        return self._work(call, {}, count)

    def _work(self, call: Call, inputs: Mapping[str, str], count: int | None) -> asyncio.Future[Any]:
        """Runs a program, or prepares it `count` times, as a step of the calling task."""
        live = self.live
        work = live.work(call.source.program, prepared=call.prepared, count=count)

        def begin(number: int) -> None:
            stored = call.prepared or count is not None
            planned = self._programs.begin(work, number, call, inputs, stored)
            planned.add_done_callback(lambda done: self._planned(number, live, done))

        ended = self._awaited.begin(begin, json.loads)
        self.submit()
        return ended

    def _planned(self, number: int, live: Live, done: asyncio.Future[None]) -> None:
        """Handles a run that has no plan, or whose session has ended meanwhile."""
        error = None if done.cancelled() else done.exception()
        if isinstance(error, Exception):
            self._awaited.deliver([(number, None, error)])
        elif self._live is None:
            self._awaited.deliver(live.events())

    async def finish(self, tasks: Collection[LivePath]) -> dict[str, Any]:
        del tasks  # Such runs end with the session.
        await self._awaited.idle()
        self.live.close()
        report: dict[str, Any] = await asyncio.shield(self._over)
        return report

    async def leave(self, why: str | None) -> None:
        del why  # The peer is told that this party gives up, and nothing else.
        live, self._live = self.live, None
        self._programs.close()
        if not self._over.done():
            live.cancel()
            await asyncio.wait([self._over], timeout=GRACE_S)
        self._part()


class Programs:
    """The plans of compiled programs, made on a thread of their own, and the store of prepared ones."""

    def __init__(self, key: SecretKey | None, store: str | PathLike[str] | None) -> None:
        """`key` is None over memory, where nothing is stored."""
        self._key, self._folder = key, store
        self._pool: ThreadPoolExecutor | None = None
        self._store: Store | None = None

    def begin(
        self, work: LiveWork, number: int, call: Call, inputs: Mapping[str, str], stored: bool
    ) -> asyncio.Future[None]:
        """Plans work and begins it; an event with this number reports its end."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "tacit plans")
        options = call.options.given()

        def plan() -> None:
            try:
                work.begin(number, dict(inputs), self._material() if stored else None, **options)
            finally:
                work.drop()

        return asyncio.get_running_loop().run_in_executor(self._pool, plan)

    def close(self) -> None:
        """Ends the thread, after the plan that it is making."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def _material(self) -> Store:
        """The store, which is opened on first use."""
        if self._folder is None or self._key is None:
            raise UsageError(
                "prepared runs need a store: name its folder when the session begins, as store=…"
            )
        if self._store is None:
            self._store = Store.open(str(self._folder), self._key)
        return self._store
