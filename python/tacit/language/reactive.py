"""Reactive programs: share, compute, open, decide in Python, go on."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path as FilePath
from types import TracebackType
from typing import Any, TypeVar

from tacit._native import (
    AbortError,
    Array,
    ArrayType,
    InputError,
    Kind,
    Live,
    LiveEnd,
    LivePath,
    PeerError,
    ProgramError,
    SecretKey,
    Session,
    UsageError,
)
from tacit.language.context import using
from tacit.language.function import Role, typed
from tacit.language.operators import array
from tacit.language.tasks import Path, enter, leave, path_of
from tacit.language.values import Port, columns
from tacit.options import RunOptions

GRACE_S = 3.0
"""How long a session that is given up may take to tell its peer."""

_READY, _ENDED, _FIRST = 0, 1, 2
_PACKAGE = __name__.split(".")[0]

Result = TypeVar("Result")


class LiveRole(Role):
    """Who gives inputs and receives values, as a reactive program sees it."""

    def __init__(self, session: LiveSession, name: str, party: str) -> None:
        super().__init__(name, 0, None)
        self.party = party
        self._session = session

    def input(self, name: str, type: Kind | ArrayType, value: Any = None) -> Array:  # noqa: A002
        """An input that this role gives. Only its own party names a value, here or when the session began."""
        return self._session.take(self, name, type, value)

    def give(self, name: str, value: Array, roles: Sequence[Role]) -> None:
        """Opens a value to roles, under a name."""
        self._session.give(name, value, roles)


@dataclass
class _Waiting:
    """A value that is to be opened."""

    future: asyncio.Future[Any]
    port: Port


class LiveSession:
    """One party of a reactive program: `async with t.session("s.toml", role="a") as s:`.

    Both parties run the same program: they name the same inputs, compute the same and open the same, task by
    task. What is written runs in the background as soon as what it needs is there; only `await` waits.
    """

    def __init__(
        self,
        session: str | PathLike[str],
        role: str,
        key: str | PathLike[str] | None = None,
        *,
        inputs: Any = None,
        shares: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        """`role` is a role or party of the session file; `inputs` are its inputs by name, or a file.

        `shares` is the folder where this party's shares of values are kept between sessions; `options` are
        those of runs.
        """
        file = Session.load(str(session))
        party = role if role in file.parties else file.party_of(role)
        secret = SecretKey.load(str(key or FilePath(session).parent / f"{party}.key"))
        folder = None if shares is None else str(shares)
        end = LiveEnd.of_session(file, party, secret, shares=folder, **options)
        self._begin(end, party, file.party_of, inputs)
        if role != party:
            self._own = role

    @classmethod
    def over(
        cls, end: LiveEnd, party: str, party_of: Callable[[str], str], inputs: Any = None
    ) -> LiveSession:
        """A session over an end of a link. `party_of` tells who speaks for a role."""
        made = cls.__new__(cls)
        made._begin(end, party, party_of, inputs)
        return made

    def _begin(self, end: LiveEnd, party: str, party_of: Callable[[str], str], inputs: Any) -> None:
        self.party = party
        self.report: dict[str, Any] = {}
        """What the session did and cost, once it has ended."""
        self._own = party
        self._end, self._party_of = end, party_of
        self._inputs = {} if inputs is None else columns(inputs, party)
        self._roles: dict[str, LiveRole] = {}
        self._given: dict[tuple[str, str], asyncio.Future[Any]] = {}
        self._waiting: dict[int, _Waiting] = {}
        self._next = _FIRST
        self._paths: dict[Path, LivePath] = {}
        self._due = False

    @classmethod
    def pair(
        cls, first: str = "a", second: str = "b", *, timeout_s: float | None = None, **inputs: Any
    ) -> tuple[LiveSession, LiveSession]:
        """Both parties of a session in this process, over memory, with real protocols: for tests.

        The parties are the roles of the same names; `inputs` are those of each, and the options of runs.
        """
        options = RunOptions.taken(inputs)
        names = (first, second)
        unknown = [name for name in inputs if name not in names]
        if unknown:
            raise UsageError(f"there is no role {unknown[0]}; there are {first} and {second}")

        def party_of(role: str) -> str:
            if role in names:
                return role
            raise UsageError(f"there is no role {role}; there are {first} and {second}")

        one, other = LiveEnd.pair(first, second, timeout_s=timeout_s, **options.given())
        return (
            cls.over(one, first, party_of, inputs.get(first)),
            cls.over(other, second, party_of, inputs.get(second)),
        )

    @classmethod
    async def together(
        cls,
        *programs: Callable[[LiveSession], Awaitable[Result]],
        timeout_s: float | None = None,
        **inputs: Any,
    ) -> dict[str, Result]:
        """Runs both parties' programs in this process, for tests; returns what each returned, by role.

        One program serves both parties, of two each serves one. The roles are those of `inputs`, in order;
        without any, `a` and `b`. Among the inputs may be options of runs.
        """
        options = RunOptions.taken(inputs)
        names = [*inputs, *("a", "b")][:2] if len(inputs) != 1 else [*inputs, "b" if "a" in inputs else "a"]
        sessions = cls.pair(names[0], names[1], timeout_s=timeout_s, **inputs, **options.given())

        async def run(session: LiveSession, program: Callable[[LiveSession], Awaitable[Result]]) -> Result:
            async with session:
                return await program(session)

        runs = [run(session, program) for session, program in zip(sessions, programs * 2, strict=False)]
        results = await asyncio.gather(*runs, return_exceptions=True)
        _raise_first(results)
        return dict(zip(names, results, strict=True))  # type: ignore[arg-type]

    @property
    def live(self) -> Live:
        """The session in progress."""
        live = getattr(self, "_live", None)
        if live is None:
            raise ProgramError("the session is not open; write `async with` around what uses it")
        return live  # type: ignore[no-any-return]

    async def __aenter__(self) -> LiveSession:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._over: asyncio.Future[str] = self._loop.create_future()
        self._idle = asyncio.Event()
        self._idle.set()
        self._live = self._end.start(_here(self))
        self._loop.add_reader(self._live.fileno(), self.deliver)
        try:
            await self._ready
        except BaseException:
            await self._give_up()
            self._part()
            raise
        enter(self)
        self._context = using(self._live.graph)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is not None:
                await self._give_up()
                return
            await self._idle.wait()
            self.live.close()
            self.report = json.loads(await asyncio.shield(self._over))
        except BaseException:
            await self._give_up()
            raise
        finally:
            leave(self)
            self._context()
            self._part()

    def _part(self) -> None:
        """Lets go of the native session."""
        self._loop.remove_reader(self._live.fileno())
        del self._live

    async def _give_up(self) -> None:
        """Ends the session early, and gives it a moment to tell the peer."""
        self.live.cancel()
        await asyncio.wait([self._over], timeout=GRACE_S)
        if self._over.done() and not self._over.cancelled():
            self._over.exception()

    def role(self, name: str) -> LiveRole:
        """A role of the session."""
        if name not in self._roles:
            self._roles[name] = LiveRole(self, name, self._party_of(name))
        return self._roles[name]

    def input(self, name: str, type: Kind | ArrayType, value: Any = None) -> Array:  # noqa: A002
        """An input of this party's own role."""
        return self.role(self._own).input(name, type, value)

    def take(self, role: LiveRole, name: str, type_: Kind | ArrayType, value: Any) -> Array:
        """An input of a role."""
        kind, shape = typed(type_, name)
        if role.party != self.party:
            if value is not None:
                raise UsageError(f"{self.party} does not speak for {role.name}, whose input {name} this is")
            return self.live.input(role.name, name, kind, shape)
        if value is None:
            if name not in self._inputs:
                raise InputError(f"{role.name}.{name} is missing: give it here, or when the session begins")
            value = self._inputs[name]
        text = Port(role.name, name, kind, shape).text(value)
        return self.live.input(role.name, name, kind, shape, text)

    def open(self, x: Any, to: Role | str | Iterable[Role | str] | None = None) -> asyncio.Future[Any]:
        """Opens a value to all parties, or to the roles that `to` names; whoever else awaits it gets None.

        Several values may be opened before the first is awaited; they travel together.
        """
        made = array(x)
        future = self._loop.create_future()
        # Whoever awaits it learns why it failed; nobody need await it.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        me, peer = self._recipients(to)
        number = self._next
        self.live.open(made, me, peer, number)
        self._next += 1
        self._waiting[number] = _Waiting(future, Port("", "", made.kind, made.shape))
        self._idle.clear()
        self.submit()
        return future

    def kept(self, name: str, type: Kind | ArrayType) -> Array:  # noqa: A002
        """What earlier runs of both parties have kept under a name, as it was when the session began."""
        return self.live.kept(name, *typed(type, name))

    def keep(self, name: str, value: Any) -> None:
        """Keeps a value that no party sees under a name, when the session ends; each name once."""
        self.live.keep(name, array(value))

    def submit(self) -> None:
        """Lets everything that was written run, as happens whenever the event loop gets its turn."""
        self._due = False
        self.live.submit()

    def give(self, name: str, value: Array, roles: Sequence[Role]) -> None:
        """Opens a value that a function gives to roles; `results` has it."""
        future = self.open(value, roles)
        for role in roles:
            self._given[role.name, name] = future

    async def results(self) -> dict[str, dict[str, Any]]:
        """What functions within the session gave to this party's roles, by role and name."""
        results: dict[str, dict[str, Any]] = {}
        for (role, name), future in self._given.items():
            value = await future
            if self._party_of(role) == self.party:
                results.setdefault(role, {})[name] = value
        return results

    def _recipients(self, to: Role | str | Iterable[Role | str] | None) -> tuple[bool, bool]:
        """Whether this party and the other learn a value."""
        if to is None:
            return True, True
        if isinstance(to, (Role, str)):
            to = [to]
        parties = {self._party_of(role if isinstance(role, str) else role.name) for role in to}
        if not parties:
            raise ProgramError("a value that is opened to nobody")
        return self.party in parties, bool(parties - {self.party})

    def task_ended(self, path: Path) -> None:
        """A task has ended, and appends nothing more."""
        known = self._paths.pop(path, None)
        live = getattr(self, "_live", None)
        if known is not None and live is not None:
            live.end_path(known)

    def position(self) -> tuple[LivePath, str, int]:
        """Which task computes, and the line outside of this package that it is at."""
        if threading.get_ident() != self._thread:
            raise ProgramError("a session is used in the thread of its event loop")
        path = path_of(self)
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self.live.path(path.shown())
        if not self._due:
            self._due = True
            self._loop.call_soon(self._submit_written)
        frame = sys._getframe(1)
        while frame.f_back is not None and _inside(frame.f_globals.get("__name__", "")):
            frame = frame.f_back
        return known, _base(frame.f_code.co_filename), frame.f_lineno

    def _submit_written(self) -> None:
        if self._due and getattr(self, "_live", None) is not None:
            self.submit()

    def deliver(self) -> None:
        """Hands out what has happened since the last time."""
        live = getattr(self, "_live", None)
        for number, text, error in live.events() if live is not None else ():
            if number == _READY:
                if not self._ready.done():
                    self._ready.set_result(None)
            elif number == _ENDED:
                self._ended(text, error)
            else:
                self._opened(self._waiting.pop(number), text, error)
        if not self._waiting:
            self._idle.set()

    def _ended(self, text: str | None, error: Exception | None) -> None:
        for future in (self._ready, self._over):
            if future.done():
                continue
            if error is not None:
                future.set_exception(error)
            elif future is self._over:
                self._over.set_result(text or "{}")

    def _opened(self, waiting: _Waiting, text: str | None, error: Exception | None) -> None:
        if waiting.future.done():
            return
        if error is not None:
            waiting.future.set_exception(error)
        else:
            waiting.future.set_result(None if text is None else waiting.port.decode(json.loads(text)))

    def __repr__(self) -> str:
        return f"<reactive session of {self.party}>"


session = LiveSession


@functools.cache
def _base(file: str) -> str:
    """The name of a file without its folder, which is nobody's business."""
    return FilePath(file).name


@functools.cache
def _inside(module: str) -> bool:
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")


def _here(owner: LiveSession) -> Callable[[], tuple[LivePath, str, int]]:
    """What a session's native part asks; it does not keep the session alive."""
    found = weakref.ref(owner)

    def here() -> tuple[LivePath, str, int]:
        session = found()
        if session is None:
            raise ProgramError("the session is closed")
        return session.position()

    return here


def _raise_first(results: Sequence[object]) -> None:
    """Raises what went wrong first: that a peer gave up is only its echo."""
    errors = [result for result in results if isinstance(result, BaseException)]
    for error in sorted(
        errors, key=lambda error: isinstance(error, PeerError) + 2 * isinstance(error, AbortError)
    ):
        raise error
