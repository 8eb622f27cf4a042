"""Greatest common divisors and modular inverses of secret integers among many parties, beside Python's."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from tacit.sessions.divisors import _step_count

SIZES = [(3, "passive"), (4, "passive"), (5, "passive"), (3, "active"), (5, "active")]
WIDE = 2**127 - 1


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 240))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def given(rt: t.PartySession, values: list[Any], kind: t.Kind | None, by: str = "p1") -> t.Array:
    return rt.share(values if rt.party == by else None, by=by, shape=len(values), kind=kind)


def ends(kind: t.Kind) -> list[int]:
    """The least and greatest numbers of a kind, and those about 0, powers of two among them."""
    least = -(1 << kind.bits - 1) if kind.signed else 0
    numbers = [least, least + 1, -1, 0, 1, 2, 3, 6, 8, least + (1 << kind.bits) - 1]
    return [number for number in numbers if least <= number < least + (1 << kind.bits)]


def inverse(number: int, modulus: int) -> int:
    return pow(number, -1, modulus) if math.gcd(number, modulus) == 1 else 0


def compare(
    pairs: list[tuple[int, int]], first: t.Kind, second: t.Kind, parties: int = 3, **terms: Any
) -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = given(rt, [x for x, _ in pairs], first), given(rt, [y for _, y in pairs], second, "p2")
        divisors, multiples = rt.gcd(x, y), rt.lcm(x, y)
        assert divisors.kind == t.uint(max(first.bits, second.bits))
        assert multiples.kind == t.uint(first.bits + second.bits)
        return await rt.open(divisors), await rt.open(multiples)

    expected = [math.gcd(x, y) for x, y in pairs], [math.lcm(x, y) for x, y in pairs]
    assert run(program, parties, **terms) == expected


def extended(
    pairs: list[tuple[int, int]], first: t.Kind, second: t.Kind, parties: int = 3, **terms: Any
) -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = given(rt, [x for x, _ in pairs], first), given(rt, [y for _, y in pairs], second, "p2")
        return [await rt.open(numbers) for numbers in rt.gcdext(x, y)]

    for (x, y), divisor, s, factor in zip(pairs, *run(program, parties, **terms), strict=True):
        assert (divisor, s * x + factor * y) == (math.gcd(x, y), divisor), (x, y, s, factor)
        assert abs(s) <= max(abs(y), 1) and abs(factor) <= max(abs(x), 1), (x, y, s, factor)


@pytest.mark.parametrize("kind", [t.int(4), t.uint(4)])
def test_factors_of_all_pairs(kind: t.Kind) -> None:
    least = -8 if kind.signed else 0
    numbers = range(least, least + 16)
    extended([(x, y) for x in numbers for y in numbers], kind, kind)


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_factors_among_parties(parties: int, security: str) -> None:
    pairs = [(-128, 128), (-128, 0), (0, 0), (-96, 255), (127, 254), (-1, 64), (60, 84)]
    extended(pairs, t.i8, t.u8, parties, security=security, modulus=WIDE)


@pytest.mark.parametrize(
    ("first", "second"), [(t.bool, t.bool), (t.int(1), t.u8), (t.i16, t.uint(5)), (t.u32, t.u32)]
)
def test_factors_at_ends_of_ranges(first: t.Kind, second: t.Kind) -> None:
    draw = random.Random(4)
    pairs = list(itertools.product(ends(first), ends(second)))
    pairs += [(draw.choice(ends(first)), draw.choice(ends(second)) // 3) for _ in range(10)]
    extended(pairs, first, second, modulus=WIDE)


@pytest.mark.parametrize("kind", [t.int(4), t.uint(4)])
def test_all_pairs(kind: t.Kind) -> None:
    least = -8 if kind.signed else 0
    numbers = range(least, least + 16)
    compare([(x, y) for x in numbers for y in numbers], kind, kind)


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_parties(parties: int, security: str) -> None:
    pairs = [(-128, 128), (-128, 0), (0, 0), (-96, 255), (127, 254), (-1, 64), (60, 84)]
    compare(pairs, t.i8, t.u8, parties, security=security, modulus=WIDE)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (t.bool, t.bool),
        (t.int(1), t.int(1)),
        (t.int(1), t.u8),
        (t.bool, t.int(3)),
        (t.i16, t.uint(5)),
        (t.u32, t.u32),
        (t.i64, t.uint(60)),
    ],
)
def test_ends_of_ranges(first: t.Kind, second: t.Kind) -> None:
    pairs = list(itertools.product(ends(first), ends(second)))
    compare(pairs, first, second, modulus=WIDE)


def fibonacci(bits: int) -> list[int]:
    """The numbers of so many bits at most, for which Euclid's algorithm takes longest."""
    numbers = [1, 2]
    while sum(numbers[-2:]) < 1 << bits:
        numbers.append(sum(numbers[-2:]))
    return numbers


