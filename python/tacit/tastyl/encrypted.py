"""What garbled and homomorphic values have in common: nobody knows them, and they are in the program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from tacit._native import Array, Kind, ProgramError, SecretError, ShapeError
from tacit.language.operators import stack
from tacit.tastyl.conversion import Wanted, shaped
from tacit.tastyl.plain import Plain, constant
from tacit.tastyl.value import Value, meeting, width_of


class Encrypted(Value):
    """An integer that nobody knows, or integers."""

    how: ClassVar[str]
    """In a word, for messages."""

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
        self._items: list[Any] | None = None
        if val is not None:
            self._convert(val, Wanted.of(bitlen, signed, force_bitlen, force_signed))
        elif self.is_vector and self.declared_shape is not None:
            self._items = [None] * self.declared_shape[0]

    @classmethod
    def made(cls, array: Array, party: Any) -> Any:
        """The value, or vector, of this type that an array is."""
        raise NotImplementedError

    @classmethod
    def of(cls, value: Any) -> Any:
        """A value as one of this type, where they meet."""
        raise NotImplementedError

    def _array_of(self, value: Value, kind: Kind) -> Array:
        """A value that is converted, in the program."""
        raise NotImplementedError

    def _joined(self, parts: list[Any]) -> Value:
        """The value that a list of others is."""
        stacked: Value = _stacked(parts)
        return stacked

    def _convert(self, val: Any, wanted: Wanted) -> None:
        value = self._gathered(val)
        if not value.has_value:
            raise ProgramError(f"{value.where} has no value yet, so it cannot be converted")
        shaped(self, value.shape, value.where)
        self.party = value.party
        kind = wanted.kind(value.kind, value.where)
        if isinstance(value, Plain) and kind != value.kind:
            value = type(value)(val=value, force_bitlen=kind.bits, force_signed=kind.signed)
        self._array = self._array_of(value, kind)
        self._items = None

    def _gathered(self, val: Any) -> Value:
        """What is to be converted, as one value."""
        if isinstance(val, Value):
            return val
        if isinstance(val, (list, tuple)) and any(isinstance(part, Value) for part in val):
            return self._joined([self.of(part) for part in val])
        try:
            return constant(val)
        except TypeError:
            raise ProgramError(
                f"{type(self).__name__}(val={val!r}): only values and integers are {self.how}"
            ) from None

    # What it is

    @property
    def has_value(self) -> bool:
        return self._array is not None or any(item is not None for item in self._items or [])

    def __bool__(self) -> bool:
        raise SecretError(
            f"{self.where} is {self.how}, so no condition can depend on it; "
            "write condition.mux(if_zero, if_one) of garbled values, or convert it first: "
            "client.x = Unsigned(val=…)"
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
        sent: Value = self.made(self.array, party)
        return sent

    def output(self, dest: object = None, desc: str | None = None) -> None:
        """Raises: an encrypted value is converted first."""
        del dest, desc
        to = ("Signed" if self.signed else "Unsigned") + ("Vec" if self.shape else "")
        raise ProgramError(
            f"{self.where} is {self.how}, so nobody can read it; convert it: {to}(val={self.where})"
        )

    # What is computed with it

    def __add__(self, other: Any) -> Any:
        return self._binary(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, operator.sub)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, operator.mul)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: y - x)

    __radd__, __rmul__ = __add__, __mul__

    def _binary(self, other: Any, function: Callable[[Array, Array], Array]) -> Any:
        try:
            operand = self.of(other)
        except TypeError:
            return NotImplemented
        return self._with(operand, function)

    def _with(self, operand: Any, function: Callable[[Array, Array], Array]) -> Any:
        """A function of two values of this type, at the party at which they meet."""
        return self.made(function(self.array, operand.array), meeting([self, operand]))


class EncryptedVector(Encrypted):
    """Integers that nobody knows; `dim` is how many, or the dimensions of a matrix."""

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
        return self.made(self.array[place], self.party)

    def __setitem__(self, place: int, part: Any) -> None:
        where = f"{self.where}[{place}]"
        if self.party is None:
            raise ProgramError(f"{where}: assign the vector to a party first")
        if self._items is None:
            self._items = [self.made(self.array[index], self.party) for index in range(len(self))]
        if not isinstance(place, int) or not -len(self._items) <= place < len(self._items):
            raise ShapeError(f"{where}: there are the elements 0 to {len(self._items) - 1}")
        value = part.arrive(self.party, f"{self.label}[{place}]") if hasattr(part, "arrive") else part
        if isinstance(value, Plain):
            to = type(self).__name__.removesuffix("Vec")
            raise ProgramError(f"{where} is {self.how}; convert what is assigned: {to}(val={value.where})")
        item = self.of(value)
        if item.party is not None and item.party is not self.party:
            raise ProgramError(f"{item.where} is at {item.party.name}; send it with {where} <<= …")
        if self.declared_shape is not None and item.shape != self.declared_shape[1:]:
            raise ShapeError(
                f"{where} has the dimensions {list(self.declared_shape[1:])}, not {list(item.shape)}"
            )
        self._items[place] = item

    def dot(self, other: Any) -> Any:
        """The inner product."""
        return self._with(self.of(other), lambda x, y: x.dot(y))

    def sum(self) -> Any:
        """The sum of all elements."""
        return self.made(self.array.sum(), self.party)


def _stacked(parts: list[Any]) -> Any:
    return parts[0].made(stack([part.array for part in parts]), meeting(parts))
