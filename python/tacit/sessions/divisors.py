"""Greatest common divisors of secret integers, and inverses modulo public ones, among three parties or more.

The number of steps is that of the worst case for the kinds of the integers, so it does not depend on secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit._native import Array, Kind, KindError, UsageError
from tacit.language.operators import array, concatenate
from tacit.sessions.searches import check_room
from tacit.sessions.words import of_kind, words

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

MASK_BITS = 45
"""With this many more bits of the modulus than of a number, a mask of its range makes parities cheaper."""


def gcd(session: PartySession, x: Any, y: Any) -> Array:
    """The greatest common divisors of integers with a kind, element by element; that of 0 and 0 is 0.

    They are unsigned, with the bits of the wider kind.

    Cost: the bits of both, about 2.9 · d sequential steps for numbers of d bits, and a comparison at the end.
    A step takes the parity of a number under a mask and two rounds of products, about 0.7 · d + 2 of them on
    average.
    """
    first, second = _Integers(session, x, "gcd"), _Integers(session, y, "gcd")
    found = _Divisor(session, first, second, "gcd")
    return of_kind(found.numbers, Kind.uint(max(first.kind.bits, second.kind.bits)))


def lcm(session: PartySession, x: Any, y: Any) -> Array:
    """The least common multiples of integers with a kind, element by element; 0 where one of them is 0.

    They are unsigned, with the bits of both kinds together.

    Cost: as `gcd`, then three products and an opening; and a comparison for each kind that has a sign.
    """
    first, second = _Integers(session, x, "lcm"), _Integers(session, y, "lcm")
    bits = first.kind.bits + second.kind.bits
    check_room(session, bits, "lcm")
    found = _Divisor(session, first, second, "lcm")
    # Inverting 0 would reveal that it is 0.
    share = (found.numbers + found.both_zero).inverse()
    return of_kind(first.sizes() * second.sizes() * share, Kind.uint(bits))


def gcdext(session: PartySession, x: Any, y: Any) -> tuple[Array, Array, Array]:
    """The greatest common divisor g of integers with a kind, and integers s and t with s · x + t · y = g.

    s and t have signs, and 2 bits more than the wider magnitude of the kinds: |s| is at most |y|, and |t| at
    most |x|, or 1.

    Cost: the steps of `gcd`, with one more parity and three more products in each; then a comparison and a
    product for each bit of the number of steps, two more comparisons, and an opening.
    """
    what = "gcdext"
    first, second = _Integers(session, x, what), _Integers(session, y, what)
    odd = _OddPair(session, first, second, what)
    steps = _step_count(odd.bits)
    width = odd.bits + (steps + 2).bit_length()
    check_room(session, width + 2, what)
    pair = _Pair(session, odd.f, odd.g, odd.bits)
    # Modulo f, the numbers of the pair are these multiples of g.
    v, w = odd.f * 0, odd.f * 0 + 1
    for _ in range(steps):
        step = pair.step()
        v, w = step.applied(v, w)
        w = _halved(session, w + _parity(session, w, width) * odd.f)
    sign, positive = _sign(pair.f, odd.bits), _sign(odd.f, odd.bits)
    divisor, v = sign * pair.f, _reduced(sign * v, odd.f * positive, (odd.bits, width))
    # f is only 0 if both numbers are; inverting 0 would reveal that.
    u = (divisor - v * odd.g) * (odd.f + odd.both_zero).inverse()
    s = v + odd.is_first * (u - v)
    kind = Kind.int(odd.bits + 2)
    return (
        of_kind(divisor * odd.power(), Kind.uint(max(first.kind.bits, second.kind.bits))),
        of_kind(s, kind),
        of_kind(u + v - s, kind),
    )


def modular_inverse(session: PartySession, x: Any, modulus: int) -> Array:
    """The inverses of integers with a kind modulo a public odd number, from 0 up; 0 where there is none.

    Cost: the steps of `gcd` for numbers with the bits of the wider of x and the modulus, with one more
    parity and two more products in each; then a comparison for each bit of the number of steps, and two more.
    """
    what = "modular_inverse"
    if modulus < 1 or modulus % 2 == 0:
        raise UsageError(f"{what} modulo {modulus}; give an odd number of at least 1")
    number = _Integers(session, x, what)
    bits = max(number.bits, modulus.bit_length())
    steps = _step_count(bits)
    # The multiples below are at most modulus · (1 + steps / 2), and twice that before they are halved.
    width = modulus.bit_length() + (steps + 2).bit_length()
    check_room(session, max(width + 2, bits + 2), what)
    pair = _Pair(session, number.words * 0 + modulus, number.words, bits)
    # Modulo the modulus, the numbers of the pair are these multiples of x.
    f, g = number.words * 0, number.words * 0 + 1
    for _ in range(steps):
        step = pair.step()
        f, g = step.applied(f, g)
        g = _halved(session, g + _parity(session, g, width) * modulus)
    sign = _sign(pair.f, bits)
    exists = (pair.f * sign).equal_within(1, bits + 2)
    found = exists * _reduced(f * sign, modulus, (modulus.bit_length(), width))
    return of_kind(found, Kind.uint(max((modulus - 1).bit_length(), 1)))


class _Integers:
    """Integers as words, with magnitudes of at most 2 to the power of `bits`."""

    def __init__(self, session: PartySession, x: Any, what: str) -> None:
        session.require_prime_field(what)
        kind = _public_kind(x)
        self.given = array(x) if kind is None else session.constant(x, kind)
        if not self.given.has_kind:
            raise KindError(
                f"{what} of elements of the field, whose range is not known: promise it with x.within(bits)"
            )
        self.kind = self.given.kind
        if self.kind.fraction is not None or self.kind.is_float:
            raise KindError(f"{what} of {self.kind}; it takes integers")
        self.bits = max(self.kind.bits - self.kind.signed, 1)
        self.words = words(self.given)

    def sizes(self) -> Array:
        """The magnitudes, as words."""
        return words(abs(self.given)) if self.kind.signed else self.words

    def digits(self, count: int) -> Array:
        """The lowest `count` bits, lowest first along a new last axis, with zeros beyond the kind's."""
        found = self.words[..., None] if self.kind.is_bool else words(self.given.bits())
        missing = count - found.shape[-1]
        zeros = (self.words * 0)[..., None]
        return concatenate([found, *[zeros] * missing], axis=-1)


