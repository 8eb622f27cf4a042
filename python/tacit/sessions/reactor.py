"""Three parties or more: Shamir's shares, on which operations run as their operands arrive."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any

from tacit._native import (
    Array,
    Cancel,
    Kind,
    KindError,
    Listener,
    PartyEnd,
    PartyTask,
    SecretKey,
    Session,
    UsageError,
)
from tacit.language.operators import array
from tacit.language.values import Port, plain
from tacit.options import LOWERING, RunOptions
from tacit.sessions.awaited import Awaited, nothing
from tacit.sessions.executor import FRONT, Call, Executor, Material, closed, opened_nothing, refuse
from tacit.sessions.protection import GF256, HERE, Protection
from tacit.sessions.shaping import shaping
from tacit.sessions.speakers import speakers, speakers_in
from tacit.sessions.tasks import CURRENT, ROOT, Path

WORD_MODULUS = 2**127 - 1
"""A prime with room for words of 32 bits and their products, for compiled programs with words."""


class Reactor(Executor):
    """One of three parties or more, which compute with elements of one field."""

    def __init__(
        self,
        session: Session,
        party: str,
        key: SecretKey,
        protection: Protection,
        *,
        store: str | PathLike[str] | None,
        listener: Listener | None,
        options: RunOptions,
    ) -> None:
        if party not in session.computing:
            raise UsageError(
                f"{party} has computes = false in the session, so it does not run the program: "
                f"await t.visit(…), or tacit run, which gives its inputs and prints its results"
            )
        outside = sorted(set(session.parties) - set(session.computing))
        self._know(party, sorted(session.computing), outside, protection)
        options.refuse(HERE, ("net", "planned_link", "profile", "effort"))
        self._session, self._key, self._options = session, key, options
        self._listener = listener
        self._store = None if store is None else str(store)

    def _know(self, party: str, parties: list[str], outside: list[str], protection: Protection) -> None:
        """Sets the parties and the protection."""
        self.parties, self.outside, self._party = parties, outside, party
        self.threshold, self.modulus = protection.threshold, protection.modulus
        self.security, self._protection = protection.security, protection
        self._told: set[tuple[str, str]] = set()
        self._settling: set[asyncio.Future[Any]] = set()
        self._runs: set[asyncio.Future[Any]] = set()
        # It refers to the session, which therefore gives it up when it leaves.
        self._end: PartyEnd | None = None

    @property
    def end(self) -> PartyEnd:
        """The party, once it has joined the others."""
        return self._end or closed()

    @property
    def graph(self) -> PartyEnd:
        return self.end

    async def meet(self, awaited: Awaited, ask: Callable[[], PartyTask]) -> None:
        cancel = Cancel()

        def join() -> PartyEnd:
            return PartyEnd.join(
                self._session,
                self._party,
                self._key,
                modulus=self.modulus,
                threshold=self.threshold,
                security=self.security,
                fields=self._protection.fields,
                cancel=cancel,
                current=CURRENT,
                ask=ask,
                front=FRONT,
                net=self._options.net,
                planned_link=self._options.planned_link,
                profile=self._options.profile,
                listener=self._listener,
                store=self._store,
            )

        try:
            await self._begin(awaited, join)
        except BaseException:
            cancel.cancel()
            raise

    async def _begin(self, awaited: Awaited, join: Callable[[], PartyEnd]) -> None:
        """Joins the others."""
        self._awaited = awaited
        # A thread of its own: in a shared pool, parties of one process could wait for one another's turn.
        self._pool = ThreadPoolExecutor(1, "tacit")
        try:
            self._end = await asyncio.get_running_loop().run_in_executor(self._pool, join)
        except BaseException:
            self._pool.shutdown(wait=False)
            raise
        self._part = awaited.listen(self._end.fileno(), self._end.events)

    def task(self, path: Path) -> PartyTask:
        return self.end.task("" if path.name == ROOT else path.name)

    def end_task(self, task: PartyTask) -> None:
        """Compares what all have seen of the task."""
        if task.opened:
            settled = self._awaited.begin(lambda number: self.end.settle(task, number), nothing)
            self._settling.add(settled)
            settled.add_done_callback(self._settled)

    def _settled(self, future: asyncio.Future[Any]) -> None:
        """Keeps an error, for `leave`."""
        if not future.cancelled() and future.exception() is None:
            self._settling.discard(future)

    def number(self, party: str) -> int:
        """The number of a computing party."""
        if party in self.outside:
            raise UsageError(
                f"{party} does not compute: await session.collect(…) for its inputs, and tell it results by "
                "session.tell(…)"
            )
        if party not in self.parties:
            raise UsageError(f"there is no party {party}; the parties are {', '.join(self.parties)}")
        return self.parties.index(party)

    def input(self, port: Port, party: str, value: Any) -> Array:
        name, given = f"{port.role}.{port.name}", None
        if port.kind.modulus not in (None, self.modulus):
            raise KindError(
                f"{name}: {port.kind} {HERE}, who compute modulo {self.modulus} here; "
                f"write t.field({self.modulus}), or run a function that has such inputs"
            )
        if party == self._party:
            if port.is_empty:
                given = port.nothing(value)
            else:
                given = plain(value, name) if port.kind.is_float else port.encode(value)
            if port.kind.modulus is not None:
                given = _centred(given, self.modulus)
        return self.end.input(self.number(party), port.shape, given, port.kind, name)

    def share(self, value: Any, by: str, shape: Sequence[int] | int, kind: Kind | None) -> Array:
        """Numbers that a party gives: of a kind, or elements of the field."""
        if kind is None or kind.modulus == self.modulus:
            return self.end.input(self.number(by), shape, value)
        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        return self.input(Port(by, "share", kind, dims), by, value)

    def kept(self, name: str, kind: Kind, shape: tuple[int, ...]) -> Array:
        del kind, shape
        refuse(f"reading {name} from earlier sessions", HERE, "only two parties keep shares")

    def keep(self, name: str, value: Any) -> None:
        del value
        refuse(f"keeping {name} for later sessions", HERE, "only two parties keep shares")

    def open(self, x: Any, to: Collection[str] | None) -> asyncio.Future[Any]:
        x = array(x)
        if 0 in x.shape:
            return opened_nothing(x, to is None or self._party in to)
        shaped = shaping(x.shape, x.kind if x.has_kind else None)
        if to is None:
            return self._awaited.begin(lambda number: self.end.open(x, number), shaped)
        numbers = [self.number(name) for name in to]
        decode = shaped if self._party in to else nothing
        return self._awaited.begin(lambda number: self.end.open(x, number, numbers), decode)

    def outsiders(self, of: Collection[str] | None) -> list[str]:
        """These outside parties, or all of them."""
        if not self.outside:
            raise UsageError("every party of the session computes; mark others with computes = false")
        names = self.outside if of is None else sorted(of)
        for name in names:
            if name not in self.outside:
                raise UsageError(
                    f"{name} is not one of the parties with computes = false: {', '.join(self.outside)}"
                )
        if not names:
            raise UsageError("no party is named")
        return names

    def collect(self, port: Port, names: Sequence[str], seconds: float) -> asyncio.Future[dict[str, Array]]:
        """Elements that outside parties give in time, by party."""

        def by_party(given: list[tuple[int, Array]]) -> dict[str, Array]:
            return {names[place]: array for place, array in given}

        def ask(number: int) -> None:
            kind = None if port.kind.modulus == self.modulus else port.kind
            self.end.collect(port.name, port.shape, list(names), seconds, number, kind)

        return self._beside(ask, by_party)

    def tell(self, name: str, value: Any, names: Sequence[str]) -> asyncio.Future[None]:
        """Sends a result to outside parties."""
        for party in names:
            if (party, name) in self._told:
                raise UsageError(f"{party} already received {name}; give each result a name of its own")
        x = array(value)
        told = self._awaited.begin(lambda number: self.end.tell(name, x, list(names), number), nothing)
        self._told.update((party, name) for party in names)
        # Nobody need await it, so `leave` raises its error.
        self._settling.add(told)
        told.add_done_callback(self._settled)
        return asyncio.shield(told)

    def _beside(self, work: Callable[[int], None], decode: Callable[[Any], Any]) -> asyncio.Future[Any]:
        """The future of work on a thread of its own, for which the end of the session waits."""
        begun = self._awaited.begin(work, decode)
        self._runs.add(begun)
        begun.add_done_callback(self._runs.discard)
        return asyncio.shield(begun)

    def submit(self) -> None:
        self.end.flush()

    def synchronise(self) -> asyncio.Future[Any]:
        """Waits until every party has come here, and compares the values opened to all that each has seen."""
        return self._awaited.begin(self.end.synchronise, nothing)

    def run(self, call: Call, inputs: Mapping[str, str]) -> asyncio.Future[dict[str, str]]:
        program, lowering = call.source.program, call.options.lowering()
        call.options.refuse(HERE, LOWERING)
        if call.prepared:
            refuse("prepared=True", HERE, "compiled programs make their material while they run")
        if call.roles is None:
            roles = self._speakers(program.roles)
        else:
            roles = speakers(program.roles, self.parties, call.roles)
        speaking = [roles[role] for role in program.roles]
        # In a task of its own, so that whatever this task does next does not matter.
        task = self.end.task(call.task)

        def ran(run: asyncio.Future[Any]) -> None:
            self._runs.discard(run)
            if self._end is not None and not run.cancelled() and run.exception() is None:
                self.end_task(task)

        run = self._awaited.begin(
            lambda number: self.end.run(program, speaking, inputs, task, number, **lowering), dict
        )
        self._runs.add(run)
        run.add_done_callback(ran)
        return run

    def _speakers(self, roles: Sequence[str]) -> dict[str, str]:
        """The parties that speak for the roles of a program, from the session file."""
        return speakers_in(self._session, roles)

    def prepare(self, call: Call | None, count: int, material: Material) -> asyncio.Future[Any]:
        if call is not None or count != 1:
            refuse("preparing a program", HERE, "write prepare(bits=…, comparisons=…, masks=…)")
        done = []
        for one in material.counts():
            done.append(self._beside(functools.partial(self._keep, one), nothing))
        return asyncio.gather(*done)

    def _keep(self, material: tuple[str, int, int | None], number: int) -> None:
        what, count, size = material
        self.end.keep(what, count, number, size)

    def phases(self) -> list[dict[str, Any]]:
        phases: list[dict[str, Any]] = json.loads(self.end.report())["phases"]
        return phases

    async def finish(self, tasks: Collection[PartyTask]) -> dict[str, Any]:
        await asyncio.gather(*self._runs)
        for task in tasks:
            self.end_task(task)
        await asyncio.gather(*self._settling, self._awaited.begin(self.end.conclude, nothing))
        report: dict[str, Any] = json.loads(self.end.report())
        report["threshold"] = self.threshold
        report["adversary"] = self.security
        report["field"] = "GF(2^8)" if self.modulus == GF256 else str(self.modulus)
        report["bytes_sent"] = sum(phase["bytes_sent"] for phase in report["phases"])
        return report

    async def leave(self, why: str | None) -> None:
        end, self._end = self.end, None
        self._part()

        def leave() -> None:
            # If a run has failed, its error counts, not those of the others that follow.
            with contextlib.nullcontext() if why is None else contextlib.suppress(Exception):
                end.leave(why)

        left = asyncio.get_running_loop().run_in_executor(self._pool, leave)
        self._pool.shutdown(wait=False)
        if why is None:
            await left
        else:
            await asyncio.wait([left])
        # The thread has nothing more to do but to forget the party, whose sockets are open until then.
        self._pool.shutdown()


def _centred(value: Any, modulus: int) -> Any:
    """Numbers from 0 up as the congruent ones between -modulus/2 and modulus/2."""
    if isinstance(value, (list, tuple)):
        return [_centred(one, modulus) for one in value]
    return value - modulus if value > modulus // 2 else value
