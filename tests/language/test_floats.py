"""Floating-point arithmetic with Python's operators against NumPy's, bit for bit; all NaNs count as one."""

from __future__ import annotations

import asyncio
import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from computing import compute

import tacit as t

FORMATS: dict[int, Any] = {
    32: (t.float32, np.float32, np.uint32, "<I", "<f", 23, 8),
    64: (t.float64, np.float64, np.uint64, "<Q", "<d", 52, 11),
}
COUNT = 60


def operands(bits: int, count: int, seed: str) -> Any:
    """Numbers of all sizes, among them zeros, infinities, NaNs and subnormal numbers of both signs."""
    _, dtype, word, _, _, fraction, exponent = FORMATS[bits]
    random_ = random.Random(seed)
    least, special = 1, (1 << exponent) - 1
    middle = special // 2
    words = []
    for _ in range(count):
        field = random_.choice(
            [0, least, special, special - 1, middle, middle + 1, middle + random_.randrange(-8, 9),
             middle + fraction, random_.randrange(special)]
        )  # fmt: skip
        rest = random_.choice([0, 1, (1 << fraction) - 1, random_.getrandbits(fraction)])
        words.append(random_.getrandbits(1) << (bits - 1) | field << fraction | rest)
    return np.array(words, dtype=word).view(dtype)


def same(found: Any, expected: Any) -> bool:
    """Whether arrays hold the same numbers, zeros with their signs."""
    found = np.array(found, dtype=expected.dtype)
    nans = np.isnan(expected)
    return bool(
        (np.isnan(found) == nans).all() and (found.tobytes() == expected.tobytes() or
        (np.where(nans, 0, found).tobytes() == np.where(nans, 0, expected).tobytes()))
    )  # fmt: skip


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


@pytest.mark.parametrize("bits", FORMATS)
def test_operators(bits: int) -> None:
    kind, *_ = FORMATS[bits]
    x, y = operands(bits, COUNT, f"x{bits}"), operands(bits, COUNT, f"y{bits}")
    x[:4], y[:4] = [0.0, -0.0, 0.0, np.inf], [-0.0, 0.0, 0.0, -np.inf]
    operators = {**ARITHMETIC, **COMPARISONS}
    found = compute(
        lambda a, b: tuple(operator(a, b) for operator in operators.values()),
        (kind[COUNT], x),
        (kind[COUNT], y),
    )
    with np.errstate(all="ignore"):
        for (name, operator), result in zip(operators.items(), found, strict=True):
            expected = operator(x, y)
            assert result == expected.tolist() if name in COMPARISONS else same(result, expected), name


@pytest.mark.parametrize("bits", FORMATS)
def test_functions_of_one_number(bits: int) -> None:
    kind, *_ = FORMATS[bits]
    x = operands(bits, COUNT, f"one {bits}")
    root, negative, magnitude, truth, square, one = compute(
        lambda a: (t.sqrt(a), -a, abs(a), a.astype(t.bool), a**2, a**0), (kind[COUNT], x)
    )
    with np.errstate(all="ignore"):
        assert same(root, np.sqrt(x))
        assert same(negative, -x)
        assert same(magnitude, np.abs(x))
        assert truth == (x != 0).tolist()
        assert same(square, x * x)
        assert one == [1.0] * COUNT


@pytest.mark.parametrize("bits", FORMATS)
def test_extrema(bits: int) -> None:
    kind, *_ = FORMATS[bits]
    x, y = operands(bits, COUNT, f"u{bits}"), operands(bits, COUNT, f"v{bits}")
    x[:2], y[:2] = [0.0, -0.0], [-0.0, 0.0]
    least, largest = compute(
        lambda a, b: (t.minimum(a, b), t.maximum(a, b)), (kind[COUNT], x), (kind[COUNT], y)
    )
    smaller, larger = np.minimum(x, y), np.maximum(x, y)
    smaller[:2], larger[:2] = -0.0, 0.0  # IEEE 754-2019: -0 is less than +0
    assert same(least, smaller)
    assert same(largest, larger)
    least, largest = compute(lambda a: (a.min(), a.max()), (kind[5], [3, -7.5, np.inf, 0.25, -0.0]))
    assert (least, largest) == (-7.5, math.inf)
    assert math.isnan(compute(lambda a: a.min(), (kind[3], [3, np.nan, -1])))


