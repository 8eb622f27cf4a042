"""Circuits from files, applied to garbled values."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tacit._native import ProgramError
from tacit.language.circuits import Circuit
from tacit.tastyl.garbled import Garbled, garbled, made
from tacit.tastyl.value import meeting


class FileCircuit(Circuit):
    """A circuit in a Bristol format, whose outputs are unsigned."""

    signed = False


class FairplayCircuit(FileCircuit):
    """A circuit of Fairplay or FairplayMP, whose outputs of more than one bit have a sign, as its `Int`."""

    signed = True


class GarbledCircuit:
    """A circuit from a file with the names of its inputs and outputs in the order in which they are passed.

    `gc = GarbledCircuit(FairplayCircuit("add.shdl"), ["alice.input", "bob.input"], ["alice.output"])`,
    and then `gz, = gc([gx, gy])`.
    """

    def __init__(
        self,
        circuit: FileCircuit,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> None:
        self._circuit = circuit
        self._inputs = list(circuit.inputs if inputs is None else inputs)
        self._outputs = list(circuit.outputs if outputs is None else outputs)
        for given, known in ((self._inputs, circuit.inputs), (self._outputs, circuit.outputs)):
            for name in given:
                if name not in known:
                    raise ProgramError(f"{circuit.path} has no {name}; it has {', '.join(known)}")
        missing = [name for name in circuit.inputs if name not in self._inputs]
        if missing:
            raise ProgramError(f"{circuit.path} needs a value for its input {missing[0]} too")

    def __call__(self, values: Sequence[Any]) -> list[Garbled]:
        """The outputs of the circuit for garbled inputs of one party."""
        if len(values) != len(self._inputs):
            raise ProgramError(
                f"{self._circuit.path} takes {', '.join(self._inputs)}; {len(values)} values are given"
            )
        given = [garbled(value) for value in values]
        party = meeting(given)
        found = self._circuit(**{name: value.array for name, value in zip(self._inputs, given, strict=True)})
        results = found if isinstance(found, tuple) else (found,)
        by_name = dict(zip(self._circuit.outputs, results, strict=True))
        return [self._made(by_name[name], party) for name in self._outputs]

    def _made(self, array: Any, party: Any) -> Garbled:
        value = made(array, party)
        if self._circuit.signed and value.bitlen > 1:
            return type(value)(val=value, force_signed=True)
        return value


def protocol_path(name: str | PathLike[str]) -> Path:
    """A file beside the protocol that is being run."""
    from tacit.tastyl.protocol import folder

    return folder() / name
