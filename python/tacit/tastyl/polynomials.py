"""Polynomials over Modular values, which a party computes by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from tacit._native import ProgramError
from tacit.tastyl.execution import execution
from tacit.tastyl.plain import Modular, ModularVec, Source, Stage


class getPolyCoefficients:  # noqa: N801 - as the paper writes it
    """`getPolyCoefficients()(roots)`: the coefficients of the polynomial of these roots, constant first.

    The highest is 1. Source: TASTY, appendix A.
    """

    def __call__(self, roots: Any) -> ModularVec:
        """One number more than there are roots."""
        if not isinstance(roots, ModularVec) or not roots.has_value:
            raise ProgramError("getPolyCoefficients()(x): x is a ModularVec that has a value")
        return _computed(roots, len(roots) + 1, lambda x: _coefficients(x, roots.modulus))


def powers(base: Any, count: int) -> ModularVec:
    """`x^0` to `x^(count - 1)`, which the coefficients of a polynomial are multiplied by."""
    if not isinstance(base, Modular) or base.shape or not base.has_value:
        raise ProgramError("powers(x, count): x is a Modular number that has a value")
    modulus = base.modulus
    return _computed(
        base, count, lambda x: list(accumulate([1] + [x] * (count - 1), lambda a, b: a * b % modulus))
    )


def _computed(given: Modular, count: int, compute: Callable[[Any], list[int]]) -> ModularVec:
    """A vector that a party computes from numbers of its own."""
    source = given.source
    if source.stage is Stage.LATE:
        raise ProgramError(f"{given.where} is known only after the program has run")
    made = ModularVec(modulus=given.modulus)
    like = execution().kind_of(given.kind, (count,))
    made._source = Source(Stage.EARLY, like, lambda: compute(source.numbers()))
    made._owner.parts = [given._owner]
    made._claim(given.party)
    return made


def _coefficients(roots: list[int], modulus: int) -> list[int]:
    found = [1]
    for root in roots:
        shifted, scaled = [0, *found], [*found, 0]
        found = [(x - y * root) % modulus for x, y in zip(shifted, scaled, strict=True)]
    return found