@pytest.mark.parametrize("bits", [5, 16, 45, 57])
def test_numbers_that_take_long_and_a_field_with_little_room(bits: int) -> None:
    draw = random.Random(bits)
    numbers = fibonacci(bits)[-6:]
    pairs = list(itertools.pairwise(numbers)) + [(y, x) for x, y in itertools.pairwise(numbers)]
    shared = [draw.randrange(1 << bits // 2) for _ in range(10)]
    pairs += [(one * draw.randrange(1 << bits // 2), one * draw.randrange(1 << bits // 2)) for one in shared]

    async def program(rt: t.PartySession) -> Any:
        x, y = (given(rt, list(one), t.uint(bits)) for one in zip(*pairs, strict=True))
        return await rt.open(rt.gcd(x, y))

    assert run(program) == [math.gcd(x, y) for x, y in pairs]


@pytest.mark.parametrize("bits", [1, 2, 5, 8])
def test_as_many_steps_as_needed(bits: int) -> None:
    """The pair of Bernstein and Yang, on public numbers: the bound on steps holds for all pairs."""
    size = 1 << bits
    for f, g in itertools.product(range(-size + 1, size, 2), range(-size, size + 1)):
        delta, a, b = 1, f, g
        for _ in range(_step_count(bits)):
            if delta > 0 and b % 2:
                delta, a, b = 1 - delta, b, (b - a) // 2
            else:
                delta, a, b = 1 + delta, a, (b + b % 2 * a) // 2
        assert (abs(a), b) == (math.gcd(f, g), 0)


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_modular_inverses(parties: int, security: str) -> None:
    numbers = [-128, -127, -7, -1, 0, 1, 2, 45, 127]

    async def program(rt: t.PartySession) -> Any:
        x = given(rt, numbers, t.i8)
        return [await rt.open(rt.modular_inverse(x, modulus)) for modulus in (1, 3, 101, 255, 1001)]

    expected = [[inverse(one, modulus) for one in numbers] for modulus in (1, 3, 101, 255, 1001)]
    assert run(program, parties, security=security, modulus=WIDE) == expected


def test_all_small_inverses_and_large_ones() -> None:
    draw = random.Random(3)
    large = [0, 1, 2**32 - 1, 2**31, *[draw.randrange(2**32) for _ in range(20)]]
    moduli = [2**32 - 5, 2**64 - 1, 3 * 5 * 7 * 11 * 13]

    async def program(rt: t.PartySession) -> Any:
        small, wide = given(rt, list(range(32)), t.uint(5)), given(rt, large, t.u32)
        few = [rt.modular_inverse(small, modulus) for modulus in range(1, 48, 2)]
        many = [rt.modular_inverse(wide, modulus) for modulus in moduli]
        assert [one.kind for one in many] == [t.u32, t.u64, t.uint(14)]
        assert few[0].kind == t.uint(1)
        return await asyncio.gather(*map(rt.open, [*few, *many]))

    expected = [[inverse(one, modulus) for one in range(32)] for modulus in range(1, 48, 2)]
    expected += [[inverse(one, modulus) for one in large] for modulus in moduli]
    assert run(program, modulus=WIDE) == expected


def test_shapes_public_numbers_and_empty_arrays() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = given(rt, [12, 18, 35], t.u8)
        one, table = rt.gcd(x[0], x[1]), rt.gcd(x[:, None], [6, 10])
        assert (one.shape, rt.gcd(x[:0], x[:0]).shape, rt.lcm(x[:0], 3).shape) == ((), (0,), (0,))
        assert rt.modular_inverse(x[:0].reshape(0, 2), 7).shape == (0, 2)
        made = [
            one,
            table,
            rt.lcm(4, x),
            rt.gcd(12, 18),
            rt.gcd(x, (-5, 0, 7)),
            rt.modular_inverse(3, 7),
            rt.gcd(x, x),
        ]
        return await asyncio.gather(*map(rt.open, made))

    table = [[6, 2], [6, 2], [1, 5]]
    assert run(program) == [6, table, [12, 36, 140], 6, [1, 18, 7], 5, [12, 18, 35]]


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.KindError, "gcd of elements of the field", lambda rt, x: rt.gcd(x, x)),
        (t.KindError, "lcm of elements of the field", lambda rt, x: rt.lcm(3, x)),
        (
            t.KindError,
            r"gcd of fixed\(4, 2\); it takes integers",
            lambda rt, x: rt.gcd(x.within(t.fixed(4, 2)), 3),
        ),
        (t.RangeError, "gcd needs 61 bits", lambda rt, x: rt.gcd(x.within(t.uint(59)), 3)),
        (t.RangeError, "gcdext needs 62 bits", lambda rt, x: rt.gcdext(x.within(t.uint(52)), 3)),
        (t.RangeError, "lcm needs 64 bits", lambda rt, x: rt.lcm(x.within(t.u32), x.within(t.u32))),
        (t.RangeError, "modular_inverse needs", lambda rt, x: rt.modular_inverse(x.within(t.u8), 2**55 + 1)),
        (t.UsageError, "modulo 10; give an odd", lambda rt, x: rt.modular_inverse(x.within(t.u8), 10)),
        (t.UsageError, "modulo -3; give an odd", lambda rt, x: rt.modular_inverse(x.within(t.u8), -3)),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = given(rt, [1, 2], None)
        with pytest.raises(error, match=words):
            wrong(rt, x)

    run(program)


def test_bytes_are_refused() -> None:
    async def program(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="gcd needs a prime field"):
            rt.gcd(3, given(rt, [1], None))

    run(program, modulus=t.GF256)
