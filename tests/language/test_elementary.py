"""Exponentials, logarithms and what is made of them, of fixed-point numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from computing import compute, traced

import tacit as t

KINDS = [
    t.fixed(*parts)
    for parts in [(4, 6), (1, 6), (2, 0), (8, 8), (16, 16), (20, 10), (5, 24), (8, 40), (3, 64)]
]


def values(kind: t.Kind, random_: random.Random, count: int = 150) -> list[Fraction]:
    """Numbers of a kind of all sizes: every one where there are few."""
    fraction = kind.fraction or 0
    limit = 1 << (kind.bits - 1)
    if kind.bits <= 10:
        words = list(range(-limit, limit))
    else:
        sizes = [random_.randrange(kind.bits) for _ in range(count)]
        words = [random_.randrange(-(1 << size), 1 << size) for size in sizes]
        words += [
            0,
            1,
            -1,
            limit - 1,
            -limit,
            *(power for size in range(0, kind.bits - 1, 3) for power in (1 << size, (1 << size) - 1)),
        ]
    return [Fraction(word, 1 << fraction) for word in words]


def real(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def exp(x: Decimal) -> Decimal:
    return x.exp()


def log(x: Decimal) -> Decimal:
    return x.ln()


def sigmoid(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


def tanh(x: Decimal) -> Decimal:
    return 2 / (1 + (-2 * x).exp()) - 1


def errors(
    function: Callable[[Any], Any], wanted: Callable[[Decimal], Decimal], kind: t.Kind, xs: list[Fraction]
) -> list[Decimal]:
    """By how much results are wrong, in units of their last bit; of those above 1, in parts of them."""
    results = compute(function, (kind[len(xs)], xs))
    with localcontext(prec=80):
        found = []
        for x, result in zip(xs, results, strict=True):
            value = wanted(real(x))
            found.append(
                abs(real(Fraction(result)) - value)
                / max(abs(value), Decimal(1))
                * (1 << (kind.fraction or 0))
            )
        return found


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
def test_errors_of_bounded_functions(name: str, kind: t.Kind) -> None:
    xs = values(kind, random.Random(name))
    assert max(errors(getattr(t, name), globals()[name], kind, xs)) <= 1


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_errors_of_exponentials(kind: t.Kind) -> None:
    integer, fraction = kind.bits - (kind.fraction or 0), kind.fraction or 0
    largest = Decimal((1 << (kind.bits - 1)) - 1) / (1 << fraction)
    xs = values(kind, random.Random(1))
    assert max(errors(t.exp, lambda x: min(exp(min(x, Decimal(2 * integer))), largest), kind, xs)) <= 1


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_errors_of_logarithms(kind: t.Kind) -> None:
    xs = [x for x in values(kind, random.Random(2)) if x > 0]
    if xs:
        assert (
            max(
                error * max(abs(log(real(x))), Decimal(1))
                for x, error in zip(xs, errors(t.log, log, kind, xs), strict=True)
            )
            <= 1
        )


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_reciprocals_are_rounded_down(kind: t.Kind) -> None:
    xs = [x for x in values(kind, random.Random(3)) if x]
    scale = 1 << (kind.fraction or 0)
    results = compute(t.reciprocal, (kind[len(xs)], xs))
    assert [Fraction(result) for result in results] == [
        Fraction(scale * x.denominator // x.numerator, scale) for x in xs
    ]


def test_logarithms_of_what_has_none() -> None:
    kind = t.fixed(8, 8)
    assert compute(t.log, (kind[3], [0, -1, -128])) == [-8.0] * 3
    assert compute(lambda x: t.log(x) + 0, (kind, 1)) == 0


def test_results_are_of_kinds_that_hold_them() -> None:
    kinds: dict[str, Any] = {}

    def note(x: t.Array) -> t.Array:
        kinds.update(
            exp=t.exp(x).kind,
            wide=t.exp(x, t.fixed(24, 4)).kind,
            log=t.log(x).kind,
            bounded={t.sigmoid(x).kind, t.tanh(x).kind, t.softmax(x).kind},
        )
        return x

    traced(note, [t.fixed(16, 12)[2]]).trace()
    wanted = {"exp": t.fixed(16, 12), "wide": t.fixed(24, 4), "log": t.fixed(5, 12)}
    assert kinds == {**wanted, "bounded": {t.fixed(2, 12)}}


def test_exponentials_of_another_kind() -> None:
    xs = [-3.5, 0.0, 1.0, 7.5, 15.0, 15.75]
    found = compute(lambda x: t.exp(x, t.fixed(24, 16)), (t.fixed(5, 2)[6], xs))
    for x, result in zip(xs, found, strict=True):
        wanted = float(exp(Decimal(x)))
        assert abs(result - wanted) <= max(wanted, 1) / (1 << 16)


@pytest.mark.parametrize("shape, axis", [((7,), -1), ((3, 5), 1), ((3, 5), 0), ((2, 3, 4), 1)])
def test_softmax(shape: tuple[int, ...], axis: int) -> None:
    numpy = pytest.importorskip("numpy")
    xs = numpy.random.default_rng(5).integers(-(1 << 15), 1 << 15, shape) / 4096
    found = numpy.array(compute(lambda x: t.softmax(x, axis), (t.fixed(4, 12)[shape], xs)))
    powers = numpy.exp(xs - xs.max(axis, keepdims=True))
    assert numpy.abs(found - powers / powers.sum(axis, keepdims=True)).max() <= 2**-12


def test_softmax_of_many() -> None:
    xs = [0.0] * 300 + [-8.0] * 300
    found = compute(t.softmax, (t.fixed(5, 14)[600], xs))
    large, small = (1 / (300 + 300 * float(exp(Decimal(-8)))), float(exp(Decimal(-8))) / 300)
    assert max(abs(one - large) for one in found[:300]) <= 2**-14
    assert max(abs(one - small) for one in found[300:]) <= 2**-14


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    name: getattr(t, name) for name in ("exp", "log", "sigmoid", "tanh", "softmax", "reciprocal", "sqrt")
}


PINS = {"free": t.array, "yao": t.yao, "bool": t.bool_, "arith": t.arith}
CASES = [*((name, pin) for name in FUNCTIONS for pin in PINS.values()), ("sigmoid", t.he)]


@pytest.mark.parametrize(("name", "pin"), CASES)
def test_two_parties_compute_the_same(name: str, pin: Callable[[Any], t.Array]) -> None:
    xs = [0.0, 1.0, -1.0, 0.625, -3.125, 7.9375, -8.0]
    compute(lambda x: FUNCTIONS[name](pin(x)), (t.fixed(4, 10)[7], xs), secure=True)


@pytest.mark.parametrize("name", ["exp", "log", "sigmoid", "softmax"])
@pytest.mark.parametrize("domain", ["yao", "bool", "arith", "auto"])
def test_in_every_domain(name: str, domain: str) -> None:
    function = traced(FUNCTIONS[name], [t.fixed(4, 8)[5]])
    given = {"a": {"x0": [0.5, -2.25, 7.0, 0.0, -8.0]}}
    assert function.run(**given, b={}, domain=domain)["a"] == function(**given, b={})["a"]


@pytest.mark.parametrize("name", ["exp", "log", "sigmoid", "tanh", "softmax"])
def test_products_follow_the_pin(name: str) -> None:
    def plan(pin: Callable[[Any], t.Array], domain: str | None = None) -> str:
        return traced(lambda x: FUNCTIONS[name](pin(x)), [t.fixed(8, 16)[100]]).trace().plan(domain=domain)

    assert "\nproducts " in plan(t.arith)
    for pin in (t.yao, t.bool_):
        assert "\nproducts " not in plan(pin)
    assert "\nproducts " not in plan(t.array, domain="yao")


def test_numbers_and_empty_arrays() -> None:
    kind = t.fixed(8, 8)
    for name in ("exp", "log", "sigmoid", "tanh", "reciprocal", "sqrt"):
        assert compute(lambda x: FUNCTIONS[name](x[:0]), (kind[1], [1])) == []  # noqa: B023
        assert compute(lambda x: FUNCTIONS[name](x[0]), (kind[1], [1])) == compute(FUNCTIONS[name], (kind, 1))  # noqa: B023
    assert compute(lambda x: t.softmax(x.reshape(0, 1)), (kind[0], [])) == []


@pytest.mark.parametrize("name", ["exp", "log", "sigmoid", "tanh", "softmax", "reciprocal"])
def test_integers_are_refused(name: str) -> None:
    with pytest.raises(t.KindError, match=rf"{name} takes and gives fixed-point numbers, not u8; .*astype"):
        traced(FUNCTIONS[name], [t.u8[2]]).trace()


def test_polynomials_are_as_near_as_they_say() -> None:
    from tacit.language.polynomials import coefficients, logarithm, power_of_half, precision

    for function in (power_of_half, logarithm):
        for bits in (8, 20, 40, 70):
            found = coefficients(function, bits)
            with localcontext(precision(bits)):
                for place in range(1, 201):
                    x = Decimal(place) / 200
                    value = sum((one * x**power for power, one in enumerate(found)), Decimal()) / 2**bits
                    # The rounding of each coefficient adds half a unit.
                    assert abs(value - function(x)) <= (2 + Decimal(len(found)) / 2) / 2**bits
