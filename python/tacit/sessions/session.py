"""One party's session with any number of others: share, compute, open, decide in Python, continue."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from tacit._native import (
    AbortError,
    Array,
    ArrayType,
    InputError,
    Kind,
    Listener,
    PeerError,
    Program,
    ProgramError,
    SecretKey,
    Session,
    UsageError,
    check_options,
)
from tacit.language.columns import columns
from tacit.language.context import using
from tacit.language.function import Role, typed
from tacit.language.operators import concatenate, stack, where
from tacit.language.values import Port, composed
from tacit.options import USUAL, RunOptions
from tacit.sessions import (
    announcements,
    divisors,
    draws,
    linear,
    permutations,
    positions,
    random_numbers,
    sorting,
)
from tacit.sessions.awaited import Awaited, raise_first
from tacit.sessions.collecting import hold, of_kind
from tacit.sessions.executor import Call, Executor, Material, closed, refuse
from tacit.sessions.keys import secret_key
from tacit.sessions.protection import GF256, HERE, Protection
from tacit.sessions.reactor import Reactor
from tacit.sessions.statistics import Statistics
from tacit.sessions.tasks import ROOT, Path, enter, leave, path_of
from tacit.sessions.two_parties import COMPUTING, TwoParties

if TYPE_CHECKING:
    from tacit.programs import Runnable

Result = TypeVar("Result")


class SessionRole(Role):
    """A role within a session: it gives inputs and receives values."""

    def __init__(self, session: PartySession, name: str, party: str) -> None:
        super().__init__(name, 0, None)
        self.party = party
        self._session = session

    def input(self, name: str, type: Kind | ArrayType, value: Any = None) -> Array:  # noqa: A002
        """An input of this role. Only the role's party gives a value, here or in the session's `inputs`."""
        return self._session.take(self, name, type, value)

    def give(self, name: str, value: Array, roles: Sequence[Role]) -> None:
        """Opens a value to roles, as an output with a name."""
        self._session.give(name, value, roles)

    def receive(self, name: str, value: Array) -> None:
        """Does nothing: `results` of the session has the value."""


class PartySession:
    """One party's session: `async with t.connect("s.toml", "alice") as s:`.

    All parties run the same program: task by task, they name the same inputs, compute the same operations and
    open the same values. Operations run in the background once their operands exist; only `await` waits.
    """

    def __init__(
        self,
        session: str | PathLike[str] | Session,
        party: str | None = None,
        key: str | PathLike[str] | SecretKey | None = None,
        *,
        role: str | None = None,
        inputs: Any = None,
        threshold: int | None = None,
        modulus: int | None = None,
        program: str = "",
        store: str | PathLike[str] | None = None,
        shares: str | PathLike[str] | None = None,
        listener: Listener | None = None,
        **options: Any,
    ) -> None:
        """`party` is a party or role of the session file; `role` is another name for this argument.

        `inputs` are the program's inputs: a mapping from name to value, or a file or table. `store` is the
        folder of prepared material. `options` are options of runs. For two parties, `shares` is the folder of
        values that are kept between sessions. For more parties, up to `threshold` of them may collude,
        `modulus` is the prime of the field, and `program` is any text that must be the same at all parties;
        with `security="active"`, parties that depart from the protocol can end the session, and nothing else.
        """
        name = party or role
        if name is None:
            raise UsageError(
                "say which party or role of the session file you are, as in connect(file, party)"
            )
        file = session if isinstance(session, Session) else Session.load(str(session))
        me = name if name in file.parties else file.party_of(name)
        secret = secret_key(session, me, key)
        if len(file.computing) == COMPUTING:
            many = {"threshold": threshold, "modulus": modulus, "program": program or None}
            _refuse_given(many, "between two parties", "it is for three parties and more")
            executor: Executor = TwoParties.of_session(file, me, secret, store, shares, listener, options)
        else:
            _refuse_given({"shares": shares}, HERE, "only two parties keep shares")
            protection = Protection.of(file, threshold, modulus, options.pop("security", None), program)
            executor = Reactor(
                file,
                me,
                secret,
                protection,
                store=store,
                listener=listener,
                options=_options(options),
            )
        self._begin(executor, me, file.party_of, inputs)
        self._own = name

    @classmethod
    def over(
        cls, executor: Executor, party: str, party_of: Callable[[str], str], inputs: Any = None
    ) -> PartySession:
        """A session over an executor. `party_of` returns the party that speaks for a role."""
        made = cls.__new__(cls)
        made._begin(executor, party, party_of, inputs)
        return made

    def _begin(self, executor: Executor, party: str, party_of: Callable[[str], str], inputs: Any) -> None:
        self.party, self.parties = party, executor.parties
        self.inputs: Mapping[str, Any] = {} if inputs is None else columns(inputs, party)
        self.report: dict[str, Any] = {}
        """The work and costs of the session, once it has ended."""
        self._known, self._party_of, self._own = executor, party_of, party
        self._open = False
        self._roles: dict[str, SessionRole] = {}
        self._given: dict[tuple[str, str], asyncio.Future[Any]] = {}
        self._tasks: dict[Path, Any] = {}

    @classmethod
    def pair(
        cls, first: str = "a", second: str = "b", *, timeout_s: float | None = None, **inputs: Any
    ) -> tuple[PartySession, PartySession]:
        """Two parties' sessions in this process, over memory, with real protocols: for tests.

        The arguments are the two roles, the inputs of each as a keyword, and options of runs.
        """
        options = RunOptions.taken(inputs)

        def party_of(role: str) -> str:
            if role in (first, second):
                return role
            raise UsageError(f"there is no role {role}; the roles are {first} and {second}")

        for name in inputs:
            party_of(name)
        one, other = TwoParties.pair(first, second, timeout_s, options)
        return (
            cls.over(one, first, party_of, inputs.get(first)),
            cls.over(other, second, party_of, inputs.get(second)),
        )

    @classmethod
    async def together(
        cls,
        *programs: Callable[[PartySession], Awaitable[Result]],
        timeout_s: float | None = None,
        **inputs: Any,
    ) -> dict[str, Result]:
        """Runs both parties' programs in this process, for tests; returns the result of each, by role.

        Give one program for both parties, or one for each. The roles are the keywords of `inputs`, in order;
        without any, `a` and `b`. The keywords may also be options of runs.
        """
        options = RunOptions.taken(inputs)
        names = [*inputs, *("a", "b")][:2] if len(inputs) != 1 else [*inputs, "b" if "a" in inputs else "a"]
        sessions = cls.pair(names[0], names[1], timeout_s=timeout_s, **inputs, **options.given())
        runs = [session.whole(program) for session, program in zip(sessions, programs * 2, strict=False)]
        results = await asyncio.gather(*runs, return_exceptions=True)
        raise_first(results, PeerError, AbortError)
        return dict(zip(names, results, strict=True))  # type: ignore[arg-type]

    async def whole(self, program: Callable[[PartySession], Awaitable[Result]]) -> Result:
        """The result of a program that runs within this session, from its beginning to its end."""
        async with self:
            return await program(self)

    @property
    def executor(self) -> Executor:
        """The executor of the session, while it is open."""
        return self._known if self._open else closed()

    @property
    def reactor(self) -> Reactor:
        """The executor among three parties or more."""
        if not isinstance(self._known, Reactor):
            refuse("numbers of a field", "between two parties", "inputs name a kind: s.input(name, t.u32)")
        return self._known

    def require_field(self, what: str) -> None:
        """Refuses, between two parties, what needs shares of elements of a field."""
        if not isinstance(self._known, Reactor):
            refuse(what, "between two parties", "it needs three parties or more")

    def require_prime_field(self, what: str) -> None:
        """Refuses, between two parties and in GF(2^8), what needs shares of elements of a prime field."""
        self.require_field(what)
        if self.modulus == GF256:
            raise UsageError(f"{what} needs a prime field, not GF(2^8)")

    async def __aenter__(self) -> PartySession:
        self._thread = threading.get_ident()
        await self._known.meet(Awaited(), _asking(self))
        self._open = True
        enter(self)
        self._end_writing = using(self._known.graph)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        why = _why(kind)
        try:
            if error is None:
                tasks = [task for path, task in self._tasks.items() if path.name != ROOT]
                self.report = await self.executor.finish(tasks)
        except BaseException as failed:
            why = _why(type(failed))
            raise
        finally:
            leave(self)
            self._end_writing()
            self._open = False
            await self._known.leave(why)

    def task(self) -> Any:
        """The native half of the running task."""
        if threading.get_ident() != self._thread:
            raise ProgramError("a session is used in the thread of its event loop")
        path = path_of(self)
        known = self._tasks.get(path)
        if known is None:
            known = self._tasks[path] = self.executor.task(path)
        return known

    def task_ended(self, path: Path) -> None:
        """Ends a task, which writes nothing more."""
        task = self._tasks.pop(path, None)
        if task is not None and self._open:
            self.executor.end_task(task)

    def role(self, name: str) -> SessionRole:
        """A role of the session; every party is one."""
        if name not in self._roles:
            self._roles[name] = SessionRole(self, name, self._party_of(name))
        return self._roles[name]

    def input(self, name: str, type: Kind | ArrayType, value: Any = None) -> Array:  # noqa: A002
        """An input of this party's own role."""
        return self.role(self._own).input(name, type, value)

    def take(self, role: SessionRole, name: str, type_: Kind | ArrayType, value: Any) -> Array:
        """An input of a role."""
        port = Port(role.name, name, *typed(type_, name))
        if role.party != self.party:
            if value is not None:
                raise UsageError(f"{self.party} does not speak for {role.name}, whose input {name} this is")
        elif value is None:
            if composed(name) not in self.inputs:
                raise InputError(f"{role.name}.{name} is missing: give it here, or when the session begins")
            value = self.inputs[composed(name)]
        return self.executor.input(port, role.party, value)

    def open(self, x: Any, to: Role | str | Iterable[Role | str] | None = None) -> asyncio.Future[Any]:
        """Opens a value to all parties, or to the roles that `to` names; other parties get None.

        If several values are opened before the first is awaited, they are sent together.
        """
        if to is None:
            return self.executor.open(x, None)
        if isinstance(to, (Role, str)):
            to = [to]
        parties = {self._party_of(role if isinstance(role, str) else role.name) for role in to}
        if not parties:
            raise ProgramError("a value is opened to nobody; name at least one role in to=")
        return self.executor.open(x, parties)

    def kept(self, name: str, type: Kind | ArrayType) -> Array:  # noqa: A002
        """The value that earlier runs or sessions of two parties kept under a name, as this session began."""
        return self.executor.kept(name, *typed(type, name))

    def keep(
        self,
        name: str | None = None,
        value: Any = None,
        *,
        bits: int = 0,
        comparisons: int = 0,
        masks: Mapping[int, int] | None = None,
    ) -> Awaitable[Any]:
        """Keeps a value under a name, which no party sees, when the session ends; each name once.

        Without a name, it prepares material, as `prepare` does.
        """
        if name is None:
            return self.prepare(bits=bits, comparisons=comparisons, masks=masks)
        self.executor.keep(name, value)
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    def submit(self) -> None:
        """Runs the operations recorded so far, without waiting for the event loop."""
        self.executor.submit()

    def give(self, name: str, value: Array, roles: Sequence[Role]) -> None:
        """Opens a function's output to roles; `results` has it."""
        future = self.open(value, roles)
        for role in roles:
            self._given[role.name, name] = future

    async def results(self) -> dict[str, dict[str, Any]]:
        """The outputs of functions within the session for this party's roles, by role and name."""
        results: dict[str, dict[str, Any]] = {}
        for (role, name), future in self._given.items():
            value = await future
            if self._party_of(role) == self.party:
                results.setdefault(role, {})[name] = value
        return results

    async def run(
        self,
        program: Runnable,
        inputs: Mapping[str, Any] | None = None,
        *,
        roles: Mapping[str, str] | None = None,
        prepared: bool = False,
        **given: Any,
    ) -> dict[str, dict[str, Any]]:
        """Runs a compiled program: a `@t.function`, a C file or any other program that `tacit run` takes.

        `inputs` and results are those of this party's roles, by role. `given` are static parameters and
        options of this run. Two parties run one program after another, in the order of the calls; `prepared`
        uses a run from the store. More parties run several programs at a time, on shares of bits; words that
        are pinned to `arith` are shared as numbers if the modulus has room, and with `domain="arith"` all
        words that can be; `domain="auto"` chooses by predicted time; `classes` decide for some operations.
        `roles` maps roles to parties if the session file does not.
        """
        call = self._call(program, roles, prepared, given)
        texts = self.executor.run(call, call.source.encode_values(inputs or {}))
        # A cancelled task does not cancel the run: other parties may be in the middle of it.
        return call.source.decode_by_role(await asyncio.shield(texts))

    def run_compiled(
        self,
        program: Program,
        inputs: Mapping[str, str],
        roles: Mapping[str, str] | None = None,
        options: RunOptions = USUAL,
    ) -> asyncio.Future[dict[str, str]]:
        """As `run`, from JSON inputs to JSON outputs."""
        return self.executor.run(self._call(program, roles, False, options.given()), inputs)

    def prepare(
        self,
        program: Runnable | None = None,
        count: int = 1,
        *,
        bits: int = 0,
        comparisons: int = 0,
        masks: Mapping[int, int] | None = None,
        **given: Any,
    ) -> asyncio.Future[Any]:
        """Does the work that does not depend on inputs, and puts it into the stores of all parties.

        Two parties prepare `count` runs of a program, which this session may also use; `given` are as for
        `run`, and the result is the number of runs that can be used. More parties prepare random bits,
        material for comparisons, and masks by their number of bits.
        """
        call = None if program is None else self._call(program, None, True, given)
        return self.executor.prepare(call, count, Material(bits, comparisons, masks or {}))

    def _call(
        self, program: Runnable, roles: Mapping[str, str] | None, prepared: bool, given: dict[str, Any]
    ) -> Call:
        from tacit.programs import source_of

        options = RunOptions.taken(given)
        source = source_of(program, given)
        return Call(source, options.or_else(source.usual), path_of(self).fork("run").name, roles, prepared)

    def share(
        self,
        value: Any = None,
        *,
        by: str,
        shape: Sequence[int] | int = (),
        bits: int | None = None,
        kind: Kind | None = None,
    ) -> Array:
        """Numbers of the party `by`. Other parties give only the shape; all give the same kind, if any.

        `kind` is their kind, such as `t.u32`; `bits=32` means `t.int(32)`, sign included. Results then grow
        as in a function, and an operation whose result does not fit in the field raises `RangeError`.
        Without either they are elements of the field, modulo the prime. A number that does not fit in its
        kind raises `InputError` at the party that gives it, before it is shared.
        """
        reactor, kind = self.reactor, _kind(bits, kind)
        reactor.number(by)
        if by != self.party:
            if value is not None:
                raise UsageError(f"{by} gives this input, so {self.party} must not give a value")
        elif value is None:
            raise UsageError(f"{by} gives this input, but its value is missing")
        return reactor.share(value, by, shape, kind)

    async def collect(
        self,
        name: str,
        type: Kind | ArrayType,  # noqa: A002
        *,
        of: str | Iterable[str] | None = None,
        within: float = 10.0,
        promised: bool = False,
    ) -> dict[str, Array]:
        """Inputs of parties that do not compute, by party: of those that gave theirs in time.

        `of` names the parties that are asked; without it, all parties with `computes = false` are. They have
        `within` seconds, or less if all have answered. All computing parties get the same parties. Numbers
        that are not of the kind count as not given; that is checked without seeing them, unless `promised`.
        """
        reactor = self.reactor
        kind, shape = typed(type, name)
        names = reactor.outsiders([of] if isinstance(of, str) else None if of is None else list(of))
        given = await reactor.collect(Port("", name, kind, shape), names, within)
        if not given or kind.modulus is not None:
            return given
        return of_kind(given, kind, [1] * len(given) if promised else await self.open(hold(given, kind)))

    def tell(self, name: str, x: Any, to: str | Iterable[str] | None = None) -> asyncio.Future[None]:
        """Sends a value to parties that do not compute, and to nobody else, under a name.

        `to` names them; without it, all get the value. Those that have not connected yet get it when they do.
        The end of the session waits for all of them, up to its time limit.
        """
        names = self.reactor.outsiders([to] if isinstance(to, str) else None if to is None else list(to))
        return self.reactor.tell(name, x, names)

    @property
    def outside(self) -> list[str]:
        """The parties that do not compute, in the order of their names."""
        return self.reactor.outside

    def share_by_all(
        self,
        value: Any,
        *,
        shape: Sequence[int] | int = (),
        bits: int | None = None,
        kind: Kind | None = None,
    ) -> list[Array]:
        """Numbers of every party, in the order of the parties' names; `value` is this party's.

        `bits` and `kind` are as for `share`.
        """
        kind = _kind(bits, kind)
        return [
            self.share(value if party == self.party else None, by=party, shape=shape, kind=kind)
            for party in self.parties
        ]

    def constant(self, value: Any, kind: Kind | None = None) -> Array:
        """Public numbers, of a kind or as elements of the field."""
        return self.executor.graph.asarray(value, kind)

    concatenate = staticmethod(concatenate)
    stack = staticmethod(stack)
    where = staticmethod(where)

    def random(self, shape: Sequence[int] | int = ()) -> Array:
        """Uniformly random elements of the field, which nobody knows."""
        return self.reactor.end.random(shape, False)

    def random_bits(self, shape: Sequence[int] | int = ()) -> Array:
        """Uniformly random bits, which nobody knows."""
        return self.reactor.end.random(shape, True)

    broadcast = announcements.broadcast
    unit_vector = positions.unit_vector
    lookup = positions.lookup
    shuffle = permutations.shuffle
    shuffle_together = permutations.shuffle_together
    random_permutation = permutations.random_permutation
    random_derangement = permutations.random_derangement
    sort_by = sorting.sort_by
    random_integers = random_numbers.random_integers
    random_unit_vector = draws.random_unit_vector
    choice = draws.choice
    choices = draws.choices
    sample = draws.sample
    gcd = divisors.gcd
    gcdext = divisors.gcdext
    lcm = divisors.lcm
    modular_inverse = divisors.modular_inverse
    solve = linear.solve
    inverse = linear.inverse
    determinant = linear.determinant

    @property
    def statistics(self) -> Statistics:
        """Statistics of shared numbers, such as `rt.statistics.mean(x)`."""
        return Statistics(self)

    def prepare_bits(self, count: int) -> None:
        """Makes random bits in advance, for operations of this task; each is used once."""
        self.reactor.end.prepare("bits", count)

    def prepare_comparisons(self, count: int) -> None:
        """Makes material in advance for comparisons of numbers in this task."""
        self.reactor.end.prepare("comparisons", count)

    def prepare_masks(self, bits: int, count: int) -> None:
        """Makes masks of this many bits in advance, for truncating numbers or splitting them into bits."""
        self.reactor.end.prepare("masks", count, bits)

    @property
    def stored(self) -> dict[str, Any]:
        """The material that this session may still take from the stores, the same at all parties."""
        bits, comparisons, masks = self.reactor.end.stored()
        return {"bits": bits, "comparisons": comparisons, "masks": dict(masks)}

    def synchronise(self) -> asyncio.Future[Any]:
        """Waits until every party has reached this call, and compares the values that were opened to all."""
        return self.reactor.synchronise()

    @property
    def bytes_sent(self) -> int:
        """The bytes that this party has sent so far, without those added by TLS."""
        return self.reactor.end.bytes_sent

    @property
    def threshold(self) -> int:
        """The number of parties that may collude without learning anything."""
        return self.reactor.threshold

    @property
    def security(self) -> str:
        """What other parties may do: "passive", or "active" if everything is verified before it is opened."""
        return self.reactor.security

    @property
    def modulus(self) -> int:
        """The order of the field."""
        return self.reactor.modulus

    def __repr__(self) -> str:
        others = [party for party in self.parties if party != self.party]
        return f"<session of {self.party} with {', '.join(others)}>"


