"""What all values of TASTYL have in common: a party, a name, and being sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tacit._native import Kind, ProgramError, SecretError, ShapeError


class Value:
    """A value of TASTYL, or the declaration of one that has no value yet."""

    is_vector: ClassVar[bool] = False
    stands_for: ClassVar[type | None] = None
    """The type by which programs call this one, if it is another."""

    def __init__(self, bitlen: int | None, dim: Any) -> None:
        self.party: Any = None
        self.label: str | None = None
        self.declared_bits = bitlen
        self.declared_shape = dims_of(type(self), dim)

    @property
    def has_value(self) -> bool:
        """Whether this is more than a declaration."""
        raise NotImplementedError

    @property
    def kind(self) -> Kind:
        """What a number of this is."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions; a single number has none."""
        raise NotImplementedError

    @property
    def bitlen(self) -> int:
        """Bits of a number."""
        return self.kind.bits

    @property
    def signed(self) -> bool:
        """Whether a number has a sign."""
        return self.kind.signed

    @property
    def dim(self) -> Any:
        """The dimension of a vector, or its dimensions."""
        return self.shape[0] if len(self.shape) == 1 else self.shape

    @property
    def where(self) -> str:
        """The value as the protocol writes it, for messages."""
        owner = self.party.name if self.party is not None else None
        return f"{owner}.{self.label}" if owner and self.label else type(self).__name__

    def at(self, party: Any) -> Value:
        """The same value, held by that party."""
        raise NotImplementedError

    def bind(self, party: Any, name: str) -> None:
        """Takes note of the party and the attribute that the value is assigned to."""
        self.party = party
        self.label = self.label or name

    def output(self, dest: object = None, desc: str | None = None) -> None:
        """Gives the value to its party's user."""
        raise NotImplementedError

    def opened(self) -> Any:
        """Where the Modular number comes from that this converts to."""
        raise ProgramError(f"{self.where} is {type(self).__name__}, which does not become Modular")

    def opened_alone(self) -> Any:
        """Where the number comes from that this converts to, if it is opened in a way of its own."""
        return None

    def __ilshift__(self, other: Any) -> Sent:
        return Sent(other)

    def __int__(self) -> int:
        raise SecretError(f"{self.where} is known to no more than one party; numbers and indices are public")

    __index__ = __int__

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError(f"{self.where} is a single number")
        return self.shape[0]

    __hash__ = None  # type: ignore[assignment]


class Sent:
    """The right side of `<<=`, on its way to the party on the left."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def arrive(self, party: Any, name: str) -> Value:
        """The value at its receiver."""
        value = self.value
        if not isinstance(value, Value):
            raise ProgramError(
                f"{party.name}.{name} <<= {value!r}: only values of the other party can be sent"
            )
        if not value.has_value:
            raise ProgramError(f"{value.where} has no value yet, so it cannot be sent")
        if value.party is party:
            raise ProgramError(
                f"{value.where} is at {party.name} already; write {party.name}.{name} = {value.where}"
            )
        return value.at(party)


def dims_of(type_: type[Value], dim: Any) -> tuple[int, ...] | None:
    """The dimensions that a constructor was given."""
    if dim is None:
        return None
    if not type_.is_vector:
        raise ShapeError(f"{type_.__name__} is a single number; with dim= write {type_.__name__}Vec")
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if not dims or not all(isinstance(length, int) and length > 0 for length in dims):
        raise ShapeError(f"dim={dim!r}: dimensions are integers from 1 on")
    return dims


def width_of(bitlen: Any, name: str = "bitlen") -> int | None:
    """A width that a constructor was given."""
    if bitlen is None or (isinstance(bitlen, int) and not isinstance(bitlen, bool) and bitlen > 0):
        return bitlen
    raise ProgramError(f"{name}={bitlen!r}: a number has at least one bit")


def meeting(values: Sequence[Value]) -> Any:
    """The party at which values meet; none of constants alone."""
    placed = [value for value in values if value.party is not None]
    for value in placed[1:]:
        if value.party is not placed[0].party:
            raise _apart(placed[0], value)
    return placed[0].party if placed else None


def _apart(x: Value, y: Value) -> ProgramError:
    here, there = x.party.name, y.party.name
    name = y.label or "y"
    return ProgramError(
        f"{x.where} is at {here} and {y.where} at {there}; send one first: "
        f"{here}.{name} <<= {there}.{name}, converted where it is of another type"
    )
