"""Products under homomorphic encryption that do not fit words of 128 bits.

In TASTY numbers may be as long as the cryptosystem's modulus; here ciphertexts are of words. So the product
of an encrypted x of l bits with a number y of the holder's is sent in parts, one for each limb
y = sum_k y_k 2^(w k):

    t_k = x y_k + 2^w r_k - r_(k-1),  so that  x y = sum_k t_k 2^(w k)

with random r_k of l + 41 bits, but r_(-1) and the last, which are 0. All but the first have 2^(l + 41) added
to be positive, which the receiver takes off.

Security: semi-honest. What is carried from a limb into the next one is below 2^(l + 1), and r_k hides it but
for a distance of 2^-40. So the low w bits of what is left of t_k, once the carry and the r before it are
accounted for, are those of the product, and the others random: whoever has the key sees the product alone.
Cost: as many words as there are limbs of y, of 85 - l bits each; a multiplication for each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from tacit._native import Array, Kind, ProgramError
from tacit.language.operators import he
from tacit.tastyl.execution import execution
from tacit.tastyl.homomorphic import WORD_BITS, Homomorphic
from tacit.tastyl.numbers import Numbers
from tacit.tastyl.plain import Plain, Source, Stage, UnsignedVec
from tacit.tastyl.value import Value, meeting

CARRY_BITS = 1
"""Bits by which what is carried into a limb may be longer than the encrypted factor."""

HIDING_BITS = 40
"""Bits by which a mask is longer than what it hides."""

SUM_BITS = 2
"""Bits that the sum of a product, a mask and a constant takes beyond the longest of them."""


class WideProduct(Homomorphic, is_wide=True):
    """The product of an encrypted number and a plain one, of more than 128 bits: only sent, and opened."""

    stands_for = Homomorphic
    _bits: int
    _parts: _Parts | None
    _received: _Received | None

    @classmethod
    def of_factors(cls, factor: Homomorphic, plain: Plain) -> WideProduct:
        """The product, at the party that has both."""
        value: WideProduct = cls()
        value.party = meeting([factor, plain])
        value._bits = factor.bitlen + plain.bitlen
        value._parts, value._received = _Parts(factor, plain, value.party), None
        execution().hold(value.party.name)
        return value

    @property
    def has_value(self) -> bool:
        return hasattr(self, "_bits")

    @property
    def kind(self) -> Kind:
        return Kind.uint(self._bits)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def array(self) -> Array:
        raise ProgramError(
            f"{self.where} has {self._bits} bits, and words at most {WORD_BITS}; send it and convert it: "
            "client.x = Unsigned(val=…)"
        )

    def at(self, party: Any) -> Value:
        if self._parts is None:
            raise ProgramError(
                f"{self.where} was received from its holder; convert it to Unsigned to read it"
            )
        sent: WideProduct = WideProduct()
        sent.party, sent._bits, sent._parts = party, self._bits, None
        sent._received = _Received(self._parts.send(), self._parts, party)
        return sent

    def opened_alone(self) -> Source:
        """The number as its party sees it, which has received it."""
        if self._received is None:
            raise ProgramError(f"{self.where} is at its holder, who cannot read it; send it first")
        received = self._received
        _ = received.opened.source
        return Source(Stage.LATE, execution().kind_of(self.kind, ()), received.number, lambda: self.array)

    def _with(self, operand: Any, function: Callable[[Array, Array], Array]) -> Any:
        del operand, function
        return self.array

    def __neg__(self) -> Any:
        return self.array

    def __mul__(self, other: Any) -> Any:
        del other
        return self.array

    __rmul__ = __mul__


class _Parts:
    """How a product is cut."""

    def __init__(self, factor: Homomorphic, plain: Plain, holder: Any) -> None:
        self.factor, self.plain, self.holder = factor, plain, holder
        self.mask_bits = factor.bitlen + CARRY_BITS + HIDING_BITS
        self.limb_bits = WORD_BITS - SUM_BITS - self.mask_bits
        if self.limb_bits < 1:
            most = WORD_BITS - SUM_BITS - CARRY_BITS - HIDING_BITS - 1
            raise ProgramError(
                f"{factor.where} has {factor.bitlen} bits, and its product with {plain.where} more than "
                f"{WORD_BITS}, of which factors of at most {most} bits are made; convert both to Garbled"
            )
        self.count = -(-plain.bitlen // self.limb_bits)

    def send(self) -> Array:
        """The parts, for the party that has the key."""
        run, name = execution(), self.holder.name
        masks = run.draw(lambda: name, Kind.uint(self.mask_bits), (self.count - 1,))
        limbs = run.give(name, "limbs", Kind.uint(self.limb_bits), (self.count,), self._limbs)
        offset_bits = self.limb_bits + self.mask_bits + 1
        offsets = run.give(
            name, "offsets", Kind.uint(offset_bits), (self.count,), lambda: self._offsets(masks())
        )
        products: Array = he(he(limbs) * self.factor.array)
        sent: Array = he(products + he(offsets))
        return sent

    def _limbs(self) -> Numbers:
        y, mask = self.plain.source.numbers(), (1 << self.limb_bits) - 1
        return [y >> self.limb_bits * place & mask for place in range(self.count)]

    def _offsets(self, masks: Any) -> Numbers:
        added, taken = [*masks, 0], [0, *masks]
        pairs = zip(added, taken, strict=True)
        return [
            (more << self.limb_bits) - less + self._raised(place) for place, (more, less) in enumerate(pairs)
        ]

    def _raised(self, place: int) -> int:
        """What a part has more than it stands for, so that it is positive."""
        return 1 << self.mask_bits if place else 0

    def together(self, parts: list[int]) -> int:
        """The product."""
        return sum(part - self._raised(place) << self.limb_bits * place for place, part in enumerate(parts))


class _Received:
    """A product as the party with the key received it."""

    def __init__(self, array: Array, parts: _Parts, party: Any) -> None:
        self.array, self.parts, self.party = array, parts, party

    @cached_property
    def opened(self) -> Plain:
        """The parts, opened to the party, once for all that read them."""
        words = UnsignedVec()
        words._claim(self.party)
        words._fresh = self.array
        return words

    def number(self) -> int:
        """The product, where it has been opened."""
        return self.parts.together(self.opened.source.numbers())
