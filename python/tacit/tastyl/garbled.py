"""Garbled values: integers that nobody knows, computed with in garbled circuits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from tacit._native import Array, Kind, ProgramError, SecretError, ShapeError
from tacit.language.operators import stack
from tacit.language.types import boolean
from tacit.tastyl.conversion import Wanted, as_kind, shaped
from tacit.tastyl.execution import execution
from tacit.tastyl.plain import Plain, constant
from tacit.tastyl.value import Value, meeting, width_of


class Garbled(Value):
    """An integer in garbled circuits.

    `val` is a plain or garbled value of the same party, a constant, or a list of garbled bits. Its bits are
    `x[0]`, the least significant, to `x[x.bitlen - 1]`.
    """

    def __init__(
        self,
        val: Any = None,
        bitlen: int | None = None,
        dim: Any = None,
        signed: bool | None = None,
        force_bitlen: int | None = None,
        force_signed: bool | None = None,
    ) -> None:
        super().__init__(width_of(bitlen), dim)
        self._array: Array | None = None
        self._items: list[Garbled | None] | None = None
        if val is not None:
            self._convert(val, Wanted.of(bitlen, signed, force_bitlen, force_signed))
        elif self.is_vector and self.declared_shape is not None:
            self._items = [None] * self.declared_shape[0]

    def _convert(self, val: Any, wanted: Wanted) -> None:
        value = self._gathered(val)
        if not value.has_value:
            raise ProgramError(f"{value.where} has no value yet, so it cannot be converted")
        shaped(self, value.shape, value.where)
        self.party = value.party
        kind = wanted.kind(value.kind, value.where)
        if isinstance(value, Plain) and kind != value.kind:
            value = type(value)(val=value, force_bitlen=kind.bits, force_signed=kind.signed)
        found: Array = value.array  # type: ignore[attr-defined]
        self._array = found if found.kind.is_bool and kind == Kind.uint(1) else as_kind(found, kind)
        self._items = None

    def _gathered(self, val: Any) -> Value:
        """What is to be garbled, as one value."""
        if isinstance(val, Value):
            return val
        if isinstance(val, (list, tuple)) and any(isinstance(part, Value) for part in val):
            parts = [garbled(part) for part in val]
            return _stacked(parts) if self.is_vector else _from_bits(parts)
        try:
            return constant(val)
        except TypeError:
            raise ProgramError(
                f"{type(self).__name__}(val={val!r}): only values and integers are garbled"
            ) from None

    # What it is

    @property
    def has_value(self) -> bool:
        return self._array is not None or any(item is not None for item in self._items or [])

    def __bool__(self) -> bool:
        raise SecretError(
            f"{self.where} is garbled, so no condition can depend on it; "
            "write condition.mux(if_zero, if_one), or convert it first: client.x = Unsigned(val=…)"
        )

    @property
    def array(self) -> Array:
        """The value within the program."""
        if self._items is not None:
            parts = self._items
            missing = [place for place, part in enumerate(parts) if part is None]
            if missing:
                raise ProgramError(f"{self.where}[{missing[0]}] has no value yet")
            self._array, self._items = _stacked([part for part in parts if part is not None]).array, None
        if self._array is None:
            raise ProgramError(
                f"{self.where} has no value yet; write {self.where} = {type(self).__name__}(val=…)"
            )
        return self._array

    @property
    def kind(self) -> Kind:
        if not self.has_value and self.declared_bits is not None:
            return Kind.uint(self.declared_bits)
        found = self.array.kind
        return Kind.uint(1) if found.is_bool else found

    @property
    def shape(self) -> tuple[int, ...]:
        if self.declared_shape is not None and self._array is None:
            return self.declared_shape
        return self.array.shape

    def at(self, party: Any) -> Value:
        return made(self.array, party)

    def output(self, dest: object = None, desc: str | None = None) -> None:
        """Raises: a garbled value is converted first."""
        del dest, desc
        to = ("Signed" if self.signed else "Unsigned") + ("Vec" if self.shape else "")
        raise ProgramError(
            f"{self.where} is garbled, so nobody can read it; convert it: {to}(val={self.where})"
        )

    # What is computed with it

    def _binary(self, other: Any, function: Callable[[Array, Array], Array]) -> Any:
        try:
            operand = other if isinstance(other, Garbled) else garbled(other)
        except TypeError:
            return NotImplemented
        return made(function(self.array, operand.array), meeting([self, operand]))

    def __add__(self, other: Any) -> Any:
        return self._binary(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, operator.sub)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, operator.mul)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: y - x)

    __radd__, __rmul__ = __add__, __mul__

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


class GarbledVec(Garbled):
    """Integers in garbled circuits; `dim` is how many, or the dimensions of a matrix."""

    is_vector = True

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> Any:
        if self._items is not None and isinstance(place, int):
            part = self._items[place]
            if part is None:
                raise ProgramError(f"{self.where}[{place}] has no value yet")
            return part
        if not isinstance(place, (int, slice)):
            raise ProgramError(f"{self.where}[{place!r}]: an index is a public integer")
        return made(self.array[place], self.party)

    def __setitem__(self, place: int, part: Any) -> None:
        where = f"{self.where}[{place}]"
        if self.party is None:
            raise ProgramError(f"{where}: assign the vector to a party first")
        if self._items is None:
            self._items = [made(self.array[index], self.party) for index in range(len(self))]
        if not isinstance(place, int) or not -len(self._items) <= place < len(self._items):
            raise ShapeError(f"{where}: there are the elements 0 to {len(self._items) - 1}")
        value = part.arrive(self.party, f"{self.label}[{place}]") if hasattr(part, "arrive") else part
        if isinstance(value, Plain):
            raise ProgramError(f"{where} is garbled; convert what is assigned: Garbled(val={value.where})")
        item = garbled(value)
        if item.party is not None and item.party is not self.party:
            raise ProgramError(f"{item.where} is at {item.party.name}; send it with {where} <<= …")
        if self.declared_shape is not None and item.shape != self.declared_shape[1:]:
            raise ShapeError(
                f"{where} has the dimensions {list(self.declared_shape[1:])}, not {list(item.shape)}"
            )
        self._items[place] = item

    def dot(self, other: Any) -> Garbled:
        """The inner product."""
        operand = garbled(other)
        return made(self.array.dot(operand.array), meeting([self, operand]))

    def sum(self) -> Garbled:
        """The sum of all elements."""
        return made(self.array.sum(), self.party)

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
    if isinstance(value, Value):
        return (GarbledVec if value.shape else Garbled)(val=value)
    found = constant(value)
    return made(execution().graph.asarray(found.source.numbers(), found.kind), None)


def _bits(x: Array, y: Array) -> tuple[Array, Array]:
    """Operands of an operation on bits; truth values count as integers beside wider ones."""
    if x.kind.is_bool and y.kind.is_bool:
        return x, y
    return tuple(each.astype(Kind.uint(1)) if each.kind.is_bool else each for each in (x, y))  # type: ignore[return-value]


def _stacked(parts: list[Garbled]) -> Garbled:
    return made(stack([part.array for part in parts]), meeting(parts))


def _from_bits(parts: list[Garbled]) -> Garbled:
    for part in parts:
        if part.bitlen != 1 or part.shape:
            raise ProgramError(
                f"{part.where} is no bit; of bits write Garbled(val=[…]), of values GarbledVec(val=[…])"
            )
    bits = stack([part.array.astype(boolean) for part in parts])
    return made(bits.from_bits(), meeting(parts))