@pytest.mark.parametrize("domain", ["yao", "bool", "auto"])
@pytest.mark.parametrize("bits", FORMATS)
def test_two_parties_get_what_the_interpreter_gets(bits: int, domain: str) -> None:
    kind, *_ = FORMATS[bits]
    x, y = operands(bits, 5, f"s{bits}"), operands(bits, 5, f"t{bits}")

    @t.function
    def computed(a: t.Role, b: t.Role) -> None:
        u, v = a.input("x", kind[5]), b.input("y", kind[5])
        b.output("sum", u + v)
        b.output("rest", u - v)
        b.output("product", u * v)
        b.output("quotient", u / v)
        b.output("root", t.sqrt(u))
        b.output("order", (u < v) | (u == v))
        b.output("integer", u.astype(t.i32))
        b.output("number", u.astype(t.i32).astype(kind))

    clear = computed(a={"x": x}, b={"y": y})["b"]
    secret = computed.using(domain=domain).run(a={"x": x}, b={"y": y})["b"]
    assert repr(secret) == repr(clear)


INTEGERS = [t.u8, t.i8, t.u32, t.i32, t.u64, t.i64, t.uint(1), t.int(1), t.uint(128), t.int(128)]


def results_in(x: Any, y: Any) -> dict[str, Any]:
    """What all operators give, by name."""
    return {name: compute(x, y) for name, compute in (ARITHMETIC | COMPARISONS).items()}


@pytest.mark.parametrize("bits", FORMATS)
def test_programs_that_decide_as_they_run(bits: int) -> None:
    kind = FORMATS[bits][0]
    x, y = (operands(bits, 12, f"reactive {name} {bits}") for name in "xy")

    async def program(s: t.PartySession) -> dict[str, Any]:
        a, b = s.role("a").input("x", kind[12]), s.role("b").input("y", kind[12])
        opened = {name: s.open(found) for name, found in results_in(a, b).items()}
        return {name: await future for name, future in opened.items()}

    found = asyncio.run(t.session.together(program, a={"x": x.tolist()}, b={"y": y.tolist()}))
    with np.errstate(all="ignore"):
        expected = results_in(x, y)
    for party in "ab":
        for name, result in expected.items():
            assert same(found[party][name], result), name


@pytest.mark.parametrize("parties", [3, 5])
@pytest.mark.parametrize("bits", FORMATS)
def test_functions_among_many_parties(bits: int, parties: int) -> None:
    kind = FORMATS[bits][0]
    x, y = (operands(bits, 6, f"many {name} {bits}") for name in "xy")

    @t.function
    def computed(p1: t.Role, p2: t.Role) -> None:
        a, b = p1.input("x", kind[6]), p2.input("y", kind[6])
        for number, found in enumerate(results_in(a, b).values()):
            t.output(f"z{number}", found, p1, p2)

    async def program(rt: t.PartySession) -> Any:
        given = {"p1": {"p1": {"x": x.tolist()}}, "p2": {"p2": {"y": y.tolist()}}}.get(rt.party, {})
        return await rt.run(computed, given)

    found = asyncio.run(t.together(program, parties))
    with np.errstate(all="ignore"):
        expected = results_in(x, y)
    for party in ("p1", "p2"):
        for number, (name, result) in enumerate(expected.items()):
            assert same(found[party][party][f"z{number}"], result), name


