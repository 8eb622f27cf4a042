"""Garbled values: integers that nobody knows, computed with in garbled circuits."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from tacit._native import Array, Kind, ProgramError, ShapeError
from tacit.language.operators import stack, yao
from tacit.language.types import boolean
from tacit.tastyl.conversion import as_kind
from tacit.tastyl.encrypted import Encrypted, EncryptedVector
from tacit.tastyl.execution import execution
from tacit.tastyl.plain import constant
from tacit.tastyl.value import Value, meeting


class Garbled(Encrypted):
    """An integer in garbled circuits.

    `val` is a plain or garbled value of the same party, a constant, or a list of garbled bits. Its bits are
    `x[0]`, the least significant, to `x[x.bitlen - 1]`.
    """

    how = "garbled"

    @classmethod
    def made(cls, array: Array, party: Any) -> Any:
        return made(array, party)

    @classmethod
    def of(cls, value: Any) -> Any:
        return garbled(value)

    def _joined(self, parts: list[Any]) -> Value:
        return super()._joined(parts) if self.is_vector else _from_bits(parts)

    def _array_of(self, value: Value, kind: Kind) -> Array:
        found: Array = value.array  # type: ignore[attr-defined]
        found = found if found.kind.is_bool and kind == Kind.uint(1) else as_kind(found, kind)
        return yao(found) if isinstance(value, Encrypted) and not isinstance(value, Garbled) else found

    # What is computed with it

    def __and__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: operator.and_(*_bits(x, y)))

    def __or__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: operator.or_(*_bits(x, y)))

    def __xor__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: operator.xor(*_bits(x, y)))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lt__(self, other: Any) -> Any:
        return self._binary(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._binary(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._binary(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._binary(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._binary(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._binary(other, operator.ne)

    def __neg__(self) -> Garbled:
        return made(-self.array, self.party)

    def __invert__(self) -> Garbled:
        return made(~self.array, self.party)

    def mux(self, if_zero: Any, if_one: Any) -> Garbled:
        """`if_one` where this bit is 1, else `if_zero`."""
        if self.bitlen != 1:
            raise ProgramError(
                f"{self.where} has {self.bitlen} bits; a mux chooses by one bit, such as a comparison"
            )
        zero, one = garbled(if_zero), garbled(if_one)
        party = meeting([self, zero, one])
        return made(self.array.astype(boolean).select(one.array, zero.array), party)

    # Its bits

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[bit] for bit in range(*place.indices(self.bitlen))]
        if not isinstance(place, int):
            raise ProgramError(f"{self.where}[{place!r}]: the place of a bit is a public integer")
        if not -self.bitlen <= place < self.bitlen:
            raise ShapeError(f"{self.where} has the bits 0 to {self.bitlen - 1}, and no bit {place}")
        return made(self.array.bit(place), self.party)

    def __iter__(self) -> Iterator[Any]:
        return (self[bit] for bit in range(self.bitlen))

    def __len__(self) -> int:
        return self.bitlen


class GarbledVec(EncryptedVector, Garbled):
    """Integers in garbled circuits; `dim` is how many, or the dimensions of a matrix."""

    def min_value(self) -> Garbled:
        """The smallest element."""
        return made(self.array.min(), self.party)

    def max_value(self) -> Garbled:
        """The largest element."""
        return made(self.array.max(), self.party)

    def min_index(self) -> Garbled:
        """The position of the first smallest element."""
        return made(self.array.argmin(), self.party)

    def max_index(self) -> Garbled:
        """The position of the first largest element."""
        return made(self.array.argmax(), self.party)

    def min_value_index(self) -> tuple[Garbled, Garbled]:
        """The smallest element and its position."""
        return self.min_value(), self.min_index()

    def max_value_index(self) -> tuple[Garbled, Garbled]:
        """The largest element and its position."""
        return self.max_value(), self.max_index()


def made(array: Array, party: Any) -> Garbled:
    """The garbled value, or vector, that an array is."""
    value = GarbledVec() if array.shape else Garbled()
    value._array, value.party = array, party
    return value


def garbled(value: Any) -> Garbled:
    """A value as a garbled one: plain values are garbled where they meet garbled ones."""
    if isinstance(value, Garbled):
        return value
    if isinstance(value, Encrypted):
        raise ProgramError(
            f"{value.where} is {value.how} and meets a garbled value; convert one of them, "
            f"as in Garbled(val={value.where})"
        )
    if isinstance(value, Value):
        return (GarbledVec if value.shape else Garbled)(val=value)
    found = constant(value)
    return made(execution().graph.asarray(found.source.numbers(), found.kind), None)


def _bits(x: Array, y: Array) -> tuple[Array, Array]:
    """Operands of an operation on bits; truth values count as integers beside wider ones."""
    if x.kind.is_bool and y.kind.is_bool:
        return x, y
    return tuple(each.astype(Kind.uint(1)) if each.kind.is_bool else each for each in (x, y))  # type: ignore[return-value]


def _from_bits(parts: list[Garbled]) -> Garbled:
    for part in parts:
        if part.bitlen != 1 or part.shape:
            raise ProgramError(
                f"{part.where} is not a bit; for bits write Garbled(val=[…]), for values GarbledVec(val=[…])"
            )
    bits = stack([part.array.astype(boolean) for part in parts])
    return made(bits.from_bits(), meeting(parts))
