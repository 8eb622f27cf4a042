"""Polynomials over Modular values, which a party computes by itself."""

from __future__ import annotations

from typing import Any

from tacit._native import ProgramError
from tacit.tastyl.execution import execution
from tacit.tastyl.plain import ModularVec, Source, Stage


class getPolyCoefficients:  # noqa: N801 - as the paper writes it
    """`getPolyCoefficients()(roots)`: the coefficients of the polynomial of these roots, the constant one first.

    The highest is 1. Source: TASTY, appendix A.
    """

    def __call__(self, roots: Any) -> ModularVec:
        """One number more than there are roots."""
        if not isinstance(roots, ModularVec) or not roots.has_value:
            raise ProgramError("getPolyCoefficients()(x): x is a ModularVec that has a value")
        given = roots.source
        if given.stage is Stage.LATE:
            raise ProgramError(f"{roots.where} is known only after the program has run")
        made = ModularVec(modulus=roots.modulus)
        like = execution().kind_of(roots.kind, (len(roots) + 1,))
        made._source = Source(Stage.EARLY, like, lambda: _coefficients(given.numbers(), roots.modulus))
        made._owner.parts = [roots._owner]
        made._claim(roots.party)
        return made


def _coefficients(roots: list[int], modulus: int) -> list[int]:
    found = [1]
    for root in roots:
        shifted, scaled = [0, *found], [*found, 0]
        found = [(x - y * root) % modulus for x, y in zip(shifted, scaled, strict=True)]
    return found