def _public_kind(x: Any) -> Kind | None:
    """The narrowest kind of an integer or of nested lists of integers; None for anything else."""
    if isinstance(x, int):
        return Kind.int(x.bit_length() + 1) if x < 0 else Kind.uint(max(x.bit_length(), 1))
    kinds = [_public_kind(one) for one in x] if isinstance(x, (list, tuple)) else [None]
    if None in kinds:
        return None
    found = [kind for kind in kinds if kind is not None]
    signed = any(kind.signed for kind in found)
    bits = max((kind.bits + (signed and not kind.signed) for kind in found), default=1)
    return Kind.int(bits) if signed else Kind.uint(bits)


class _OddPair:
    """Two numbers without their common power of two, the odd one first, and whether both are 0."""

    def __init__(self, session: PartySession, x: _Integers, y: _Integers, what: str) -> None:
        self.bits = max(x.bits, y.bits)
        check_room(session, self.bits + 2, what)
        self._session, width = session, max(x.kind.bits, y.kind.bits)
        # The shapes are broadcast to a common one.
        zeros = x.words * 0 + y.words * 0
        digits, others = x.digits(width) + zeros[..., None], y.digits(width) + zeros[..., None]
        rest = _running_products((1 - digits) * (1 - others))
        self.both_zero = rest[..., -1]
        self._lowest = concatenate([1 - rest[..., :1], rest[..., :-1] - rest[..., 1:]], axis=-1)
        shrink = self._powers(_half(session))
        first, second = shrink * (x.words + zeros), shrink * (y.words + zeros)
        self.is_first = (self._lowest * digits).sum(axis=-1)
        self.f = second + self.is_first * (first - second)
        self.g = first + second - self.f

    def power(self) -> Array:
        """The common power of two."""
        return self._powers(2)

    def _powers(self, base: int) -> Array:
        """The power of a public number whose exponent is that of the common power of two."""
        prime = self._session.modulus
        powers = [_centred(pow(base, place, prime), prime) for place in range(self._lowest.shape[-1])]
        return (self._lowest * powers).sum(axis=-1)


class _Divisor:
    """Greatest common divisors, as words, and whether both numbers are 0."""

    def __init__(self, session: PartySession, x: _Integers, y: _Integers, what: str) -> None:
        odd = _OddPair(session, x, y, what)
        pair = _Pair(session, odd.f, odd.g, odd.bits)
        for _ in range(_step_count(odd.bits)):
            pair.step()
        self.both_zero = odd.both_zero
        self.numbers = _sign(pair.f, odd.bits) * pair.f * odd.power()


