"""Functions on the command line: `tacit run app.py:closest`."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit import _native
from tacit._native import Program, ProgramError, TacitError, UsageError
from tacit.language.function import Function, Trace
from tacit.measure.parameters import parse_parameters
from tacit.measure.python_file import load_name, split_name
from tacit.sources import load_program


@dataclass(frozen=True)
class Source:
    """A program, and how its values are written if it was traced."""

    program: Program
    trace: Trace | None = None

    def encode(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """The inputs of roles, from JSON as users write it to JSON as the engine takes it."""
        if self.trace is None:
            return dict(inputs)
        return self.trace.encode({role: json.loads(text) for role, text in inputs.items()})

    def clear(self, inputs: Mapping[str, str]) -> str:
        """Computes in the clear."""
        if self.trace is None:
            return self.program.clear(inputs)
        return self.merged(_native.clear_by_role(self.program, self.encode(inputs)))

    def merged(self, outputs: Mapping[str, str]) -> str:
        """The outputs of several roles as one object; those of a single role by their own names."""
        if self.trace is None:
            return next(iter(outputs.values())) if len(outputs) == 1 else self.program.merge_outputs(outputs)
        decoded = self.trace.decode(outputs)
        if len(decoded) == 1:
            return json.dumps(next(iter(decoded.values())), default=str)
        return json.dumps(self._named(decoded), default=str)

    def _named(self, outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The outputs by name; where several have the same, the roles that receive them come before it."""
        _, ports = _native.ports(self.program)
        names = [name for _, name in ports]
        return {
            name if names.count(name) == 1 else f"{'+'.join(roles)}.{name}": outputs[roles[0]][name]
            for roles, name in ports
        }


def load_source(
    path: Path, params: Iterable[str] = (), *, function: str | None = None, clang: str | None = None
) -> Source:
    """The program in a file, or the function in `app.py:NAME` for these static parameters."""
    file, name = split_name(str(path))
    given = list(params)
    if name is None:
        if file.suffix == ".py":
            raise UsageError(f"{path}: name the function too, as {path}:NAME")
        if given:
            raise UsageError(f"--param is for functions in Python, and {path} is none")
        return Source(load_program(path, function=function, clang=clang))
    for option, value in (("--function", function), ("--clang", clang)):
        if value is not None:
            raise UsageError(f"{option} is for C, and {path} is Python")
    trace = _traced(file, name, given)
    return Source(trace.program, trace)


def _traced(file: Path, name: str, params: list[str]) -> Trace:
    found = load_name(file, name)
    if not isinstance(found, Function):
        raise UsageError(f"{file}: {name} is no function of the language; it lacks @tacit.function")
    static: dict[str, Any] = {}
    for parameter, values in parse_parameters(params).items():
        if len(values) != 1:
            raise UsageError(f"--param {parameter}: a run takes one value, not {len(values)}")
        static[parameter] = values[0]
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
