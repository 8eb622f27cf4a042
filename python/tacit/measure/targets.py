"""Programs that parameters make: C with macros, functions in Python, and files that take none."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from tacit import Program, ProgramError, UsageError
from tacit.compiler import clang_command
from tacit.measure.cases import plain
from tacit.measure.records import Parameter
from tacit.options import USUAL as OTHERWISE
from tacit.options import RunOptions
from tacit.programs import load_function
from tacit.python_file import split_name, user_traceback
from tacit.sources import USUAL, Translation, load_program

Params = Mapping[str, Parameter]


class Made(Protocol):
    """A program, and how its inputs and outputs are written. A trace of the language is one."""

    @property
    def program(self) -> Program:
        """The program."""

    @property
    def usual(self) -> RunOptions:
        """What the options of runs are where nobody says otherwise."""

    def encode(self, given: Mapping[str, Any]) -> dict[str, str]:
        """The inputs of roles as JSON objects."""

    def decode(self, texts: Mapping[str, str]) -> Mapping[str, Any]:
        """The outputs of roles from JSON objects, as a driver sees them."""


@runtime_checkable
class Drawing(Protocol):
    """A program whose inputs are not those that its roles are asked for, and which draws those itself."""

    def draw(self, seed: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Random inputs for the roles that are given none."""


class Traced(Protocol):
    """What makes a program of static parameters; a function of the language does."""

    @property
    def trace(self) -> Callable[..., Made]:
        """The program for these parameters."""


class Target(Protocol):
    """What is measured."""

    @property
    def name(self) -> str:
        """As it stands in results."""

    def make(self, params: Params) -> Made:
        """The program for these parameters."""


@dataclass(frozen=True)
class Compiled:
    """A program whose values are written as JSON, and whose outputs all stand in one object."""

    program: Program
    usual: ClassVar[RunOptions] = OTHERWISE

    def encode(self, given: Mapping[str, Any]) -> dict[str, str]:
        return {role: json.dumps(plain(values)) for role, values in given.items()}

    def decode(self, texts: Mapping[str, str]) -> Mapping[str, Any]:
        merged: dict[str, Any] = json.loads(self.program.merge_outputs(dict(texts)))
        return merged


def target_of(spec: str, translation: Translation = USUAL) -> Target:
    """The target that the command line names: a file, or `app.py:function`."""
    path, name = split_name(spec)
    if path.suffix == ".py":
        translation.refuse(f"{spec} is Python")
        return PythonFunction(spec, load_function(path, name))
    if path.suffix == ".c":
        return CSource(path, translation)
    return CompiledFile(load_program(path, translation), path)


@dataclass(frozen=True)
class CSource:
    """A C file; its parameters are macros."""

    path: Path
    translation: Translation

    @property
    def name(self) -> str:
        return str(self.path)

    def make(self, params: Params) -> Made:
        if not params:
            return Compiled(load_program(self.path, self.translation))
        self._check(params)
        macros = [f"-D{name}={_macro(value)}" for name, value in params.items()]
        command = [*clang_command(self.translation.clang), *macros]
        program = Program.compile_c(str(self.path), command, self.translation.function)
        for warning in program.warnings:
            sys.stderr.write(f"warning: {warning}\n")
        return Compiled(program)

    def _check(self, params: Params) -> None:
        """Refuses a parameter that the file cannot use, which would change nothing."""
        try:
            text = self.path.read_text("utf-8", "replace")
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}") from None
        if re.search(r'^\s*#\s*include\s*"', text, re.MULTILINE):
            return  # what it includes may use the parameter
        for name in params:
            if not re.search(rf"\b{re.escape(name)}\b", text):
                raise UsageError(
                    f"--param {name}: {self.path} never mentions {name}; "
                    "the parameters of a C program are macros, as -D sets them"
                )


def _macro(value: Parameter) -> str:
    return str(int(value) if isinstance(value, bool) else value)


@dataclass(frozen=True)
class PythonFunction:
    """A function of the language; its parameters are the static ones."""

    name: str
    function: Traced

    def make(self, params: Params) -> Made:
        try:
            return self.function.trace(**params)
        except UsageError:
            raise
        except Exception as error:
            raise ProgramError(f"{self.name} raised an exception\n{user_traceback(error)}") from error


@dataclass(frozen=True)
class CompiledFile:
    """A compiled program or a circuit."""

    loaded: Program
    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    def make(self, params: Params) -> Made:
        if params:
            raise UsageError(
                f"--param {next(iter(params))}: {self.path} is compiled already; "
                "parameters are for C and for functions in Python"
            )
        return Compiled(self.loaded)
