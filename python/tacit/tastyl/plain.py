"""Plain values: integers that one party knows."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, ClassVar

from tacit._native import Array, InputError, Kind, ProgramError, ShapeError
from tacit.language.types import field as field_of
from tacit.language.values import Port
from tacit.tastyl.conversion import Wanted, as_kind, shaped
from tacit.tastyl.execution import NotKnown, NotOwned, execution
from tacit.tastyl.numbers import Numbers, dot, elementwise, flat, within
from tacit.tastyl.value import Value, meeting, width_of

DEFAULT_MODULUS = 2**61 - 1
"""That of Modular values of which nothing else is said."""


class Stage(IntEnum):
    """When a plain value is known."""

    PUBLIC = 0
    """Always, to everybody: a constant."""
    EARLY = 1
    """Before the program runs, to its party."""
    LATE = 2
    """After it has run, to its party."""


class Source:
    """Where a plain value comes from: `numbers` in the clear at its party, `build` within the program.

    What a party knows early is not built; it is given to the program as an input.
    """

    def __init__(
        self,
        stage: Stage,
        like: Array,
        numbers: Callable[[], Numbers],
        build: Callable[[], Array] | None = None,
    ) -> None:
        self.stage = stage
        self.like = like
        self._compute = numbers
        self._numbers: Numbers = None
        self._is_unknown = False
        self._build = build
        self._array: Array | None = None
        self.encrypted: Array | None = None
        """The input of the program that it is where it is encrypted."""
        self.elements: dict[int, Source] = {}
        """Of a vector, its elements as far as they have been asked for."""
        with contextlib.suppress(NotKnown):
            self.numbers()  # at once, so that long computations do not nest

    def numbers(self) -> Numbers:
        """The numbers, where they are known in this pass."""
        if self._is_unknown:
            raise NotKnown
        if self._numbers is None:
            try:
                self._numbers = self._compute()
            except NotOwned:
                raise
            except NotKnown:
                self._is_unknown = True
                raise
        return self._numbers

    def array(self, give: Callable[[Source], Array]) -> Array:
        """The value within the program, once for all that use it."""
        if self._array is None:
            self._array = give(self) if self._build is None else self._build()
        return self._array


class Owner:
    """Whose a value is; once that is known, also what it was computed from."""

    def __init__(self) -> None:
        self.party: Any = None
        self.parts: list[Owner] = []

    def claim(self, party: Any) -> None:
        """Makes it that party's."""
        if self.party is None and party is not None:
            self.party = party
            for part in self.parts:
                part.claim(party)


