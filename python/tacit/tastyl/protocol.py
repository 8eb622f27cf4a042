"""Protocols of TASTYL as programs between a client and a server, and how both run them."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, ClassVar

from tacit._native import InputError, ProgramError, UsageError
from tacit.language.columns import encode_given
from tacit.language.context import writing
from tacit.language.function import Function, Ports, Trace, called
from tacit.options import RunOptions
from tacit.tastyl.execution import ROLES, Asked, Execution, Known, NotKnown, differs, executing
from tacit.tastyl.numbers import Numbers, checked, drawn, elementwise, named
from tacit.tastyl.party import Party

_FOLDER: ContextVar[Path] = ContextVar("tacit_tastyl_folder")


def folder() -> Path:
    """The folder of the protocol that is being run."""
    return _FOLDER.get(Path())


GARBLED = RunOptions(domain="yao", garbler="first")
"""Garbled values are labels of circuits that the first role garbles, unless somebody says otherwise."""


@dataclass(frozen=True)
class ProtocolTrace(Trace):
    """A protocol for a choice of parameters, as a program.

    It goes through the protocol again for what each party computes by itself, so it remembers the inputs that
    it encoded for a party until it decodes what the program gave to that party.
    """

    passes: Callable[[Known | None, bool], Execution] = field(kw_only=True)
    asked: list[Asked] = field(kw_only=True)
    usual: ClassVar[RunOptions] = GARBLED
    known: dict[str, Known] = field(default_factory=dict, kw_only=True)

    def encode(self, given: Mapping[str, Any]) -> dict[str, str]:
        """What the parties put into the program, as JSON objects, from their inputs."""
        unknown = [role for role in given if role not in ROLES]
        if unknown:
            raise InputError(f"there is no party {unknown[0]}; a protocol has client and server")
        return {role: self._encode(role, values) for role, values in given.items()}

    def _of(self, role: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.port.role == role]

    def _encode(self, role: str, given: Any) -> str:
        known = Known(role, self._inputs(role, given))
        known.given, _ = self._agreed(known)
        self.known[role] = known
        return json.dumps(known.given)

    def _agreed(self, known: Known) -> tuple[dict[str, Numbers], dict[str, Any]]:
        """What a party puts into the program, and outputs, which conditions of the other may not change."""
        went = self._go(known, False)
        found = _given(went, known.role), _outputs(went, known)
        if went.conditions:
            other = self._go(known, True)
            if found != (_given(other, known.role), _outputs(other, known)):
                raise differs()
        return found

    def _inputs(self, role: str, given: Any) -> dict[str, Numbers]:
        """The inputs of a party, checked; what is missing is asked for where somebody sits at a terminal."""
        asked = self._of(role)
        found = json.loads(encode_given(role, [each.port for each in asked], given))
        for each in asked:
            if each.port.name not in found:
                found[each.port.name] = _prompted(each)
        return {
            port.name: checked(found[port.name], port.kind, port.shape, f"{role}.{port.name}")
            for port in (each.port for each in asked)
        }

    def decode(self, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """The outputs of parties by name, from what the program gave to them."""
        return {role: self._decode(role, json.loads(text)) for role, text in texts.items()}

    def _decode(self, role: str, opened: dict[str, Any]) -> dict[str, Any]:
        before = self.known.get(role)
        if before is None:
            raise InputError(
                f"the inputs of {role} are not known here; encode them first, or an empty mapping"
            )
        plain = {name: elementwise(int, value) for name, value in opened.items()}
        given, outputs = self._agreed(Known(role, before.inputs, before.random, opened=plain))
        if given != before.given:
            raise differs()
        return outputs

    def _go(self, known: Known, condition: bool) -> Execution:
        """Goes through the protocol with what one party knows; the program has to come out the same."""
        went = self.passes(known, condition)
        if went.finish().hash != self.program.hash:
            raise differs()
        return went

    def draw(self, seed: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Inputs for the parties that are given none, by a seed: for measuring, never for secrets."""
        values: dict[str, dict[str, Any]] = {role: {} for role in ROLES if role not in given}
        for port in (asked.port for asked in self.asked if asked.port.role in values):
            source = Random(f"{seed}/{port.role}/{port.name}")
            values[port.role][port.name] = drawn(port.kind, port.shape, source.randrange)
        return values

    def by_name(self, outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The outputs in one object; where both parties have one of a name, the party comes before it."""
        names = [name for values in outputs.values() for name in values]
        return {
            name if names.count(name) == 1 else f"{role}.{name}": value
            for role, values in outputs.items()
            for name, value in values.items()
        }


def _given(went: Execution, role: str) -> dict[str, Numbers]:
    """What a party puts into the program."""
    return {
        port.name: checked(value(), port.kind, port.shape, f"{role}.{port.name}")
        for port, value in went.given
        if port.role == role
    }


def _outputs(went: Execution, known: Known) -> dict[str, Any]:
    """What a party outputs, once the program has run."""
    if known.opened is None:
        return {}
    outputs: dict[str, list[Any]] = {}
    for role, name, value in went.outputs:
        if role == known.role:
            outputs.setdefault(name, []).append(value())
    return {name: values[0] if len(values) == 1 else values for name, values in outputs.items()}


def _prompted(asked: Asked) -> Any:
    """A value from the terminal."""
    port = asked.port
    where = f"{port.role}.{port.name}"
    if not (sys.stdin and sys.stdin.isatty()):
        raise InputError(
            f"{where} is missing: give it as --input {port.role}='{{\"{port.name}\": …}}', "
            f'or by a driver that sets {port.role}_inputs = {{"{port.name}": …}}'
        )
    what = named(port.kind) + (f", {list(port.shape)} of them" if port.shape else "")
    sys.stderr.write(f"{asked.desc or where} ({what}): ")
    sys.stderr.flush()
    line = sys.stdin.readline().strip()
    text = (
        line if line.startswith("[") or not port.shape else f"[{', '.join(line.replace(',', ' ').split())}]"
    )
    try:
        return json.loads(text)
    except ValueError:
        raise InputError(
            f"{where}: {line!r} is not {'a list of integers' if port.shape else 'an integer'}"
        ) from None


class Protocol(Function):
    """A protocol of TASTYL: `protocol(client, server)`, or `protocol(client, server, params)`."""

    usual = GARBLED

    def __init__(
        self, body: Callable[..., Any], params: Mapping[str, Any] | None = None, path: Path | None = None
    ) -> None:
        self._folder = path.parent if path is not None else Path()
        self._takes_params = False
        super().__init__(body)
        positional = [
            each for each in inspect.signature(body).parameters.values() if each.default is each.empty
        ]
        if len(positional) not in (2, 3):
            raise ProgramError(
                f"{self.name} takes {len(positional)} arguments; write it as {self.name}(client, server) "
                f"or {self.name}(client, server, params)"
            )
        self._takes_params = len(positional) == 3
        self.roles = list(ROLES)
        self.static = dict(params or {})

    def _chosen(self, static: Mapping[str, Any]) -> dict[str, Any]:
        if static and not self._takes_params:
            raise UsageError(
                f"{self.name} takes no parameters, so it has no {next(iter(static))}; "
                f"write it as {self.name}(client, server, params)"
            )
        return {**self.static, **static}

    def trace(self, **static: Any) -> Trace:
        """The program for these parameters. Each trace remembers inputs of its own."""
        kept = super().trace(**static)
        assert isinstance(kept, ProtocolTrace)
        return ProtocolTrace(kept.program, kept.ports, passes=kept.passes, asked=kept.asked)

    def _trace(self, chosen: dict[str, Any]) -> Trace:
        name = called(self.name, chosen)

        order = list(ROLES)

        def passes(known: Known | None, condition: bool) -> Execution:
            went = Execution(name, known, condition, tuple(order))
            with executing(went), writing(went.graph), _within(self._folder):
                self._run(chosen)
            return went

        went = passes(None, False)
        if went.holder not in (None, order[0]):
            # The program's first role holds what is encrypted.
            order.reverse()
            went = passes(None, False)
        self._check(went)
        program = went.finish()
        if went.conditions and passes(None, True).finish().hash != program.hash:
            raise differs()
        ports = Ports([each.port for each in went.asked], [])
        return ProtocolTrace(program, ports, passes=passes, asked=went.asked)

    def _run(self, chosen: dict[str, Any]) -> None:
        parties = [Party(role) for role in ROLES]
        try:
            returned = self._body(*parties, *([dict(chosen)] if self._takes_params else []))
        except NotKnown:
            raise ProgramError(
                "a value that only one party knows is used where it has to be public"
            ) from None
        except KeyError as error:
            if self._takes_params and error.args and error.args[0] not in chosen:
                name = error.args[0]
                raise UsageError(
                    f"params[{name!r}] has no value; give --param {name}=…, or a driver with params"
                ) from None
            raise
        if returned is not None:
            raise ProgramError(f"{self.name} returns a value; give it to a party with .output()")

    def _check(self, went: Execution) -> None:
        if not went.opened and not went.conditions and not went.outputs:
            raise ProgramError(f"{self.name} outputs nothing; end with client.x.output(desc=…)")

    def _split(self, given: Mapping[str, Any]) -> tuple[Trace, dict[str, str]]:
        return super()._split({**{role: {} for role in ROLES}, **given})

    def __call__(self, *roles: Any, **given: Any) -> Any:
        """In the clear, from the inputs of both parties."""
        if roles:
            raise UsageError(f"{self.name} is a protocol of its own, and not part of another")
        return super().__call__(**given)


@contextmanager
def _within(path: Path) -> Iterator[None]:
    token = _FOLDER.set(path)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def protocol_of(module: ModuleType, path: Path) -> Protocol | None:
    """The protocol of a file, if it is a program of TASTYL, which imports `tacit.tastyl`."""
    body = vars(module).get("protocol")
    if isinstance(body, Protocol):
        return body
    if not callable(body) or isinstance(body, Function):
        return None
    imports = (
        getattr(value, "__module__", None) or getattr(value, "__name__", "")
        for value in vars(module).values()
    )
    if not any(str(name).startswith("tacit.tastyl") for name in imports):
        return None
    params = vars(module).get("__params__", {})
    if not isinstance(params, Mapping):
        raise UsageError(f"{path}: __params__ is not a mapping from names to values")
    return Protocol(body, params, path)


def load(path: Path) -> Protocol:
    """The protocol in a file."""
    from tacit.python_file import load_module

    found = protocol_of(load_module(path), path)
    if found is None:
        raise UsageError(
            f"{path} is not a program of TASTYL, which imports tacit.tastyl and defines "
            "protocol(client, server)"
        )
    return found
