"""Circuit files and functions in C, applied to secret arrays."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from tacit import _native
from tacit._native import Array, ProgramError
from tacit.language.context import graph
from tacit.language.operators import array


class Circuit:
    """A circuit from a file: Bristol format, Bristol Fashion, Fairplay's SHDL or a format of FairplayMP."""

    def __init__(self, path: str | PathLike[str]) -> None:
        from tacit.sources import load_circuit

        self.path = Path(path)
        self._program = load_circuit(self.path, str(self.path))
        inputs, outputs = _native.ports(self._program)
        self.inputs = _names(inputs, ".")
        self.outputs = _names([(roles[0], name) for roles, name in outputs], ".")

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The output, an unsigned integer, or a tuple of several. Arrays are computed element by element.

        Inputs are given in the order of the file, or by their names there: `add(x, **{"input.alice": y})`.
        """
        results = graph().apply_circuit(self._program, [array(x) for x in self._ordered(inputs, named)])
        return results[0] if len(results) == 1 else tuple(results)

    def _ordered(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        rest = self.inputs[len(inputs) :]
        if set(named) != set(rest) or len(inputs) > len(self.inputs):
            given = ", ".join([*map(str, range(1, len(inputs) + 1)), *named]) or "none"
            raise ProgramError(f"{self.path} takes {', '.join(self.inputs)}; given are {given}")
        return [*inputs, *(named[name] for name in rest)]


def circuit(path: str | PathLike[str]) -> Circuit:
    """Loads a circuit from a file; call it with an unsigned integer for each input."""
    return Circuit(path)


class CFunction:
    """A function in C; its variables `INPUT_…` are its arguments, and `OUTPUT_…` its results."""

    def __init__(
        self,
        path: str | PathLike[str],
        function: str | None = None,
        *,
        clang: str | None = None,
        unwind: str | None = None,
        int_width: int = 32,
    ) -> None:
        from tacit.sources import Translation, load_program

        width = None if int_width == 32 else str(int_width)
        self._program = load_program(Path(path), Translation(function, clang, unwind, width))
        inputs, outputs = _native.ports(self._program)
        self.inputs = _names(inputs, "_")
        self.outputs = _names([("_".join(roles), name) for roles, name in outputs], "_")

    def __call__(self, **inputs: Any) -> Any:
        """The output, or several by name. If several roles have a name, it is written `ROLE_name`."""
        if set(inputs) != set(self.inputs):
            known = ", ".join(self.inputs)
            raise ProgramError(f"{self._program.name} takes {known}; given are {', '.join(inputs) or 'none'}")
        given: list[Array] = [array(inputs[name]) for name in self.inputs]
        results = graph().apply_program(self._program, given)
        return results[0] if len(results) == 1 else dict(zip(self.outputs, results, strict=True))


def c_function(
    path: str | PathLike[str],
    function: str | None = None,
    *,
    clang: str | None = None,
    unwind: str | None = None,
    int_width: int = 32,
) -> CFunction:
    """Compiles a function in C, C++ or Rust; call `f(x=…, y=…)` for `INPUT_A_x` and `INPUT_B_y`."""
    return CFunction(path, function, clang=clang, unwind=unwind, int_width=int_width)


def _names(ports: list[tuple[str, str]], between: str) -> list[str]:
    """Names of ports; a name that several have is preceded by their roles."""
    names = [name for _, name in ports]
    return [name if names.count(name) == 1 else f"{role}{between}{name}" for role, name in ports]