def _kind(bits: int | None, kind: Kind | None) -> Kind | None:
    """The kind for this number of bits, or the named kind."""
    if bits is None:
        return kind
    if kind is not None:
        raise UsageError(f"bits={bits} and {kind}, which has its own width: give only one of them")
    return Kind.int(bits)


def _refuse_given(terms: Mapping[str, Any], where: str, why: str) -> None:
    """Refuses terms that are given but cannot be used there."""
    for term, value in terms.items():
        if value is not None:
            refuse(f"{term}={value!r}", where, why)


def _options(given: dict[str, Any]) -> RunOptions:
    """Options of runs; unknown ones are refused."""
    options = RunOptions.taken(given)
    check_options(given)
    return options


def _asking(owner: PartySession) -> Callable[[], Any]:
    """The function by which the native module gets the running task; it does not keep the session alive."""
    found = weakref.ref(owner)

    def ask() -> Any:
        session = found()
        if session is None:
            raise ProgramError("the session is closed")
        return session.task()

    return ask


def _why(error: type[BaseException] | None) -> str | None:
    """Why a program has given up, for other parties: the kind of error, not its text, which may be secret."""
    if error is None:
        return None
    if issubclass(error, asyncio.CancelledError):
        return "its program was cancelled"
    return f"its program raised {error.__name__}"