@pytest.mark.parametrize("bits", FORMATS)
@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_integers(bits: int, kind: t.Kind) -> None:
    float_kind, *_ = FORMATS[bits]
    low = -(1 << (kind.bits - 1)) if kind.signed else 0
    high = low + (1 << kind.bits) - 1
    random_ = random.Random(f"{kind} {bits}")
    given = [low, high, 0] + [random_.randint(low, high) >> random_.randrange(kind.bits) for _ in range(12)]
    found = compute(lambda a: a.astype(float_kind), (kind[len(given)], given))
    assert found == [nearest(value, bits) for value in given]
    floats = operands(bits, COUNT, f"{kind} {bits}").tolist()
    floats += [0.5, -0.5, -0.99, 1.5, nearest(low, bits), nearest(high, bits), nearest(high // 2, bits)]
    found = compute(lambda a: a.astype(kind), (float_kind[len(floats)], floats))
    assert found == [clamped(value, low, high, int) for value in floats]


def nearest(value: int | Fraction, bits: int) -> float:
    """The nearest float of 32 or 64 bits."""
    if bits == 64:
        return float(value)
    # A double has enough bits more to tell on which side of a tie a number lies, if it is rounded to odd.
    double = float(value)
    if Fraction(double) != value:
        (word,) = struct.unpack("<Q", struct.pack("<d", double))
        toward = word - 1 if abs(Fraction(double)) > abs(Fraction(value)) else word
        (double,) = struct.unpack("<d", struct.pack("<Q", toward | 1))
    with np.errstate(over="ignore"):
        return float(np.float32(double))


def clamped(value: float | Fraction, low: int, high: int, whole: Callable[[Any], int]) -> int:
    if isinstance(value, float) and math.isnan(value):
        return 0
    if isinstance(value, float) and math.isinf(value):
        return high if value > 0 else low
    return max(low, min(high, whole(value)))


@pytest.mark.parametrize("bits", FORMATS)
@pytest.mark.parametrize("kind", [t.fixed(8, 8), t.fixed(16, 16), t.fixed(1, 31), t.fixed(1, 127)], ids=str)
def test_numbers_with_a_binary_point(bits: int, kind: t.Kind) -> None:
    float_kind, *_ = FORMATS[bits]
    scale, half = 1 << (kind.fraction or 0), 1 << (kind.bits - 1)
    random_ = random.Random(f"{kind} {bits}")
    raw = [-half, half - 1, 0, 1, -1, 3, *(random_.randrange(-half, half) for _ in range(8))]
    given = [Fraction(value, scale) for value in raw]
    found = compute(lambda a: a.astype(float_kind), (kind[len(given)], given))
    assert found == [nearest(value, bits) for value in given]
    floats = operands(bits, COUNT, f"{kind} {bits}").tolist()
    floats += [1.5 / scale, 2.5 / scale, -0.5 / scale, 0.49, -0.51]
    if bits == 32:
        floats = [float(np.float32(value)) for value in floats]
    found = compute(lambda a: a.astype(kind), (float_kind[len(floats)], floats))
    scaled = [
        clamped(value if not math.isfinite(value) else Fraction(value) * scale, -half, half - 1, round)
        for value in floats
    ]
    assert [Fraction(value) for value in found] == [Fraction(value, scale) for value in scaled]


def test_formats_convert_into_each_other() -> None:
    x, y = operands(32, COUNT, "wide"), operands(64, COUNT, "narrow")
    wide, narrow = compute(
        lambda a, b: (a.astype(t.float64), b.astype(t.float32)), (t.float32[COUNT], x), (t.float64[COUNT], y)
    )
    with np.errstate(all="ignore"):
        assert same(wide, x.astype(np.float64))
        assert same(narrow, y.astype(np.float32))


@pytest.mark.parametrize("bits", FORMATS)
def test_public_numbers(bits: int) -> None:
    kind, dtype, *_ = FORMATS[bits]
    x = np.array([1.5, -2, np.inf, np.nan, 0.0, -0.0], dtype=dtype)
    numbers: list[Any] = [
        0.1, 1 / 3, -0.0, math.inf, -math.inf, math.nan, 3, -(1 << 60) + 1, 5e-324, 1e-40, 1.1754943e-38,
        True, 3.4e38, np.float32(0.1), Fraction(1, 7),
    ]  # fmt: skip
    with np.errstate(all="ignore"):
        for number in numbers:
            own = dtype(float(number))
            total, quotient, equal = compute(
                lambda a, number=number: (a + number, number / a, a == number), (kind[6], x)
            )
            assert same(total, x + own), number
            assert same(quotient, own / x), number
            assert equal == (x == own).tolist(), number
        assert same(compute(lambda a: a / 0, (kind[6], x)), x / dtype(0))
    array = compute(lambda a: t.where(a > 0, a, 7), (kind[6], x))
    assert array == [1.5, 7.0, math.inf, 7.0, 7.0, 7.0]
    assert compute(lambda a: a + t.constant(0.25, kind), (kind, 1)) == 1.25


def test_sums_and_products_of_arrays() -> None:
    x, y = np.arange(12, dtype=np.float64).reshape(3, 4) / 4, np.arange(8, dtype=np.float64).reshape(4, 2) - 3
    product, total, rows, inner, all_ = compute(
        lambda a, b: (a @ b, a.sum(), a.sum(axis=1), a[0] @ b[:, 0], a.prod(axis=0)),
        (t.float64[3, 4], x), (t.float64[4, 2], y),
    )  # fmt: skip
    assert product == (x @ y).tolist()
    assert total == x.sum()
    assert rows == x.sum(axis=1).tolist()
    assert inner == x[0] @ y[:, 0]
    assert all_ == x.prod(axis=0).tolist()
    assert compute(lambda a: a[:0].sum(), (t.float32[3], [1, 2, 3])) == 0.0


def test_within_loops() -> None:
    found = compute(
        lambda a: t.fori(20, lambda _, x: (x + a / x) / 2, t.constant(1, t.float64)), (t.float64, 2)
    )
    expected = 1.0
    for _ in range(20):
        expected = (expected + 2 / expected) / 2
    assert found == expected


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda f, d, i, q: f + d, ["+ of float32 and float64", "x.astype(t.float32)"]),
        (lambda f, d, i, q: f * i, ["* of float32 and u8", "x.astype(t.u8)"]),
        (lambda f, d, i, q: i / f, ["/ of u8 and float32"]),
        (lambda f, d, i, q: f < q, ["a comparison of float32 and fixed(8, 8)"]),
        (lambda f, d, i, q: t.maximum(f, q), ["maximum of float32 and fixed(8, 8)"]),
        (lambda f, d, i, q: t.where(i > 0, f, d), ["float32", "float64", "astype"]),
        (lambda f, d, i, q: t.stack([f, i]), ["float32", "u8", "astype"]),
        (lambda f, d, i, q: f // 2, ["division is not defined for float32", "astype"]),
        (lambda f, d, i, q: f & 1, ["& is not defined for float32"]),
        (lambda f, d, i, q: f << 1, ["<< is not defined for float32"]),
        (lambda f, d, i, q: ~f, ["~ is not defined for float32"]),
        (lambda f, d, i, q: t.stack([f, f]).argmin(), ["min is not defined for float32"]),
        (lambda f, d, i, q: t.stack([f, f]).sort(), ["sort is not defined for float32"]),
        (lambda f, d, i, q: t.wrapping(f), ["wrapping of float32"]),
        (lambda f, d, i, q: t.exp(f), ["float32"]),
        (lambda f, d, i, q: f + 1e39, ["does not fit in float32"]),
        (lambda f, d, i, q: i + math.nan, ["nan"]),
        (lambda f, d, i, q: q + math.nan, ["nan is not a number to compute with"]),
        (
            lambda f, d, i, q: f.astype(t.field(101)),
            ["float32 does not convert to field(101)", "integer first"],
        ),
        (lambda f, d, i, q: f.astype(t.uint(129)), ["uint(129) has 129 bits", "at most 128"]),
    ],
)
def test_what_is_refused(body: Callable[..., Any], words: list[str]) -> None:
    @t.function
    def refused(a: t.Role, b: t.Role) -> None:
        f, d = a.input("f", t.float32), a.input("d", t.float64)
        b.output("y", body(f, d, b.input("i", t.u8), b.input("q", t.fixed(8, 8))))

    with pytest.raises(t.KindError) as raised:
        refused.trace()
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("bits", [16, 31, 80, 128])
def test_other_widths_are_refused(bits: int) -> None:
    with pytest.raises(t.KindError, match=f"floats have 32 or 64 bits, not {bits}"):
        t.Kind.float(bits)
