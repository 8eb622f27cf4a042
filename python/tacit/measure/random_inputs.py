"""Random inputs of the shape that a program wants, the same for the same seed."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any

from tacit import Program
from tacit.measure.ports import Array, Float, Integer, Shape, input_ports


def random_inputs(program: Program, seed: str, given: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Values for every role but those that are `given`, uniform over what each type holds.

    Floats are uniform over [-1000, 1000].
    The seed is expanded by the Mersenne Twister: for measuring, never for secrets.
    """
    values: dict[str, dict[str, Any]] = {}
    for port in input_ports(program):
        if port.role not in given:
            source = Random(f"{seed}/{port.role}/{port.name}")
            values.setdefault(port.role, {})[port.name] = _value(port.shape, source)
    return values


def _value(shape: Shape, source: Random) -> Any:
    if isinstance(shape, Integer):
        value = source.getrandbits(shape.bits)
        return value - (1 << (shape.bits - 1)) if shape.signed else value
    if isinstance(shape, Float):
        return source.uniform(-1000, 1000)
    if isinstance(shape, Array):
        return [_value(shape.element, source) for _ in range(shape.length)]
    return {name: _value(member, source) for name, member in shape.members.items()}
