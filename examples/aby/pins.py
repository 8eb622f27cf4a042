"""Pins by the letters of the ABY paper."""

import tacit as t

PINS = {"A": t.arith, "B": t.bool_, "Y": t.yao}


def pin(letter: str, x: t.Array) -> t.Array:
    """`x` in the domain of a letter: A, B or Y; as it is without one."""
    return PINS[letter](x) if letter else x
