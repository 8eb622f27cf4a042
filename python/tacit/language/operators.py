"""The operations of arrays as functions, which also take public numbers and lists of secret ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tacit import _native
from tacit._native import Array, Kind
from tacit.language.context import writer

Axis = int | tuple[int, ...] | None
"""One axis, several, or all."""


def array(x: Any, kind: Kind | None = None) -> Array:
    """An array of secret numbers, public numbers (which become constants), or lists of both."""
    if isinstance(x, Array) and kind is None:
        return x
    return writer().asarray(x, kind)


def constant(x: Any, kind: Kind | None = None) -> Array:
    """Public numbers as an array, of the given kind or of the smallest that holds them."""
    return writer().asarray(x, kind)


def wrapping(x: Any) -> Array:
    """The same numbers as machine integers: arithmetic keeps their width and wraps modulo `2**bits`."""
    return array(x).wrapping()


def exact(x: Any) -> Array:
    """The same numbers with growing widths, so that nothing overflows: the opposite of `wrapping`."""
    return array(x).wrapping(False)


def astype(x: Any, kind: Kind) -> Array:
    """Another kind: high bits that do not fit are dropped, fractions rounded down; as bool, zero is false."""
    return array(x).astype(kind)


def sum_(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The sum."""
    return array(x).sum(axis, keepdims)


def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The product."""
    return array(x).prod(axis, keepdims)


def min_(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The smallest element."""
    return array(x).min(axis, keepdims)


def max_(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest element."""
    return array(x).max(axis, keepdims)


def argmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The position of the first smallest element."""
    return array(x).argmin(axis, keepdims)


def argmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """The position of the first largest element."""
    return array(x).argmax(axis, keepdims)


def any_(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether an element is true, or not zero."""
    return array(x).any(axis, keepdims)


def all_(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether every element is true, or not zero."""
    return array(x).all(axis, keepdims)


def sort(x: Any, axis: int = -1) -> Array:
    """The elements sorted along an axis, ascending."""
    return array(x).sort(axis)


def argsort(x: Any, axis: int = -1) -> Array:
    """The positions of the elements in ascending order; equal elements keep their order."""
    return array(x).argsort(axis)


def cumsum(x: Any, axis: int | None = None) -> Array:
    """The running sum along an axis, or of all elements of the flattened array."""
    return array(x).cumsum(axis)


def dot(x: Any, y: Any) -> Array:
    """The inner product, or the product of matrices."""
    return array(x).dot(y)


def matmul(x: Any, y: Any) -> Array:
    """`x @ y`."""
    return array(x) @ array(y)


def where(condition: Any, x: Any, y: Any) -> Array:
    """`x` where the condition is true, otherwise `y`, element by element."""
    return array(condition).select(_operand(x), _operand(y))


def minimum(x: Any, y: Any) -> Array:
    """The smaller of two values, element by element."""
    return array(x).pick(_operand(y))


def maximum(x: Any, y: Any) -> Array:
    """The larger of two values, element by element."""
    return array(x).pick(_operand(y), largest=True)


def _operand(x: Any) -> Any:
    """An operand; lists are looked through for secret numbers."""
    return array(x) if isinstance(x, (list, tuple)) else x


def concatenate(arrays: Iterable[Any], axis: int = 0) -> Array:
    """Joins arrays along an existing axis."""
    return _native.concatenate([array(x) for x in arrays], axis)


def stack(arrays: Iterable[Any], axis: int = 0) -> Array:
    """Joins arrays of the same shape along a new axis."""
    return _native.stack([array(x) for x in arrays], axis)


def abs_(x: Any) -> Array:
    """The magnitude."""
    return abs(array(x))


def sqrt(x: Any) -> Array:
    """The square root, rounded down, and 0 for negative numbers; of floats as in IEEE 754."""
    return array(x).sqrt()


def bits(x: Any) -> Array:
    """The bits of every element along a new last axis, the least significant first."""
    return array(x).bits()


def from_bits(x: Any) -> Array:
    """Unsigned integers from their bits along the last axis, the least significant first."""
    return array(x).from_bits()


def lookup(table: Any, position: Any) -> Array:
    """The entry of a table, along its first axis, at a secret position.

    A position outside the table gives an arbitrary entry.
    """
    return array(table).lookup(array(position))


def update(table: Any, position: Any, entry: Any) -> Array:
    """A table with the entry at a secret position replaced; unchanged if the position is outside."""
    return array(table).update(array(position), _operand(entry))


def reshape(x: Any, *shape: int | tuple[int, ...]) -> Array:
    """The same elements in another shape; one dimension may be -1."""
    return array(x).reshape(*shape)


def transpose(x: Any, axes: Sequence[int] | None = None) -> Array:
    """The array with its axes in another order; by default reversed."""
    return array(x).transpose(axes)


def broadcast_to(x: Any, shape: int | tuple[int, ...]) -> Array:
    """The array repeated to a shape, by NumPy's rules of broadcasting."""
    return array(x).broadcast_to(shape)


def yao(x: Any) -> Array:
    """The same value, held as labels of a garbled circuit."""
    return array(x).pinned("yao")


def arith(x: Any) -> Array:
    """The same value, shared additively: for sums and products of words of up to 128 bits."""
    return array(x).pinned("arith")


def bool_(x: Any) -> Array:
    """The same value, shared bit by bit."""
    return array(x).pinned("bool")


def he(x: Any) -> Array:
    """The same value, encrypted: for sums, and products with constants, of words of up to 128 bits."""
    return array(x).pinned("he")
