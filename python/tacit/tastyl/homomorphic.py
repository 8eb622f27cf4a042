"""Homomorphically encrypted values: one party holds them under the other's key and computes with them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

from tacit._native import Array, Kind, ProgramError
from tacit.language.operators import he
from tacit.tastyl.conversion import as_kind
from tacit.tastyl.encrypted import Encrypted, EncryptedVector
from tacit.tastyl.execution import execution
from tacit.tastyl.plain import Modular, Plain, Source, Stage, constant
from tacit.tastyl.value import Value

WORD_BITS = 128
"""Bits that words under encryption have at most."""


class Homomorphic(Encrypted):
    """An integer under additively homomorphic encryption.

    `val` is a plain, garbled or homomorphic value of the same party, or a constant. The party that computes
    with such values holds them, and the other one has the key. Sums, and products with what the holder knows,
    take no message; products of two encrypted values take one round, and comparisons two.
    """

    how = "encrypted"
    _of_residues: ClassVar[dict[bool, type[Homomorphic]]] = {}
    """The types of numbers modulo a prime, which values and vectors are made of in place of these."""

    _wide: ClassVar[Any] = None
    """The type of products that are too long for words."""

    def __init_subclass__(cls, of_residues: bool = False, is_wide: bool = False) -> None:
        if of_residues:
            Homomorphic._of_residues[cls.is_vector] = cls
        if is_wide:
            Homomorphic._wide = cls

    def __new__(cls, val: Any = None, *_: Any, **__: Any) -> Any:
        is_modular = isinstance(val, Value) and val.has_value and val.kind.modulus is not None
        return super().__new__(cls._of_residues[cls.is_vector] if is_modular else cls)

    @classmethod
    def made(cls, array: Array, party: Any) -> Any:
        return _made(array, party)

    @classmethod
    def of(cls, value: Any) -> Any:
        if isinstance(value, Encrypted) and not isinstance(value, Homomorphic):
            raise ProgramError(
                f"{value.where} is {value.how} and meets a homomorphic value; convert one of them, "
                f"as in Homomorphic(val={value.where}) or Garbled(val=…)"
            )
        if isinstance(value, Homomorphic):
            return value
        if isinstance(value, Modular):
            raise ProgramError(
                f"{value.where} is Modular, and meets an encrypted value that is not; write Unsigned in its place"  # noqa: E501
            )
        plain = value if isinstance(value, Plain) else constant(value)
        return _made(_of_plain(plain), plain.party)

    def _array_of(self, value: Value, kind: Kind) -> Array:
        execution().encrypts = True
        if isinstance(value, Plain):
            return _of_plain(value)
        return he(as_kind(value.array, kind))  # type: ignore[attr-defined]

    # What is computed with it

    def _with(self, operand: Any, function: Callable[[Array, Array], Array]) -> Any:
        found = super()._with(operand, lambda x, y: he(function(x, y)))
        _held_by(found.party)
        return found

    def __mul__(self, other: Any) -> Any:
        is_wide = isinstance(other, Plain) and _is_wide(self, other)
        return self._wide.of_factors(self, other) if is_wide else super().__mul__(other)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        _held_by(self.party)
        return _made(he(-self.array), self.party)

    def _compared(self, other: Any, function: Callable[[Array, Array], Array]) -> Any:
        """An encrypted bit."""
        bit = self._binary(other, function)
        return bit if bit is NotImplemented else _made(he(as_kind(bit.array, Kind.uint(1))), bit.party)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    def _refuse(self, *_: Any) -> Any:
        raise ProgramError(
            f"{self.where} is encrypted, and only + - * dot and comparisons compute with it; "
            f"convert it first: client.g <<= Garbled(val={self.where})"
        )

    __and__ = __or__ = __xor__ = __invert__ = __rand__ = __ror__ = __rxor__ = _refuse
    __floordiv__ = __truediv__ = __mod__ = __rfloordiv__ = __rtruediv__ = __rmod__ = _refuse
    __hash__ = None  # type: ignore[assignment]
    mux = _refuse

    def __getitem__(self, place: Any) -> Any:
        return self._refuse()


class HomomorphicVec(EncryptedVector, Homomorphic):
    """Integers under additively homomorphic encryption; `dim` is how many, or the dimensions of a matrix."""

    def at(self, party: Any) -> Value:
        items = self._items or []
        if any(isinstance(item, self._of_residues[False]) for item in items):
            vector = self._of_residues[True]
            return vector.of_items(items, self).at(party)  # type: ignore[attr-defined, no-any-return]
        return super().at(party)

    def dot(self, other: Any) -> Any:
        """The inner product."""
        # Of factors of which one has a sign, the other is given one first: else it would be widened bit by bit.  # noqa: E501
        return self._with(self.of(other), lambda x, y: _signed_as(x, y).dot(_signed_as(y, x)))

    def sum(self) -> Any:
        """The sum of all elements."""
        _held_by(self.party)
        return _made(he(self.array.sum()), self.party)

    def _refuse_order(self) -> Any:
        return self._refuse()

    min_value = max_value = min_index = max_index = min_value_index = max_value_index = _refuse_order


def _is_wide(x: Homomorphic, y: Plain) -> bool:
    """Whether a product is of two single numbers without a sign, and too long for a word."""
    is_single = not x.shape and not y.shape and y.kind.modulus is None
    is_known = y.party is not None and y.source.stage is Stage.EARLY
    return is_single and is_known and not (x.signed or y.signed) and x.bitlen + y.bitlen > WORD_BITS


def _made(array: Array, party: Any) -> Homomorphic:
    value: Homomorphic = HomomorphicVec() if array.shape else Homomorphic()
    value._array, value.party = array, party
    return value


def _of_plain(value: Plain) -> Array:
    """A plain value in the program.

    Of a party's own it is an input that nothing else reads, so that the holder keeps its own as they are.
    """
    execution().encrypts = True
    source = value.source
    own = source.stage is Stage.EARLY and value.party is not None
    return he(_given(value, source) if own else value.array)


def _given(value: Plain, source: Source) -> Array:
    """The input, once for all that use it encrypted."""
    if source.encrypted is None:
        source.encrypted = execution().give(
            value.party.name, value.label, value.kind, value.shape, source.numbers
        )
    return source.encrypted


def _held_by(party: Any) -> None:
    """Takes note of the party that computes with homomorphic values."""
    if party is not None:
        execution().hold(party.name)


def _signed_as(x: Array, y: Array) -> Array:
    return as_kind(x, Kind.int(x.kind.bits + 1)) if y.kind.signed and not x.kind.signed else x
