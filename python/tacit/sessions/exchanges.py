"""Rows of shared numbers, some pairs of which are exchanged where a secret bit is 1."""

from __future__ import annotations

from collections.abc import Sequence

from tacit._native import Array, ShapeError
from tacit.language.operators import concatenate
from tacit.sessions.exchange_network import Step
from tacit.sessions.words import kind_of, of_kind, words


def row_count(arrays: Sequence[Array], what: str) -> int:
    """The number of rows of each of these arrays, along the first axis."""
    shapes = ", ".join(str(x.shape) for x in arrays)
    if any(not x.shape for x in arrays):
        raise ShapeError(f"{what} of a single number: it takes arrays, with rows along the first axis")
    if len({x.shape[0] for x in arrays}) != 1:
        raise ShapeError(f"{what} of arrays of shapes {shapes}: give one or more; all need as many rows")
    return arrays[0].shape[0]


class Rows:
    """The rows of several arrays, two or more in each, side by side in one matrix of words."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self.count = arrays[0].shape[0]
        self._shapes = [x.shape for x in arrays]
        self._kinds = [kind_of(x) for x in arrays]
        parts = [words(x).reshape(self.count, x.size // self.count) for x in arrays]
        self._columns = [part.shape[1] for part in parts]
        self._matrix = concatenate(parts, axis=1)

    def column(self, number: int) -> Array:
        """One column, as words."""
        return self._matrix[:, number]

    def exchange(self, step: Step, bits: Array) -> None:
        """Exchanges the pairs whose bit, 0 or 1 in the field, is 1: a product for each pair and column."""
        firsts, seconds = map(list, zip(*step.pairs, strict=True))
        first, second = self._matrix[firsts], self._matrix[seconds]
        moved = bits[:, None] * (second - first)
        parts = [first + moved, second - moved, self._matrix]
        self._matrix = concatenate(parts)[step.order(self.count)]

    def arrays(self) -> list[Array]:
        """The arrays, with their original shapes and kinds."""
        arrays, start = [], 0
        for shape, columns, kind in zip(self._shapes, self._columns, self._kinds, strict=True):
            own = self._matrix[:, start : start + columns].reshape(*shape)
            arrays.append(of_kind(own, kind))
            start += columns
        return arrays
