"""Programs, wherever they come from: functions of the language, files, and names such as `app.py:closest`."""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from tacit import _native
from tacit._native import InputError, Program, ProgramError, TacitError, UsageError
from tacit.inputs import RoleInputs, as_json
from tacit.language.floats import named
from tacit.language.function import Function, Trace
from tacit.measure.cases import plain
from tacit.measure.parameters import parse_parameters
from tacit.options import USUAL as OTHERWISE
from tacit.options import RunOptions
from tacit.python_file import load_module, split_name
from tacit.sessions.session import PartySession
from tacit.sources import USUAL, Translation, load_program
from tacit.tastyl.protocol import protocol_of

Runnable = Function | Program | str | PathLike[str]
"""A function of the language, a program, or what `tacit run` takes: a file, or `app.py:FUNCTION`."""

PartyProgram = Callable[[PartySession], Awaitable[Any]]
"""The program that every party of a session runs."""

MAIN = "main"
"""The name of a session's program if the argument gives none."""


@dataclass(frozen=True)
class Source:
    """A program, and how its values are written if it was traced."""

    program: Program
    trace: Trace | None = None

    @property
    def usual(self) -> RunOptions:
        """The program's defaults for options of runs."""
        return OTHERWISE if self.trace is None else self.trace.usual

    def encode(self, inputs: Mapping[str, RoleInputs]) -> dict[str, str]:
        """The inputs of roles, from the user's form to the engine's JSON."""
        if self.trace is None:
            ports, _ = _native.ports(self.program)
            return {
                role: as_json(role, given, [name for giver, name in ports if giver == role])
                for role, given in inputs.items()
            }
        values = {role: json.loads(one) if isinstance(one, str) else one for role, one in inputs.items()}
        return self.trace.encode(values)

    def encode_values(self, inputs: Mapping[str, Any]) -> dict[str, str]:
        """The inputs of roles, from Python values to the engine's JSON."""
        if self.trace is not None:
            return self.trace.encode(inputs)
        try:
            return {role: json.dumps(named(plain(values))) for role, values in inputs.items()}
        except TypeError as error:
            raise InputError(f"an input is neither a number nor an array: {error}") from None

    def decode_by_role(self, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """The outputs of roles as values, by role."""
        if self.trace is not None:
            return self.trace.decode(texts)
        return {role: json.loads(text) for role, text in texts.items()}

    def clear(self, inputs: Mapping[str, RoleInputs]) -> Mapping[str, Any]:
        """Computes in the clear; returns decoded outputs."""
        if self.trace is None:
            values: dict[str, Any] = json.loads(self.program.clear(self.encode(inputs)))
            return values
        return self.decode(_native.clear_by_role(self.program, self.encode(inputs)))

    def decode(self, outputs: Mapping[str, str]) -> Mapping[str, Any]:
        """The outputs of roles as values: of a function by role, of other programs by name."""
        if self.trace is not None:
            return self.trace.decode(outputs)
        text = next(iter(outputs.values())) if len(outputs) == 1 else self.program.merge_outputs(outputs)
        values: dict[str, Any] = json.loads(text)
        return values

    def merged(self, decoded: Mapping[str, Any]) -> str:
        """Decoded outputs as one JSON object; those of a single role by their own names."""
        if self.trace is None:
            return json.dumps(decoded)
        if len(decoded) == 1:
            return json.dumps(named(next(iter(decoded.values()))), default=str)
        return json.dumps(named(self.trace.by_name(decoded)), default=str)


def source_of(program: Runnable, static: Mapping[str, Any]) -> Source:
    """The program with these static parameters."""
    if isinstance(program, Function):
        trace = program.trace(**static)
        return Source(trace.program, trace)
    if not isinstance(program, Program):
        return load_source(Path(program), static=static)
    if static:
        raise UsageError(f"parameters ({', '.join(static)}) are for functions in Python")
    return Source(program)


def load_source(
    path: Path,
    params: Iterable[str] = (),
    translation: Translation = USUAL,
    *,
    static: Mapping[str, Any] | None = None,
) -> Source:
    """The program in a file, or the function in `app.py:NAME`, or the protocol in a program of TASTYL.

    Static parameters are `params`, as on the command line, and `static`.
    """
    file, name = split_name(str(path))
    chosen = {**_single(params), **(static or {})}
    if file.suffix != ".py":
        if chosen:
            raise UsageError(
                f"parameters ({', '.join(chosen)}) are for functions in Python, and {path} is not one"
            )
        return Source(load_program(path, translation))
    translation.refuse(f"{path} is Python")
    trace = _traced(file, load_function(file, name), chosen)
    return Source(trace.program, trace)


def load_function(file: Path, name: str | None) -> Function:
    """A function of the language in a file, or, without a name, the protocol of a program of TASTYL."""
    module = load_module(file)
    protocol = protocol_of(module, file)
    if protocol is not None and name in (None, "protocol"):
        return protocol
    if name is None:
        raise UsageError(
            f"{file}: add the function's name, as in {file}:FUNCTION; only programs of TASTYL have none, "
            "which import tacit.tastyl and define protocol(client, server)"
        )
    found = vars(module).get(name)
    if name not in vars(module):
        raise UsageError(f"{file} has no {name}")
    if not isinstance(found, Function):
        raise UsageError(
            f"{file}: {name} is not a function of the language; decorate it with @tacit.function"
        )
    return found


def load_party_program(file: Path, name: str | None) -> PartyProgram:
    """The program of a session in a Python file: an `async def` of one argument."""
    name = name or MAIN
    found: object = vars(load_module(file)).get(name)
    if not inspect.iscoroutinefunction(found):
        raise UsageError(f"{file} has no program among many parties: `async def {name}(rt)` is missing")
    program: PartyProgram = found
    return program


def is_compiled(path: Path) -> bool:
    """Whether a program is compiled as a whole, not an `async def` that every party runs."""
    file, name = split_name(str(path))
    if file.suffix != ".py":
        return True
    module = load_module(file)
    found = vars(module).get(name or MAIN)
    if inspect.iscoroutinefunction(found):
        return False
    return isinstance(found, Function) or protocol_of(module, file) is not None


def _single(params: Iterable[str]) -> dict[str, Any]:
    """Parameters of one run."""
    chosen: dict[str, Any] = {}
    for parameter, values in parse_parameters(params).items():
        if len(values) != 1:
            raise UsageError(f"--param {parameter}: a run takes one value, not {len(values)}")
        chosen[parameter] = values[0]
    return chosen


def _traced(file: Path, found: Function, static: Mapping[str, Any]) -> Trace:
    try:
        return found.trace(**static)
    except UsageError:
        raise
    except Exception as error:
        raise ProgramError(f"{_place(error, file)}: {_said(error)}") from error


def _place(error: BaseException, file: Path) -> str:
    """The innermost line of the file that led to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == file.name and frame.lineno]
    return f"{file}:{lines[-1]}" if lines else str(file)


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"
