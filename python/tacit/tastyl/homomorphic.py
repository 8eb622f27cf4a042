"""Homomorphically encrypted values, which TASTYL has and this version has not."""

from __future__ import annotations

from typing import Any, NoReturn

from tacit._native import ProgramError


class Homomorphic:
    """An integer encrypted under an additively homomorphic cryptosystem: not in this version.

    In TASTY it is made with `Homomorphic(val=…)` of plain or garbled values, added to others, and multiplied
    with plain ones at the server without interaction. `Garbled` computes the same, and comparisons besides.
    """

    def __init__(self, *_: Any, **__: Any) -> NoReturn:
        name = type(self).__name__
        garbled = name.replace("Homomorphic", "Garbled")
        raise ProgramError(
            f"{name} is not in this version; write {garbled} in its place, which computes the same"
        )


class HomomorphicVec(Homomorphic):
    """Integers encrypted under an additively homomorphic cryptosystem: not in this version."""
