"""Functions between roles: written as Python, traced to programs, run in every way that Tacit has."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from tacit import _native
from tacit._native import Array, ArrayType, Graph, InputError, Kind, Program, ProgramError, UsageError
from tacit.language.connection import Connection
from tacit.language.context import graph, writing
from tacit.language.operators import array
from tacit.language.outputs import Outputs, Results
from tacit.language.values import Port, decode_role, encode_role, is_table
from tacit.options import NAMES, USUAL, OptionWords, RunOptions
from tacit.progress import Told, shown
from tacit.sessions.speakers import KEPT

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Unpack

    Parameters = ParamSpec("Parameters", default=...)
else:
    from typing import ParamSpec

    Parameters = ParamSpec("Parameters")

KEPT_TRACES = 16
"""How many programs a function keeps, for as many choices of its static parameters."""

SHOWN = 60
"""The longest text of a static parameter in the name of a program."""

_TERMS = (*NAMES, "progress", "shares", KEPT)
"""Names of the options of a run, which no role or parameter may have."""


class Role:
    """A role within the body of a function: it gives inputs and receives outputs."""

    def __init__(self, name: str, number: int, ports: Ports | None) -> None:
        self.name = name
        self.number = number
        self._ports = ports or Ports([], [])

    def input(self, name: str, type: Kind | ArrayType) -> Array:  # noqa: A002
        """An input of this role: `t.u32` is a number, `t.u32[n, d]` an array."""
        kind, shape = typed(type, name)
        self._ports.inputs.append(Port(self.name, name, kind, shape))
        return graph().input(self.number, name, kind, shape)

    def output(self, name: str, value: Any) -> None:
        """Gives a value to this role."""
        output(name, value, self)

    def give(self, name: str, value: Array, roles: Sequence[Role]) -> None:
        """Gives a value to this role and to others."""
        graph().output([role.number for role in roles], name, value)

    def receive(self, name: str, value: Array) -> None:
        """Notes that this role receives a value of that name."""
        self._ports.outputs.append(Port(self.name, name, value.kind, value.shape))

    def __repr__(self) -> str:
        return f"<role {self.name}>"


@dataclass
class Ports:
    """The inputs and outputs of roles."""

    inputs: list[Port]
    outputs: list[Port]


def output(name: str, value: Any, *roles: Role) -> None:
    """Gives a value to several roles, as one output."""
    if not roles:
        raise ProgramError(f"nobody receives the output {name}; name the roles that do")
    made = array(value)
    roles[0].give(name, made, roles)
    for role in roles:
        role.receive(name, made)


_PORTS: ContextVar[Ports] = ContextVar("tacit_ports")


def _kept_role() -> Role:
    """The role of kept values, which no party has, in the function that is being traced."""
    writer = graph()
    try:
        return Role(KEPT, writer.role(KEPT), _PORTS.get())
    except LookupError:
        raise ProgramError("only functions made with @t.function can keep shares") from None


def kept(name: str, type: Kind | ArrayType) -> Array:  # noqa: A002
    """A value that an earlier run of the same parties kept as shares, under this name and of this type."""
    return _kept_role().input(name, type)


def keep(name: str, value: Any) -> None:
    """Keeps a value under a name, as shares that no party can read, for later runs of the same parties."""
    output(name, value, _kept_role())


def typed(given: object, name: str) -> tuple[Kind, tuple[int, ...]]:
    """The kind and shape of an input of that type."""
    if isinstance(given, ArrayType):
        return given.kind, given.shape
    if isinstance(given, Kind):
        return given, ()
    raise ProgramError(f"the type of the input {name} must be one like t.u32 or t.u32[n], not {given!r}")


@dataclass(frozen=True)
class Trace:
    """A function with its static parameters: a program, and the meaning of its inputs and outputs."""

    program: Program
    ports: Ports
    usual: ClassVar[RunOptions] = USUAL
    """The default options of runs."""

    def encode(self, given: Mapping[str, Any]) -> dict[str, str]:
        """The inputs of roles as JSON objects."""
        normal = {_identifier(role): values for role, values in given.items()}
        unknown = [role for role in normal if role not in self.program.roles]
        if unknown:
            names = ", ".join(self.program.roles)
            raise InputError(f"there is no role {unknown[0]}; {self.program.name} has {names}")
        return {
            role: _encoded(role, self.of(role, self.ports.inputs), values) for role, values in normal.items()
        }

    def decode(self, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """The outputs of roles from JSON objects."""
        return {role: decode_role(self.of(role, self.ports.outputs), text) for role, text in texts.items()}

    def plan(self, **options: Any) -> str:
        """The plan of a run with these options: protocols, gates, bytes and rounds."""
        return _native.plan(self.program, **{**self.usual.given(), **options})

    def by_name(self, outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Outputs in one object; names that several outputs have are preceded by the roles that receive them.

        Outputs that none of these roles receives are left out.
        """
        _, written = _native.ports(self.program)
        ports = [*written, *(([port.role], port.name) for port in self.ports.outputs if port.is_empty)]
        names = [name for _, name in ports]
        return {
            name if names.count(name) == 1 else f"{'+'.join(roles)}.{name}": outputs[here[0]][name]
            for roles, name in ports
            if (here := [role for role in roles if role in outputs])
        }

    @staticmethod
    def of(role: str, ports: list[Port]) -> list[Port]:
        """The ports of a role."""
        return [port for port in ports if port.role == role]


