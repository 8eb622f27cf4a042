"""Circuit files and functions in C, applied to secret arrays."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from tacit import _native
from tacit._native import Array, Program, ProgramError, UsageError
from tacit.language.context import graph
from tacit.language.operators import array

MAX_BYTES = 1 << 30


class Circuit:
    """A circuit from a file, Bristol or Bristol Fashion."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        try:
            if self.path.stat().st_size > MAX_BYTES:
                raise ProgramError(f"{self.path} is larger than {MAX_BYTES} bytes")
            text = self.path.read_text("ascii")
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ProgramError(f"{self.path} is no circuit file") from None
        try:
            self._program = Program.from_circuit(text, str(self.path))
        except ProgramError as error:
            raise ProgramError(f"{self.path}: {error}") from None

    def __call__(self, *inputs: Any) -> Any:
        """The outputs, unsigned integers; a tuple of several. Arrays are taken element by element."""
        results = graph().apply_circuit(self._program, [array(x) for x in inputs])
        return results[0] if len(results) == 1 else tuple(results)


def circuit(path: str | PathLike[str]) -> Circuit:
    """A circuit from a file, Bristol or Bristol Fashion: call it with an unsigned integer for each input."""
    return Circuit(path)


class CFunction:
    """A function in C whose variables `INPUT_…` and `OUTPUT_…` are what it takes and gives."""

    def __init__(
        self, path: str | PathLike[str], function: str | None = None, *, clang: str | None = None
    ) -> None:
        from tacit.sources import load_program

        self._program = load_program(Path(path), function=function, clang=clang)
        inputs, outputs = _native.ports(self._program)
        self.inputs = _names(inputs)
        self.outputs = _names([("_".join(roles), name) for roles, name in outputs])

    def __call__(self, **inputs: Any) -> Any:
        """The output, or several by name. A name that several roles have is written `ROLE_name`."""
        if set(inputs) != set(self.inputs):
            known = ", ".join(self.inputs)
            raise ProgramError(f"{self._program.name} takes {known}; given are {', '.join(inputs) or 'none'}")
        given: list[Array] = [array(inputs[name]) for name in self.inputs]
        results = graph().apply_program(self._program, given)
        return results[0] if len(results) == 1 else dict(zip(self.outputs, results, strict=True))


def c_function(
    path: str | PathLike[str], function: str | None = None, *, clang: str | None = None
) -> CFunction:
    """A function in C for secret arrays: call it as `f(x=…, y=…)` for `INPUT_A_x` and `INPUT_B_y`."""
    return CFunction(path, function, clang=clang)


def _names(ports: list[tuple[str, str]]) -> list[str]:
    names = [name for _, name in ports]
    return [name if names.count(name) == 1 else f"{role}_{name}" for role, name in ports]
