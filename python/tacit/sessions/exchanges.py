"""Rows of shared numbers, some pairs of which are exchanged where a secret bit is 1."""

from __future__ import annotations

from collections.abc import Sequence

from tacit._native import Array, Kind, KindError, ShapeError
from tacit.language.operators import concatenate, where
from tacit.sessions.exchange_network import Step
from tacit.sessions.words import is_float, kind_of, of_kind, words


def row_count(arrays: Sequence[Array], what: str) -> int:
    """The number of rows of each of these arrays, along the first axis."""
    shapes = ", ".join(str(x.shape) for x in arrays)
    if any(not x.shape for x in arrays):
        raise ShapeError(f"{what} of a single number: it takes arrays, with rows along the first axis")
    if len({x.shape[0] for x in arrays}) != 1:
        raise ShapeError(f"{what} of arrays of shapes {shapes}: give one or more; all need as many rows")
    return arrays[0].shape[0]


class Rows:
    """The rows of several arrays, two or more in each: words side by side in one matrix, and floats."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self.count = arrays[0].shape[0]
        self._shapes = [x.shape for x in arrays]
        self._kinds = [kind_of(x) for x in arrays]
        rows = [x.reshape(self.count, x.size // self.count) for x in arrays]
        self._floats = {number: row for number, row in enumerate(rows) if is_float(row)}
        parts = [words(row) for row in rows if not is_float(row)]
        self._columns = [0 if is_float(row) else row.shape[1] for row in rows]
        self._matrix = concatenate(parts, axis=1) if parts else None

    def column(self, number: int) -> Array:
        """One column of words."""
        if self._matrix is None:
            raise KindError("floats are no sort keys")
        return self._matrix[:, number]

    def exchange(self, step: Step, bits: Array) -> None:
        """Exchanges the pairs whose bit, 0 or 1 in the field, is 1.

        Cost: a product for each pair and column of words, two ANDs for each pair and bit of floats.
        """
        firsts, seconds = map(list, zip(*step.pairs, strict=True))
        order = step.order(self.count)
        if self._matrix is not None:
            first, second = self._matrix[firsts], self._matrix[seconds]
            moved = bits[:, None] * (second - first)
            self._matrix = concatenate([first + moved, second - moved, self._matrix])[order]
        for number, rows in self._floats.items():
            first, second, swapped = rows[firsts], rows[seconds], bits.within(Kind.boolean())[:, None]
            parts = [where(swapped, second, first), where(swapped, first, second), rows]
            self._floats[number] = concatenate(parts)[order]

    def arrays(self) -> list[Array]:
        """The arrays, with their original shapes and kinds."""
        arrays, start = [], 0
        for number, (shape, columns) in enumerate(zip(self._shapes, self._columns, strict=True)):
            if number in self._floats or self._matrix is None:
                arrays.append(self._floats[number].reshape(*shape))
                continue
            own = self._matrix[:, start : start + columns].reshape(*shape)
            arrays.append(of_kind(own, self._kinds[number]))
            start += columns
        return arrays