class Function(Generic[Parameters]):
    """A function between roles.

    Its first parameters are the roles; parameters with a default, or after `*`, are static. A call with the
    inputs of roles computes in the clear; a call with roles, within another function, becomes part of it.
    """

    usual: ClassVar[RunOptions] = USUAL
    """The default options of runs."""

    def __init__(self, body: Callable[Parameters, Any]) -> None:
        functools.update_wrapper(self, body)
        self._body: Callable[..., Any] = body
        self._options = self.usual
        self._progress: Told | bool | None = None
        self.name = body.__name__
        self.roles: list[str] = []
        self.static: dict[str, Any] = {}
        self._traces: dict[object, Trace] = {}
        for parameter in inspect.signature(body).parameters.values():
            self._declare(parameter)
        if not self.roles:
            raise ProgramError(f"{self.name} has no roles; its first parameters name them")

    def _declare(self, parameter: inspect.Parameter) -> None:
        if parameter.name in _TERMS:
            raise ProgramError(f"{self.name}: no role or parameter may be called {parameter.name}")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ProgramError(f"{self.name}: *{parameter.name} names neither a role nor a parameter")
        if parameter.default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY:
            self.roles.append(parameter.name)
        else:
            self.static[parameter.name] = parameter.default

    def trace(self, **static: Any) -> Trace:
        """The program for these static parameters."""
        chosen = self._chosen(static)
        key = _key(chosen)
        if key is not None and key in self._traces:
            return self._traces[key]
        trace = self._trace(chosen)
        if key is not None:
            if len(self._traces) >= KEPT_TRACES:
                del self._traces[next(iter(self._traces))]
            self._traces[key] = trace
        return trace

    def forget(self) -> None:
        """Drops the traced programs, which are otherwise kept for later calls."""
        self._traces.clear()

    def _chosen(self, static: Mapping[str, Any]) -> dict[str, Any]:
        for name in static:
            if name in self.roles:
                raise UsageError(
                    f"{name} is a role of {self.name}, as all first parameters without a default are; static "
                    f"ones have a default or come after *"
                )
            if name not in self.static:
                known = ", ".join([*self.roles, *self.static])
                raise UsageError(f"{self.name} has no role or parameter {name}; it has {known}")
        chosen = {**self.static, **static}
        for name, value in chosen.items():
            if value is inspect.Parameter.empty:
                raise UsageError(f"{self.name}: the parameter {name} has no value")
        return chosen

    def _trace(self, chosen: dict[str, Any]) -> Trace:
        code = getattr(inspect.unwrap(self._body), "__code__", None)
        file = None if code is None else code.co_filename
        writer = Graph(called(self.name, chosen), file)
        ports = Ports([], [])
        roles = [Role(name, writer.role(name), ports) for name in self.roles]
        token = _PORTS.set(ports)
        try:
            with writing(writer):
                returned = self._body(*roles, **chosen)
        finally:
            _PORTS.reset(token)
        if returned is not None:
            raise ProgramError(
                f"{self.name} returns a value; give it to a role with role.output(name, value)"
            )
        return Trace(writer.finish("Python", file and Path(file).name), ports)

    def _split(self, given: Mapping[str, Any]) -> tuple[Trace, dict[str, str]]:
        """The program for the static parameters among these arguments, and the inputs of roles."""
        roles = [*self.roles, KEPT]
        inputs = {name: value for name, value in given.items() if name in roles}
        trace = self.trace(**{name: value for name, value in given.items() if name not in roles})
        return trace, trace.encode(inputs)

    def __call__(self, *roles: Any, **given: Any) -> Any:
        """Computes in the clear, from the inputs of roles; within another function, becomes part of it."""
        if any(isinstance(role, Role) for role in roles):
            return self._body(*roles, **given)
        trace, inputs = self._split(self._named(roles, given))
        return Outputs(lambda: Results(trace.decode(_native.clear_by_role(trace.program, inputs))))

    def _named(self, inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, of which the first may be the inputs of roles in their order."""
        if len(inputs) > len(self.roles):
            roles = ", ".join(self.roles)
            raise UsageError(f"{self.name} takes the inputs of {roles}; given are {len(inputs)} arguments")
        placed = dict(zip(self.roles, inputs, strict=False))
        given = {_identifier(name): value for name, value in given.items()}
        twice = next((role for role in placed if role in given), None)
        if twice is not None:
            raise UsageError(f"{self.name}: the inputs of {twice} are given twice")
        return {**placed, **given}

    def using(
        self, *, progress: Told | bool | None = None, **options: Unpack[OptionWords]
    ) -> Function[Parameters]:
        """The same function with these options for its runs, in a form that type checkers understand."""
        made = copy.copy(self)
        made._options = RunOptions(**{**self._options.given(), **options})
        made._progress = self._progress if progress is None else progress
        return made

    def _taken(self, given: dict[str, Any]) -> RunOptions:
        """The options of a run, of which some may be among the arguments."""
        return RunOptions(**{**self._options.given(), **RunOptions.taken(given).given()})

    def run(self, *inputs: Parameters.args, **given: Parameters.kwargs) -> Outputs:
        """Runs both parties in this process, with real protocols over memory: for tests.

        Takes the inputs of roles, static parameters, and the options of runs except `net`.
        """
        named: dict[str, Any] = dict(given)
        if "progress" in named:
            raise UsageError(
                f"{self.name}.run shows no progress; use {self.name}.local or {self.name}.connect"
            )
        options = self._taken(named)
        trace, texts = self._split(self._named(inputs, named))

        def work() -> Results:
            outputs, reports = _native.in_process(trace.program, texts, **options.given())
            return Results(trace.decode(outputs), _reports(reports))

        return Outputs(work)

    def local(self, *inputs: Parameters.args, **given: Parameters.kwargs) -> Outputs:
        """Runs all parties on this machine, each as a process of its own, over TLS.

        Takes the inputs of roles, static parameters, the options of runs, and `progress`: a function that is
        called with the phase of the run, the amount done, and the total, or True for bars on a terminal's
        stderr or in a notebook.
        """
        from tacit.local import run_local

        named: dict[str, Any] = dict(given)
        progress: Told | bool | None = named.pop("progress", self._progress)
        options = self._taken(named)
        trace, encoded = self._split(self._named(inputs, named))

        def work() -> Results:
            with shown(progress) as told:
                results = run_local(trace.program, encoded, options, progress=told)
            texts = {role: text for result in results for role, text in result.outputs.items()}
            return Results(trace.decode(texts), _reports({result.party: result.report for result in results}))

        return Outputs(work)

    def connect(
        self,
        session: str | PathLike[str],
        role: str,
        key: str | PathLike[str] | None = None,
        *,
        progress: Told | bool | None = None,
        shares: str | PathLike[str] | None = None,
        **given: Any,
    ) -> Connection:
        """One party of a session: the party named `role`, or the party that speaks for that role.

        Takes the options of runs, static parameters, and `progress` as `local` does. `key` is the file of its
        secret key; by default `NAME.key` beside the session file. `shares` is the folder in which this
        party's shares of values are kept between runs.
        """
        options = self._taken(given)
        told = self._progress if progress is None else progress
        return Connection(self.trace(**given), session, role, key, options, progress=told, shares=shares)

    def __repr__(self) -> str:
        return f"<tacit function {self.name}({', '.join([*self.roles, *self.static])})>"


def function(body: Callable[Parameters, Any]) -> Function[Parameters]:
    """Turns a Python function into a function between roles."""
    return Function(body)


def _encoded(role: str, ports: list[Port], given: Any) -> str:
    """The inputs of a role as a JSON object, from a mapping, a file or a table."""
    if isinstance(given, Mapping) and not is_table(given):
        return encode_role(role, ports, given)
    from tacit.language.columns import encode_given

    return encode_given(role, ports, given)


def _identifier(name: str) -> str:
    """A name in the normal form that Python gives to identifiers."""
    return unicodedata.normalize("NFKC", name)


def _key(chosen: Mapping[str, Any]) -> object:
    """A key for one choice of static parameters; None if a value is mutable."""
    key = tuple((name, type(value), value) for name, value in chosen.items())
    try:
        hash(key)
    except TypeError:
        return None
    return key


def called(name: str, chosen: Mapping[str, Any]) -> str:
    """The name of a program with its static parameters, so that parties notice different choices."""
    if not chosen:
        return name
    return f"{name}({', '.join(f'{parameter}={_shown(value)}' for parameter, value in chosen.items())})"


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _reports(texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {party: json.loads(text) for party, text in texts.items()}
