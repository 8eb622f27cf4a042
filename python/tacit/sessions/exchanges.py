"""Rows of shared numbers, some pairs of which are exchanged where a secret bit is 1."""

from __future__ import annotations

from collections.abc import Sequence

from tacit._native import Array, Kind, ShapeError
from tacit.language.operators import concatenate
from tacit.sessions.exchange_network import Step
from tacit.sessions.words import kind_of, of_kind, words


class Rows:
    """The rows of several arrays, along the first axis of each, side by side in one matrix of words."""

    def __init__(self, arrays: Sequence[Array], what: str) -> None:
        lengths = {x.shape[0] if x.shape else None for x in arrays}
        if None in lengths:
            raise ShapeError(
                f"{what} of a single number: it takes arrays, whose rows lie along the first axis"
            )
        if len(lengths) > 1:
            shapes = ", ".join(str(x.shape) for x in arrays)
            raise ShapeError(f"{what} of arrays of shapes {shapes}: all need as many rows")
        self.count = lengths.pop() or 0
        self._arrays = list(arrays)
        self._columns: list[int] = []
        self._kinds: list[Kind | None] = []
        parts = []
        for x in arrays:
            self._kinds.append(kind_of(x))
            self._columns.append(x.size // max(self.count, 1))
            parts.append(words(x).reshape(self.count, self._columns[-1]))
        self._matrix = parts[0] if len(parts) == 1 else concatenate(parts, axis=1)

    def exchange(self, step: Step, bits: Array) -> None:
        """Exchanges the pairs whose bit, 0 or 1 in the field, is 1: a product for each pair and column."""
        firsts, seconds = map(list, zip(*step.pairs, strict=True))
        first, second = self._matrix[firsts], self._matrix[seconds]
        moved = bits[:, None] * (second - first)
        parts = [first + moved, second - moved, self._matrix]
        self._matrix = concatenate(parts)[step.order(self.count)]

    def arrays(self) -> list[Array]:
        """The arrays, in the shapes and of the kinds that they came with."""
        arrays, start = [], 0
        for x, columns, kind in zip(self._arrays, self._columns, self._kinds, strict=True):
            own = self._matrix[:, start : start + columns].reshape(*x.shape)
            arrays.append(of_kind(own, kind))
            start += columns
        return arrays
