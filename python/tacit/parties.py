"""Programs among any number of parties: share, compute, open, decide in Python, go on."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path as FilePath
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from tacit._native import (
    Listener,
    PartyEnd,
    PartyTask,
    PeerError,
    Program,
    ProgramError,
    SecretKey,
    Session,
    Share,
    UsageError,
    largest_threshold,
)
from tacit.language.tasks import CURRENT, ROOT, Path, enter, leave, path_of

if TYPE_CHECKING:
    from tacit.among import Runnable

DEFAULT_MODULUS = 2**61 - 1
"""The prime computed with unless another is given."""

GF256 = 256
"""In place of a modulus: the field of 256 elements, where addition is exclusive or."""

Result = TypeVar("Result")


class Runtime:
    """One party of a program: `async with t.join("three.toml", party="p1") as rt:`.

    All parties run the same program. What is written runs in the background as soon as what it needs is
    there; only `await` waits.
    """

    def __init__(
        self,
        session: str | PathLike[str] | Session,
        party: str,
        key: str | PathLike[str] | SecretKey | None = None,
        *,
        threshold: int | None = None,
        modulus: int = DEFAULT_MODULUS,
        program: str = "",
        inputs: Mapping[str, Any] | None = None,
        net: str | None = None,
        listener: Listener | None = None,
        store: str | PathLike[str] | None = None,
    ) -> None:
        """`threshold` parties learn nothing even together: as many as possible, unless given.

        `program` is any text that must be the same at all parties. `inputs` are for the program to read.
        `store` is the folder of what was made ahead, which this party spends and where it keeps more.
        """
        self.session = session if isinstance(session, Session) else Session.load(str(session))
        if not isinstance(key, SecretKey):
            if key is None and isinstance(session, Session):
                raise UsageError("a session that is not a file needs a key")
            folder = FilePath() if isinstance(session, Session) else FilePath(session).parent
            key = SecretKey.load(str(key or folder / f"{party}.key"))
        self.party = party
        self.parties = sorted(self.session.parties)
        self.threshold = largest_threshold(len(self.parties)) if threshold is None else threshold
        self.modulus = modulus
        self.inputs = dict(inputs or {})
        if self.threshold < 0 or modulus < 0:
            raise UsageError("a threshold and a modulus are positive")
        self._key, self._program, self._net, self._listener = key, program, net, listener
        self._store = None if store is None else str(store)
        self._waiting: dict[int, tuple[asyncio.Future[Any], tuple[int, ...]]] = {}
        self._numbers = itertools.count()
        self._tasks: dict[Path, PartyTask] = {}
        self._settling: set[asyncio.Future[Any]] = set()
        self._runs: set[asyncio.Future[Any]] = set()
        self._end: PartyEnd | None = None

    @property
    def end(self) -> PartyEnd:
        """The party, once it has joined the others."""
        if self._end is None:
            raise ProgramError("this party has not joined; write `async with` around what uses it")
        return self._end

    async def __aenter__(self) -> Runtime:
        self._loop = asyncio.get_running_loop()
        given_up = Event()

        def join() -> PartyEnd:
            return PartyEnd.join(
                self.session,
                self.party,
                self._key,
                modulus=self.modulus,
                threshold=self.threshold,
                fields=[("program", self._program)],
                given_up=given_up.is_set,
                current=CURRENT,
                ask=self._task,
                front=__file__,
                net=self._net,
                listener=self._listener,
                store=self._store,
            )

        # A thread of its own: in a shared pool, parties of one process could wait for one another's turn.
        self._pool = ThreadPoolExecutor(1, "tacit")
        try:
            self._end = await self._loop.run_in_executor(self._pool, join)
        except BaseException:
            given_up.set()
            self._pool.shutdown(wait=False)
            raise
        self._loop.add_reader(self._end.fileno(), self._deliver)
        enter(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        end = self.end
        try:
            if error is None:
                await asyncio.gather(*self._runs)
                for path, task in self._tasks.items():
                    if path.name != ROOT:
                        self._settle(task)
                await asyncio.gather(*self._settling, self.synchronise())
        finally:
            leave(self)
            self._loop.remove_reader(end.fileno())
            self._end = None
            left = self._loop.run_in_executor(self._pool, end.leave, _why(kind))
            self._pool.shutdown(wait=False)
            if error is None:
                await left
            else:
                await asyncio.wait([left])
                left.exception()

    def share(self, value: Any = None, *, by: str, shape: Sequence[int] | int = ()) -> Share:
        """Numbers that the party `by` gives; others say only their shape."""
        owner = self._number(by)
        if by != self.party:
            if value is not None:
                raise UsageError(f"{by} gives this input; {self.party} names no value")
            return self.end.input(owner, shape)
        if value is None:
            raise UsageError(f"{by} gives this input, and has named no value")
        return self.end.input(owner, shape, value)

    def share_by_all(self, value: Any, *, shape: Sequence[int] | int = ()) -> list[Share]:
        """Numbers that every party gives, in the order of the parties' names; `value` is this party's."""
        return [
            self.share(value if party == self.party else None, by=party, shape=shape)
            for party in self.parties
        ]

    def constant(self, value: Any) -> Share:
        """Numbers that all know."""
        return self.end.constant(value)

    def concatenate(self, arrays: Iterable[Share]) -> Share:
        """Arrays one after the other along their first axis."""
        return self.end.concatenate(list(arrays))

    def stack(self, arrays: Iterable[Share]) -> Share:
        """Numbers or arrays of one shape as an array of one more axis, the first."""
        return self.end.concatenate([x.reshape((1, *x.shape)) for x in arrays])

    def random(self, shape: Sequence[int] | int = ()) -> Share:
        """Uniform elements of the field, which nobody knows."""
        return self.end.random(shape, False)

    def random_bits(self, shape: Sequence[int] | int = ()) -> Share:
        """Uniform bits, which nobody knows."""
        return self.end.random(shape, True)

    def prepare_bits(self, count: int) -> None:
        """Makes random bits that whatever needs some in this task spends, each once."""
        self.end.prepare("bits", count)

    def prepare_comparisons(self, count: int) -> None:
        """Makes ahead what so many comparisons of numbers in this task need that does not depend on them."""
        self.end.prepare("comparisons", count)

    def prepare_masks(self, bits: int, count: int) -> None:
        """Makes ahead masks of so many bits: those of numbers that are truncated by them or taken apart."""
        self.end.prepare("masks", count, bits)

    async def keep(
        self, *, bits: int = 0, comparisons: int = 0, masks: Mapping[int, int] | None = None
    ) -> None:
        """Makes random bits, comparisons and masks ahead, for later sessions, into the stores of all parties.

        `masks` are counts by numbers of bits. All parties have them when it returns.
        """
        end, done = self.end, []
        wanted: list[tuple[str, int, int | None]] = [
            ("bits", bits, None),
            ("comparisons", comparisons, None),
        ]
        wanted += [("masks", count, size) for size, count in sorted((masks or {}).items())]
        for what, count, size in wanted:
            if count < 0:
                raise UsageError(f"{count} {what} cannot be made")
            if count > 0:
                future, number = self._expect((-1,))
                try:
                    end.keep(what, count, number, size)
                except BaseException:
                    del self._waiting[number]
                    raise
                self._runs.add(future)
                future.add_done_callback(self._runs.discard)
                done.append(asyncio.shield(future))
        await asyncio.gather(*done)

    @property
    def stored(self) -> dict[str, Any]:
        """What this session may still take out of the stores, the same at all parties."""
        bits, comparisons, masks = self.end.stored()
        return {"bits": bits, "comparisons": comparisons, "masks": dict(masks)}

    def where(self, condition: Share, x: Any, y: Any) -> Share:
        """`x` where the condition is 1, `y` where it is 0."""
        return condition.choose(x, y)

    def open(self, x: Share, to: str | Iterable[str] | None = None) -> asyncio.Future[Any]:
        """Tells all parties a value, or those that `to` names; whoever else awaits it gets None.

        Several values may be opened before the first is awaited; they travel together.
        """
        future, number = self._expect(x.shape)
        if to is None:
            self.end.open(x, number)
            return future
        names = [to] if isinstance(to, str) else list(to)
        if not names:
            raise ProgramError("a value that is opened to nobody")
        self.end.open(x, number, [self._number(name) for name in names])
        if self.party not in names:
            self._waiting[number] = (future, (-1,))
        return future

    def synchronise(self) -> asyncio.Future[Any]:
        """Waits until every party has come here, and compares what each has seen of values opened to all."""
        future, number = self._expect((-1,))
        self.end.synchronise(number)
        return future

    async def run(
        self,
        program: Runnable,
        inputs: Mapping[str, Any] | None = None,
        *,
        roles: Mapping[str, str] | None = None,
        effort: int | None = None,
        **static: Any,
    ) -> dict[str, dict[str, Any]]:
        """Runs a program that is compiled: a `@t.function`, a C file or any other that `tacit run` takes.

        `inputs` and results are those of this party's roles, by role. `roles` says which party speaks for
        each, where the session does not. It runs on shares in GF(2^8), whatever the modulus.
        """
        from tacit.among import decode, encode, source_of

        source = source_of(program, static)
        texts = self.run_compiled(source.program, encode(source, inputs or {}), roles, effort)
        # Whoever is cancelled leaves the run to itself: other parties may be in the middle of it.
        return decode(source, await asyncio.shield(texts))

    def run_compiled(
        self,
        program: Program,
        inputs: Mapping[str, str],
        roles: Mapping[str, str] | None = None,
        effort: int | None = None,
    ) -> asyncio.Future[dict[str, str]]:
        """As `run`, from JSON inputs to JSON outputs."""
        from tacit.among import speakers, speakers_in

        if roles is None:
            roles = speakers_in(self.session, program.roles)
        else:
            roles = speakers(program.roles, self.parties, roles)
        parties = [self._number(roles[role]) for role in program.roles]
        # Nothing else is written in a task of its own, whatever this one goes on to do.
        task = self.end.task(path_of(self).fork("run").name)
        future, number = self._expect((-1,))
        try:
            self.end.run(program, parties, inputs, task, number, effort)
        except BaseException:
            del self._waiting[number]
            raise
        self._runs.add(future)
        future.add_done_callback(lambda _: self._ran(future, task))
        return future

    @property
    def bytes_sent(self) -> int:
        """What this party has sent so far, without what TLS adds."""
        return self.end.bytes_sent

    def _expect(self, shape: tuple[int, ...]) -> tuple[asyncio.Future[Any], int]:
        future = self._loop.create_future()
        # Whoever awaits it learns why it failed; nobody need await it.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        number = next(self._numbers)
        self._waiting[number] = (future, shape)
        return future, number

    def _number(self, party: str) -> int:
        if party not in self.parties:
            raise UsageError(f"there is no party {party}; there are {', '.join(self.parties)}")
        return self.parties.index(party)

    def _task(self) -> PartyTask:
        """The task that runs."""
        path = path_of(self)
        known = self._tasks.get(path)
        if known is None:
            name = "" if path.name == ROOT else path.name
            known = self._tasks[path] = self.end.task(name)
        return known

    def task_ended(self, path: Path) -> None:
        """A task has ended, and writes nothing more."""
        task = self._tasks.pop(path, None)
        if task is not None and self._end is not None:
            self._settle(task)

    def _ran(self, future: asyncio.Future[Any], task: PartyTask) -> None:
        """A program was run in a task of its own."""
        self._runs.discard(future)
        if self._end is not None and not future.cancelled() and future.exception() is None:
            self._settle(task)

    def _settle(self, task: PartyTask) -> None:
        """Compares what all have seen of a task that writes nothing more."""
        future, number = self._expect((-1,))
        if self.end.settle(task, number):
            self._settling.add(future)
            future.add_done_callback(self._settled)
        else:
            self._waiting.pop(number)

    def _settled(self, future: asyncio.Future[Any]) -> None:
        """What failed is kept, for whoever leaves."""
        if not future.cancelled() and future.exception() is None:
            self._settling.discard(future)

    def _deliver(self) -> None:
        """Hands out what was opened since the last time."""
        if self._end is None:
            return
        for number, answer, error in self._end.events():
            future, shape = self._waiting.pop(number)
            if future.done():
                continue
            if error is not None:
                future.set_exception(error)
            elif isinstance(answer, dict):
                future.set_result(answer)
            else:
                future.set_result(None if shape == (-1,) else _shaped(answer or [], shape))

    def __repr__(self) -> str:
        return f"<party {self.party} of {len(self.parties)}>"


join = Runtime


def _why(error: type[BaseException] | None) -> str | None:
    """Why a program has given up, for other parties: the kind of error, not its text, which may be secret."""
    if error is None:
        return None
    if issubclass(error, asyncio.CancelledError):
        return "its program was cancelled"
    return f"its program raised {error.__name__}"


def _shaped(numbers: list[int], shape: tuple[int, ...]) -> Any:
    """Numbers as nested lists; a single one as it is."""
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return numbers
    step = len(numbers) // shape[0]
    return [_shaped(numbers[start : start + step], shape[1:]) for start in range(0, len(numbers), step)]


async def together(
    program: Callable[[Runtime], Awaitable[Result]],
    parties: int = 3,
    threshold: int | None = None,
    *,
    modulus: int = DEFAULT_MODULUS,
    timeout_s: float = 30.0,
) -> dict[str, Result]:
    """Runs all parties of a program in this process, over TLS on loopback, for tests; gives their results.

    The parties are called p1, p2 and so on.
    """
    width = len(str(parties))
    names = [f"p{number:0{width}}" for number in range(1, parties + 1)]
    keys = {name: SecretKey.generate() for name in names}
    listeners = {name: Listener.bind("127.0.0.1:0") for name in names}
    tables = [
        f"[party.{name}]\naddress = {json.dumps(listener.address)}\nkey = {json.dumps(keys[name].public)}"
        for name, listener in listeners.items()
    ]
    text = "\n".join([f"[limits]\ntimeout_s = {timeout_s}", *tables])

    async def run(name: str) -> Result:
        terms: dict[str, Any] = {"threshold": threshold, "modulus": modulus, "listener": listeners[name]}
        session = Session.parse(text, "local session")
        async with Runtime(session, name, keys[name], **terms) as runtime:
            return await program(runtime)

    results = await asyncio.gather(*map(run, names), return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    # That a party is gone is often the echo of what another met.
    for error in sorted(errors, key=lambda error: isinstance(error, PeerError)):
        raise error
    return dict(zip(names, results, strict=True))  # type: ignore[arg-type]