class Plain(Value):
    """An integer, or integers, that one party knows and computes with by itself.

    `val` is a constant, a list of them, or a value to be converted, which opens it if it is garbled.
    """

    sign: ClassVar[bool | None] = None

    def __init__(
        self,
        val: Any = None,
        bitlen: int | None = None,
        dim: Any = None,
        force_bitlen: int | None = None,
        force_signed: bool | None = None,
    ) -> None:
        super().__init__(width_of(bitlen), dim)
        self._source: Source | None = None
        self._fresh: Array | None = None
        self._request: tuple[bool, str | None] | None = None
        self._owner = Owner()
        if val is not None:
            self._convert(val, Wanted.of(bitlen, self.sign, force_bitlen, force_signed))

    # What it is

    def _declared_kind(self) -> Kind:
        if self.declared_bits is None:
            raise ProgramError(f"{self.where} needs its bitlen=, as in {type(self).__name__}(bitlen=32)")
        return Kind.int(self.declared_bits) if self.sign else Kind.uint(self.declared_bits)

    @property
    def has_value(self) -> bool:
        return self._source is not None or self._fresh is not None or self._request is not None

    @property
    def kind(self) -> Kind:
        if self._fresh is not None:
            return self._fresh.kind
        found = self._source.like.kind if self._source is not None else self._declared_kind()
        return Kind.uint(1) if found.is_bool else found

    @property
    def shape(self) -> tuple[int, ...]:
        if self._fresh is not None:
            return self._fresh.shape
        return self._source.like.shape if self._source is not None else self.declared_shape or ()

    @property
    def source(self) -> Source:
        """Where the value comes from; there must be one."""
        if self._fresh is not None:
            self._open(self._owner.party)
        if self._source is None:
            missing = "is not assigned to a party yet" if self._request is not None else "has no value yet"
            raise ProgramError(
                f"{self.where} {missing}; write {self.where}.input() or {self.where} = …(val=…)"
            )
        return self._source

    # How it gets its value

    def _convert(self, val: Any, wanted: Wanted) -> None:
        if isinstance(val, Value):
            if not val.has_value:
                raise ProgramError(f"{val.where} has no value yet, so it cannot be converted")
            shaped(self, val.shape, val.where)
            self._claim(val.party)
            kind = wanted.kind(val.kind, val.where)
            if isinstance(val, Plain):
                self._owner.parts.append(val._owner)
                self._adopt(val, kind, wanted)
            elif (opened := val.opened_alone()) is None:
                self._fresh = as_kind(val.array, kind)  # type: ignore[attr-defined]
            elif kind == val.kind:
                self._source = opened
            else:
                raise ProgramError(f"{val.where} has {val.bitlen} bits; convert it without other widths")
            return
        if isinstance(val, (list, tuple)) and any(isinstance(part, Plain) for part in val):
            stacked = _stack([part if isinstance(part, Plain) else constant(part) for part in val])
            self._convert(stacked, wanted)
            return
        self._constant(val, wanted)

    def _adopt(self, val: Plain, kind: Kind, wanted: Wanted) -> None:
        if kind == val.kind:
            self._source = val.source
            return
        what = val.where
        limit = "force_bitlen" if wanted.is_forced else "bitlen"

        def fitted(x: Numbers) -> Numbers:
            return within(x, kind, f"{what} ({limit})")

        self._source = derived([val], lambda x: as_kind(x, kind), fitted)

    def _constant(self, val: Any, wanted: Wanted) -> None:
        shape = _shape(val)
        numbers = elementwise(int, list(val) if isinstance(val, tuple) else val)
        shaped(self, shape, repr(val))
        bits = wanted.force_bitlen or wanted.bitlen
        kind = self._constant_kind(numbers) if bits is None else (Kind.int if self.sign else Kind.uint)(bits)
        within(numbers, kind, type(self).__name__)
        self._source = _public(numbers, kind, shape)

    def _constant_kind(self, numbers: Numbers) -> Kind:
        low, high = min(flat(numbers)), max(flat(numbers))
        if self.sign:
            return Kind.int(max((~low if low < 0 else low).bit_length(), high.bit_length()) + 1)
        if low < 0:
            raise ProgramError(f"{low} is negative; write {type(self).__name__.replace('Uns', 'S')}(val=…)")
        return Kind.uint(max(high.bit_length(), 1))

    def input(self, src: object = None, desc: str | None = None, random: bool = False) -> Plain:
        """Asks the party's user for the value, or the driver `src`, which knows it by the name `desc`."""
        if self.has_value:
            raise ProgramError(f"{self.where} already has a value, so it cannot be an input")
        if random:
            return self.rand()
        self._declared_kind()
        self._request = (src is not None, desc)
        if self.party is not None:
            self._ask()
        return self

    def _ask(self) -> None:
        if self._request is None:
            return
        (driven, desc), self._request = self._request, None
        kind, shape = self._declared_kind(), self.declared_shape or ()
        name = desc if driven and desc else self.label
        assert name is not None
        port = Port(self.party.name, name, kind, shape)
        value = execution().ask(port, desc)
        self._source = Source(Stage.EARLY, execution().kind_of(kind, shape), value)

    def rand(self) -> Plain:
        """Draws the value at random, uniformly, at its party."""
        if self.has_value:
            raise ProgramError(f"{self.where} has a value already")
        kind, shape = self._declared_kind(), self.declared_shape or ()
        owner = self._owner
        value = execution().draw(lambda: owner.party.name if owner.party is not None else None, kind, shape)
        self._source = Source(Stage.EARLY, execution().kind_of(kind, shape), value)
        return self

    def bind(self, party: Any, name: str) -> None:
        super().bind(party, name)
        self._claim(party)
        self._ask()
        if self._fresh is not None:
            self._open(party)

    def _claim(self, party: Any) -> None:
        self.party = party
        self._owner.claim(party)

    def _open(self, party: Any) -> None:
        """Opens what was converted from a garbled value."""
        array, self._fresh = self._fresh, None
        if array is None:
            return
        if party is None:
            raise ProgramError("a garbled constant is nobody's to open; assign it to a party first")
        like = execution().kind_of(array.kind, array.shape)
        self._source = Source(Stage.LATE, like, execution().open(party.name, array), lambda: array)

    def at(self, party: Any) -> Value:
        sent = _of(self.kind, self.shape)
        sent._claim(party)
        sent._fresh = self._fresh if self._fresh is not None else self.array
        return sent

    # Where it goes

    @property
    def array(self) -> Array:
        """The value within the program: for a party's own, an input that it gives."""
        return self.source.array(self._give)

    def _give(self, source: Source) -> Array:
        if self.party is None:
            raise ProgramError(f"{self.where} belongs to no party yet; assign it to one first")
        return execution().give(self.party.name, self.label, self.kind, self.shape, source.numbers)

    def output(self, dest: object = None, desc: str | None = None) -> None:
        """Gives the value to the party's user, or to the driver `dest`, by the name `desc`."""
        del dest  # outputs go to the driver whenever there is one
        source = self.source
        if self.party is None:
            raise ProgramError(f"{self.where} belongs to no party yet, so nobody can output it")
        execution().outputs.append((self.party.name, desc or self.label or "output", source.numbers))

    def __bool__(self) -> bool:
        if self.shape:
            raise ShapeError(f"{self.where} is a vector, which is neither true nor false")
        return execution().decide(self.source.numbers)

    # What is computed with it

    def _binary(
        self, other: Any, numbers: Callable[[int, int], int], arrays: Callable[[Array, Array], Array]
    ) -> Any:
        if isinstance(other, Value) and not isinstance(other, Plain):
            return NotImplemented
        try:
            operand = other if isinstance(other, Plain) else constant(other)
        except (TypeError, ValueError):
            return NotImplemented
        return _plain([self, operand], arrays, lambda x, y: elementwise(numbers, x, y))

    def __add__(self, other: Any) -> Any:
        return self._binary(other, operator.add, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, operator.sub, operator.sub)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, operator.mul, operator.mul)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary(other, _divide, operator.floordiv)

    def __mod__(self, other: Any) -> Any:
        return self._binary(other, _remainder, operator.mod)

    def __radd__(self, other: Any) -> Any:
        return self._binary(other, operator.add, operator.add)

    def __rmul__(self, other: Any) -> Any:
        return self._binary(other, operator.mul, operator.mul)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: y - x, lambda x, y: y - x)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: _divide(y, x), lambda x, y: y // x)

    def __rmod__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: _remainder(y, x), lambda x, y: y % x)

    __truediv__, __rtruediv__ = __floordiv__, __rfloordiv__

    def __lt__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: int(x < y), operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: int(x <= y), operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: int(x > y), operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._binary(other, lambda x, y: int(x >= y), operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._binary(other, lambda x, y: int(x == y), operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._binary(other, lambda x, y: int(x != y), operator.ne)

    def __neg__(self) -> Any:
        return _plain([self], operator.neg, lambda x: elementwise(operator.neg, x))

    def __abs__(self) -> Any:
        return _plain([self], abs, lambda x: elementwise(abs, x))


class PlainVector(Plain):
    """What plain vectors add to plain numbers."""

    is_vector = True

    def __getitem__(self, place: int | slice) -> Any:
        if not isinstance(place, (int, slice)):
            raise ProgramError(f"{self.where}[{place!r}]: an index is a public integer")
        whole = self.source
        if isinstance(place, slice):
            return _plain([self], lambda x: x[place], lambda x: x[place])
        if place not in whole.elements:
            whole.elements[place] = derived([self], lambda x: x[place], lambda x: x[place])
        return _made([self], whole.elements[place], self.party)

    def __setitem__(self, place: int, part: Any) -> None:
        raise ProgramError(
            f"{self.where}[{place}] = …: elements of plain vectors are not assigned; "
            f"write {type(self).__name__}(val=[…]) of the elements"
        )

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __contains__(self, other: Any) -> bool:
        operand = other if isinstance(other, Plain) else constant(other)
        meeting([self, operand])
        return execution().decide(lambda: operand.source.numbers() in flat(self.source.numbers()))

    def dot(self, other: Any) -> Any:
        """The inner product."""
        if isinstance(other, Value) and not isinstance(other, Plain):
            return other.dot(self)  # type: ignore[attr-defined]
        operand = other if isinstance(other, Plain) else constant(other)
        return _plain([self, operand], lambda x, y: x.dot(y), dot)

    def sum(self) -> Any:
        """The sum of all elements."""
        return _plain([self], lambda x: x.sum(), lambda x: sum(flat(x)))

    def max_value(self) -> Any:
        """The largest element."""
        return _plain([self], lambda x: x.max(), lambda x: max(flat(x)))

    def min_value(self) -> Any:
        """The smallest element."""
        return _plain([self], lambda x: x.min(), lambda x: min(flat(x)))

    def max_index(self) -> Any:
        """The position of the first largest element."""
        return _plain([self], lambda x: x.argmax(), lambda x: flat(x).index(max(flat(x))))

    def min_index(self) -> Any:
        """The position of the first smallest element."""
        return _plain([self], lambda x: x.argmin(), lambda x: flat(x).index(min(flat(x))))

    def max_value_index(self) -> tuple[Plain, Plain]:
        """The largest element and its position."""
        return self.max_value(), self.max_index()

    def min_value_index(self) -> tuple[Plain, Plain]:
        """The smallest element and its position."""
        return self.min_value(), self.min_index()


class Unsigned(Plain):
    """An integer of `bitlen` bits without a sign."""

    sign = False


class Signed(Plain):
    """An integer of `bitlen` bits, one of which is its sign."""

    sign = True


class UnsignedVec(PlainVector):
    """Integers without a sign; `dim` is how many, or the dimensions of a matrix."""

    sign = False


class SignedVec(PlainVector):
    """Integers with a sign; `dim` is how many, or the dimensions of a matrix."""

    sign = True


class Modular(Plain):
    """An integer modulo a prime, 2^61 - 1 unless another is named.

    In TASTY the modulus is that of the homomorphic cryptosystem.
    """

    def __init__(self, val: Any = None, modulus: int | None = None, dim: Any = None) -> None:
        if modulus is None:
            inherited = val.kind.modulus if isinstance(val, Value) and val.has_value else None
            modulus = inherited or DEFAULT_MODULUS
        self.modulus = modulus
        self._field = field_of(modulus)
        super().__init__(None, None, dim)
        if val is not None:
            self._convert(val, Wanted())

    def _declared_kind(self) -> Kind:
        return self._field

    def _convert(self, val: Any, wanted: Wanted) -> None:
        del wanted
        if isinstance(val, Plain):
            shaped(self, val.shape, val.where)
            self._claim(val.party)
            if val.kind == self._field:
                self._owner.parts.append(val._owner)
                self._source = val.source
                return
            raise ProgramError(
                f"{val.where} is {type(val).__name__}; only constants and inputs become Modular"
            )
        if isinstance(val, Value):
            shaped(self, val.shape, val.where)
            self._claim(val.party)
            self._source = val.opened()
            return
        shape = _shape(val)
        shaped(self, shape, repr(val))
        numbers = elementwise(lambda x: x % self.modulus, list(val) if isinstance(val, tuple) else val)
        self._source = _public(numbers, self._field, shape)

    def _binary(
        self, other: Any, numbers: Callable[[int, int], int], arrays: Callable[[Array, Array], Array]
    ) -> Any:
        if not isinstance(other, Value):
            other = _modular(self.modulus, _shape(other), other)
        return super()._binary(other, lambda x, y: numbers(x, y) % self.modulus, arrays)

    def __truediv__(self, other: Any) -> Any:
        return self._binary(
            other, lambda x, y: x * _inverse(y, self.modulus), lambda x, y: x * self._inverted(y)
        )

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary(
            other, lambda x, y: y * _inverse(x, self.modulus), lambda x, y: y * self._inverted(x)
        )

    __floordiv__, __rfloordiv__ = __truediv__, __rtruediv__

    def _inverted(self, x: Array) -> Array:
        """The inverse within the program, by Fermat's little theorem."""
        power = x
        for bit in f"{self.modulus - 2:b}"[1:]:
            power = power * power * x if bit == "1" else power * power
        return power if self.modulus > 2 else x

    def __neg__(self) -> Any:
        return _plain([self], operator.neg, lambda x: elementwise(lambda y: -y % self.modulus, x))


class ModularVec(Modular, PlainVector):
    """Integers modulo a prime."""

    def dot(self, other: Any) -> Any:
        """The inner product."""
        operand = other if isinstance(other, Plain) else ModularVec(other, self.modulus)
        return _plain(
            [self, operand], lambda x, y: x.dot(y), lambda x, y: elementwise(self._reduced, dot(x, y))
        )

    def sum(self) -> Any:
        """The sum of all elements."""
        return _plain([self], lambda x: x.sum(), lambda x: self._reduced(sum(flat(x))))

    def _reduced(self, x: int) -> int:
        return x % self.modulus


def constant(value: Any) -> Plain:
    """A public number, or a list of them, as a plain value of no party."""
    if isinstance(value, bool):
        value = int(value)
    shape = _shape(value)
    signed = any(number < 0 for number in flat(value))
    made = (SignedVec if shape else Signed) if signed else (UnsignedVec if shape else Unsigned)
    return made(val=value)


def derived(operands: list[Plain], arrays: Callable[..., Array], numbers: Callable[..., Numbers]) -> Source:
    """A function of plain values, computed by their party; in the program where they are known late."""
    sources = [operand.source for operand in operands]
    like = arrays(*(source.like for source in sources))

    def build() -> Array:
        return arrays(*(operand.array for operand in operands))

    stage = max(source.stage for source in sources)
    own = None if stage is Stage.EARLY else build
    return Source(stage, like, lambda: numbers(*(source.numbers() for source in sources)), own)


def _plain(operands: list[Plain], arrays: Callable[..., Array], numbers: Callable[..., Numbers]) -> Any:
    """The plain value that a function of others is, at their party."""
    party = meeting(operands)
    for operand in operands:
        if operand.party is None and operand.source.stage is not Stage.PUBLIC:
            operand._claim(party)
    return _made(operands, derived(operands, arrays, numbers), party)


def _made(operands: list[Plain], source: Source, party: Any) -> Any:
    made = _of(source.like.kind, source.like.shape)
    made._source = source
    made._owner.parts = [operand._owner for operand in operands]
    made._claim(party)
    return made


def _of(kind: Kind, shape: tuple[int, ...]) -> Plain:
    """A plain value of that kind without a source yet."""
    if kind.modulus is not None:
        return _modular(kind.modulus, shape)
    if kind.signed:
        return SignedVec() if shape else Signed()
    return UnsignedVec() if shape else Unsigned()


def _modular(modulus: int, shape: tuple[int, ...], val: Any = None) -> Modular:
    return (ModularVec if shape else Modular)(val, modulus)


def _public(numbers: Numbers, kind: Kind, shape: tuple[int, ...]) -> Source:
    like = execution().kind_of(kind, shape)
    return Source(Stage.PUBLIC, like, lambda: numbers, lambda: execution().graph.asarray(numbers, kind))


def _stack(parts: list[Plain]) -> Plain:
    from tacit.language.operators import stack

    made: Plain = _plain(parts, lambda *arrays: stack(arrays), lambda *numbers: list(numbers))
    return made


def _shape(value: Any) -> tuple[int, ...]:
    """The dimensions of nested lists of integers."""
    if isinstance(value, (list, tuple)):
        shapes = {_shape(part) for part in value}
        if len(shapes) != 1:
            raise ShapeError("lists of values are not empty, and as long as one another")
        return (len(value), *shapes.pop())
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not an integer")
    return ()


def _divide(x: int, y: int) -> int:
    if y == 0:
        raise InputError("division by zero")
    return x // y


def _remainder(x: int, y: int) -> int:
    if y == 0:
        raise InputError("division by zero")
    return x % y


def _inverse(x: int, modulus: int) -> int:
    if x % modulus == 0:
        raise InputError("division by zero")
    return pow(x, -1, modulus)
