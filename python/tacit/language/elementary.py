"""Exponentials, logarithms and what is made of them, of fixed-point numbers.

They are made of the language's own operations. Shifts and comparisons reduce the argument to a number from 0
up to below 1, where a polynomial takes the function's place. The products of the polynomial are computed in
the domain that the argument is pinned to; everything else looks at bits, and so the result is in bits.

Source: Muller, *Elementary Functions* (3rd edition, 2016), chapter 11, for the reductions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tacit._native import Array, Kind, KindError
from tacit.language.operators import array, constant, from_bits, stack, where, wrapping
from tacit.language.polynomials import Real, coefficients, log_of_two, logarithm, power_of_half

GUARD_BITS = 4
"""Bits after the point that are computed beyond those of a result."""


def exp(x: Any, kind: Kind | None = None) -> Array:
    """`e**x`, of the given kind or that of `x`; its largest number if the result does not fit.

    Error: at most `2**-f` for f bits after the point; for results above 1, `2**-f` times the result.
    """
    x = _fixed_point(x, "exp")
    integer, fraction = _parts(kind or x.kind, "exp")
    steps, domain = fraction + GUARD_BITS, _domain(x)
    halvings, power = _power(_octaves(x, max(integer, fraction), steps, -1), steps, domain)
    # What the kind holds is below 2**room; the power, at most 1, is shifted down from there.
    room = integer - 1
    down = halvings + room
    top = power.astype(Kind.fixed(integer + 1, steps)) << room
    result = _nearest(top.within(Kind.fixed(integer + 1, steps)) >> _natural(down), fraction)
    largest = Fraction((1 << (room + fraction)) - 1, 1 << fraction)
    too_large = (down < 0) | (result >= (1 << room))
    return where(too_large, largest, result).astype(Kind.fixed(integer, fraction))


def log(x: Any) -> Array:
    """The natural logarithm; for 0 and negative numbers, the least number of the result's kind.

    Error: at most `2**-f` for f bits after the point. The result's kind is wide enough for all logarithms.
    """
    x = _fixed_point(x, "log")
    integer, fraction = _parts(x.kind, "log")
    steps, most = fraction + GUARD_BITS, max(integer - 1, fraction)
    rest, zeros = _normalised(x, steps)
    octave = _ratio(log_of_two(steps + most.bit_length()), steps + most.bit_length())
    exponent = (integer - 2) - zeros
    result = _polynomial(_pinned(rest, _domain(x)), logarithm, steps, _domain(x)) + exponent * octave
    room = (most * 7 // 10 + 1).bit_length() + 1
    least = -(1 << (room - 1))
    rounded = _nearest(result, fraction).astype(Kind.fixed(room, fraction))
    return where(x > 0, rounded, least).astype(Kind.fixed(room, fraction))


def sigmoid(x: Any) -> Array:
    """The logistic function `1 / (1 + e**-x)`. Error: at most `2**-f` for f bits after the point."""
    x = _fixed_point(x, "sigmoid")
    _, fraction = _parts(x.kind, "sigmoid")
    upper = _nearest(_upper_half(x, fraction + GUARD_BITS), fraction)
    return where(x < 0, 1 - upper, upper).astype(Kind.fixed(2, fraction))


def tanh(x: Any) -> Array:
    """The hyperbolic tangent. Error: at most `2**-f` for f bits after the point."""
    x = _fixed_point(x, "tanh")
    _, fraction = _parts(x.kind, "tanh")
    twice = _pinned(x << 1, _domain(x))
    magnitude = _nearest((_upper_half(twice, fraction + GUARD_BITS + 1) << 1) - 1, fraction)
    return where(x < 0, -magnitude, magnitude).astype(Kind.fixed(2, fraction))


def softmax(x: Any, axis: int = -1) -> Array:
    """`e**x` divided by its sum along an axis. Error: at most `2**-f` for f bits after the point."""
    x = _fixed_point(x, "softmax")
    _, fraction = _parts(x.kind, "softmax")
    domain = _domain(x)
    below = _pinned(x.max(axis, True), domain) - x
    steps = fraction + GUARD_BITS + x.shape[axis].bit_length()
    halvings, power = _power(_octaves(below, fraction, steps), steps, domain)
    powers = _halved(power, halvings)
    share = _reciprocal(powers.sum(axis, True), steps)
    parts = _pinned(powers, domain) * _pinned(share, domain)
    return _nearest(parts, fraction).astype(Kind.fixed(2, fraction))


def reciprocal(x: Any) -> Array:
    """`1 / x`, rounded down, so less than `2**-f` too small; for 0, all bits are set."""
    return 1 / _fixed_point(x, "reciprocal")


def _fixed_point(x: Any, function: str) -> Array:
    """The argument of a function, which must have a binary point."""
    made = array(x)
    _parts(made.kind, function)
    return made


def _parts(kind: Kind, function: str) -> tuple[int, int]:
    """The bits before and after the point."""
    if kind.fraction is None:
        raise KindError(
            f"{function} takes and gives fixed-point numbers, not {kind}; convert with .astype(t.fixed(i, f))"
        )
    return kind.bits - kind.fraction, kind.fraction


def _domain(x: Array) -> str | None:
    """Where products are computed: where the argument was pinned; encrypted words are multiplied as sums."""
    return "arith" if x.domain == "he" else x.domain


def _pinned(x: Array, domain: str | None) -> Array:
    return x if domain is None else x.pinned(domain)


def _ratio(value: int, fraction: int) -> Array:
    """The number `value / 2**fraction`, public."""
    return constant(
        Fraction(value, 1 << fraction), Kind.fixed(max(value.bit_length() - fraction, 0) + 1, fraction)
    )


def _octaves(x: Array, most: int, steps: int, sign: int = 1) -> Array:
    """How often e to the power of a number doubles: it times the logarithm of e to base 2.

    Where it is at most `most`, the error is below `2**-steps`.
    """
    fraction = steps + most.bit_length() + 1
    return x * _ratio(sign * ((1 << (2 * fraction)) // log_of_two(fraction)), fraction)


def _power(octaves: Array, steps: int, domain: str | None) -> tuple[Array, Array]:
    """What `2**-octaves` is: how often a number is halved, and that number, above 1/2 and at most 1."""
    bits, fraction = octaves.bits(), octaves.kind.fraction or 0
    halvings = octaves.astype(Kind.int(octaves.kind.bits - fraction))
    rest = _number(from_bits(bits[..., fraction - steps : fraction]), steps)
    return halvings, _polynomial(_pinned(rest, domain), power_of_half, steps, domain)


def _polynomial(x: Array, function: Real, steps: int, domain: str | None) -> Array:
    """A function on [0, 1), to about `2**-steps`: powers by as few layers of products as there can be."""
    first, *rest = coefficients(function, steps)
    powers = [x]
    for degree in range(2, len(rest) + 1):
        product = powers[degree // 2 - 1] * powers[(degree + 1) // 2 - 1]
        powers.append(_pinned(product.astype(x.kind), domain))
    # Products with integers are not rounded; the sum is, once.
    total = powers[0] * rest[0] + first
    for power, factor in zip(powers[1:], rest[1:], strict=True):
        total = total + power * factor
    return (total >> steps).astype(Kind.fixed(2, steps))


def _normalised(x: Array, steps: int) -> tuple[Array, Array]:
    """Positive numbers as `2**k * (1 + rest)`: the rest, and how many bits lie above their highest one."""
    integer, fraction = _parts(x.kind, "log")
    if integer + fraction < 3:
        return _normalised(x.astype(Kind.fixed(integer, 3 - integer)), steps)
    width = integer - 1 + fraction
    word = wrapping(from_bits(x.bits()[..., :width]))
    zeros = []
    for place in reversed(range((width - 1).bit_length())):
        length = 1 << place
        high = word >> (width - length) != 0
        word = where(high, word, word << length)
        zeros.append(~high)
    rest = from_bits(word.bits()[..., max(width - 1 - steps, 0) : width - 1])
    return _number(rest, rest.kind.bits).astype(Kind.fixed(1, steps)), from_bits(stack(zeros[::-1], -1))


def _upper_half(x: Array, steps: int) -> Array:
    """The logistic function of a magnitude: from 1/2 up to 1."""
    _, fraction = _parts(x.kind, "sigmoid")
    halvings, power = _power(abs(_octaves(x, fraction, steps)), steps, _domain(x))
    return _reciprocal(_halved(power, halvings) + 1, steps)


def _halved(power: Array, halvings: Array) -> Array:
    """A number from 0 to 1 divided by two so often."""
    return power.astype(Kind.fixed(2, power.kind.fraction or 0)) >> _natural(halvings)


def _reciprocal(x: Array, steps: int) -> Array:
    """`1 / x` of numbers from 1 up."""
    integer, fraction = _parts(x.kind, "reciprocal")
    divisor = from_bits(x.bits()[..., : integer - 1 + fraction])
    quotient = constant(1 << (steps + fraction)) // divisor
    return _number(quotient.astype(Kind.uint(steps + 1)), steps)


def _number(word: Array, fraction: int) -> Array:
    """The number `word / 2**fraction`."""
    bits = word.kind.bits + 1
    wide = word.astype(Kind.fixed(bits, fraction)) >> fraction
    return wide.astype(Kind.fixed(max(bits - fraction, 1), fraction))


def _natural(x: Array) -> Array:
    """Integers that are not negative, without a sign."""
    return x.astype(Kind.uint(x.kind.bits - 1))


def _nearest(x: Array, fraction: int) -> Array:
    """Rounded to this many bits after the point."""
    integer, _ = _parts(x.kind, "rounding")
    return (x + Fraction(1, 1 << (fraction + 1))).astype(Kind.fixed(integer + 1, fraction))