@dataclass(frozen=True)
class _Step:
    """A step of a pair: where it swaps its numbers, and how many times the first is added to the second."""

    exchanged: Array
    added: Array

    def applied(self, f: Array, g: Array) -> tuple[Array, Array]:
        """The pair after the step, before the second number is halved."""
        return f + self.exchanged * (g - f), g + self.added * f


class _Pair:
    """Two numbers while their greatest common divisor is computed; the first is odd unless both are 0.

    After `_step_count` steps, `f` is that or its negative, and `g` is 0.

    Source: Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (TCHES 2019),
    section 8. Differs: their counter delta is kept as a unit vector, so that no step compares it with 0.
    """

    def __init__(self, session: PartySession, f: Array, g: Array, bits: int) -> None:
        self._session = session
        self._bits = bits
        self._left = _step_count(bits)
        self.f, self.g = f, g
        zeros = (f * 0)[..., None]
        # Bits for delta = 1, 2 and so on, and for delta = 0, -1 and so on.
        self._above, self._below = zeros + 1, zeros

    def step(self) -> _Step:
        """One step. Cost: a parity; a product for each possible value of delta above 0; two products."""
        odd = _parity(self._session, self.g, self._bits)
        self._left -= 1
        moved = odd[..., None] * self._above
        exchanged = moved.sum(axis=-1)
        step = _Step(exchanged, odd - 2 * exchanged)
        self.f, g = step.applied(self.f, self.g)
        self.g = _halved(self._session, g)
        self._count(moved)
        return step

    def _count(self, moved: Array) -> None:
        """Updates delta: 1 - delta where numbers are exchanged, else 1 + delta."""
        above = concatenate([self._below[..., :1], self._above - moved], axis=-1)
        # After this many halvings in a row g is 0; and a count beyond the steps left cannot come back down.
        most = max(min(self._bits + 1, self._left), 1)
        if above.shape[-1] > most:
            top = above[..., most - 1 :].sum(axis=-1, keepdims=True)
            above = concatenate([above[..., : most - 1], top], axis=-1)
        zeros = self._below[..., :1] * 0
        length = max(self._below.shape[-1] - 1, moved.shape[-1])
        self._below = _padded(self._below[..., 1:], length, zeros) + _padded(moved, length, zeros)
        self._above = above


def _step_count(bits: int) -> int:
    """A sufficient number of steps for numbers of at most 2^`bits`: theorem 11.2 of Bernstein and Yang."""
    return (49 * bits + (80 if bits < 46 else 57)) // 17


def _padded(x: Array, length: int, zeros: Array) -> Array:
    """An array padded to this length along its last axis."""
    return concatenate([x, *[zeros] * (length - x.shape[-1])], axis=-1)


def _parity(session: PartySession, number: Array, bits: int) -> Array:
    """Whether words with magnitudes of at most 2^`bits` are odd."""
    raised = number + (1 << bits)
    if bits + 2 + MASK_BITS > session.modulus.bit_length():
        return raised.parity()
    return raised.remainder(1, bits + 2)


def _half(session: PartySession) -> int:
    """The inverse of 2 in the field."""
    return (session.modulus + 1) // 2


def _centred(number: int, modulus: int) -> int:
    """An element of the field as a public number."""
    return number - modulus if number > modulus // 2 else number


def _halved(session: PartySession, even: Array) -> Array:
    """Halves of even words; nothing is sent."""
    return even * _centred(_half(session), session.modulus)


def _running_products(x: Array) -> Array:
    """The products of all numbers up to each, along the last axis."""
    apart = 1
    while apart < x.shape[-1]:
        x = concatenate([x[..., :apart], x[..., apart:] * x[..., :-apart]], axis=-1)
        apart *= 2
    return x


def _sign(number: Array, bits: int) -> Array:
    """-1 for negative words with magnitudes of at most 2^`bits`, 1 for others."""
    return 1 - 2 * number.less_within(0, bits + 2)


def _reduced(number: Array, modulus: Array | int, sizes: tuple[int, int]) -> Array:
    """Words modulo numbers of at most 2^`sizes[0]`, from 0 up.

    The words are below the modulus times 2^(`sizes[1]` - `sizes[0]` - 1).
    """
    bits, width = sizes
    most = width - bits - 1
    number = number + modulus * (1 << most)
    for place in reversed(range(most + 1)):
        part = modulus * (1 << place)
        number = number - part * (1 - number.less_within(part, width + 1))
    return number
