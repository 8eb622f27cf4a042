"""Numbers among many parties that know their range: widths grow, and what does not fit is refused."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tacit as t

LIMIT_S = 120
SMALL = 2**61 - 1
WIDE = 2**127 - 1


def run(program: Callable[[t.PartySession], Any], parties: int = 3, modulus: int | None = None) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties=parties, modulus=modulus), LIMIT_S))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def bounds(kind: t.Kind) -> tuple[Fraction, Fraction]:
    """The least and the greatest number of a kind."""
    unit = Fraction(1, 1 << (kind.fraction or 0))
    if kind.signed:
        return -(1 << kind.bits - 1) * unit, ((1 << kind.bits - 1) - 1) * unit
    return Fraction(0), ((1 << kind.bits) - 1) * unit


def edges(kind: t.Kind) -> list[Any]:
    """Numbers at the ends of a kind and about zero."""
    least, greatest = bounds(kind)
    unit = Fraction(1, 1 << (kind.fraction or 0))
    near = [least, least + unit, -unit, Fraction(0), unit, 3 * unit, greatest - unit, greatest]
    found = sorted({number for number in near if least <= number <= greatest})
    return [float(number) if kind.fraction is not None else int(number) for number in found]


def given(rt: t.PartySession, values: list[Any], kind: t.Kind, by: str = "p1") -> t.Array:
    return rt.share(values if rt.party == by else None, by=by, shape=len(values), kind=kind)


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from flat(item)
    else:
        yield value


PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "minimum": t.minimum,
    "maximum": t.maximum,
    "where": lambda x, y: t.where(x < y, x, y),
    "concatenate": lambda x, y: t.concatenate([x, y]),
    "stack": lambda x, y: t.stack([x, y]),
    "inner product": lambda x, y: t.dot(x, y),
    "outer product": lambda x, y: x.reshape(-1, 1) @ y.reshape(1, -1),
}

ONES: dict[str, Callable[[Any], Any]] = {
    "-x": lambda x: -x,
    "abs": lambda x: abs(x),
    "square": lambda x: x**2,
    "zeroth power": lambda x: x**0,
    "first power": lambda x: x**1,
    "cube": lambda x: x**3,
    "sum": lambda x: x.sum(),
    "sum along an axis": lambda x: x.reshape(1, -1).sum(axis=0),
    "min": lambda x: x.min(),
    "max": lambda x: x.max(),
    "sort": lambda x: x.sort(),
    "min along an axis": lambda x: t.stack([x, x[::-1]]).min(axis=0),
    "max along an axis": lambda x: t.stack([x, x[::-1], x]).max(axis=1),
    "sort along an axis": lambda x: t.stack([x, x[::-1]]).sort(axis=0),
    "prod": lambda x: x[:3].prod(),
    "prod along an axis": lambda x: t.stack([x[:2], x[-2:], x[:2]]).prod(axis=0),
    "any": lambda x: x.any(),
    "all along an axis": lambda x: t.stack([x, x[::-1]]).all(axis=0),
    "shift left": lambda x: x << 3,
    "shift right": lambda x: x >> 2,
    "shift out": lambda x: x >> 40,
    "a number added": lambda x: 5 + x,
    "a number taken": lambda x: x - 300,
    "from a number": lambda x: 7 - x,
    "times a number": lambda x: x * -3,
    "below a number": lambda x: x < 2,
    "equal to a number": lambda x: x == 1,
    "where with numbers": lambda x: t.where(x > 0, x, -1),
    "a number chosen": lambda x: t.where(x > 0, 3, 9),
    "maximum with a number": lambda x: t.maximum(x, 0),
    "index": lambda x: x[1:],
    "positions": lambda x: x[[0, 0, 1]],
    "transpose": lambda x: x.reshape(1, -1).T,
    "broadcast": lambda x: t.broadcast_to(x, (2, x.size)),
    "a list": lambda x: t.array([x[0], 7, x[1]]),
    "as bool": lambda x: x.astype(t.bool),
}

INTEGERS: dict[str, Callable[[Any], Any]] = {
    "argmin": lambda x: x.argmin(),
    "argmax": lambda x: x.argmax(),
    "argmin along an axis": lambda x: t.stack([x, x[::-1], x]).argmin(axis=0),
    "argmax along an axis": lambda x: t.stack([x, x[::-1]]).argmax(axis=1),
    "argsort": lambda x: t.concatenate([x, x[::-1]]).argsort(),
    "argsort along an axis": lambda x: t.stack([x, x[::-1]]).argsort(axis=0),
    "half": lambda x: x // 2,
    "a quarter's rest": lambda x: x % 4,
    "a third": lambda x: x // 3,
    "a third's rest": lambda x: x % 3,
    "by a number below zero": lambda x: x // -7,
    "rest by a number below zero": lambda x: x % -7,
    "a number by them": lambda x: 100 // x,
    "a number below zero by them": lambda x: -100 // x,
    "~x": lambda x: ~x,
    "bits": lambda x: x.bits(),
    "wider": lambda x: x.astype(t.int(20)),
}

BOOLS: dict[str, Callable[[Any, Any], Any]] = {
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "from_bits": lambda x, y: t.from_bits(t.stack([x, y], axis=-1)),
}


FRACTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "/": lambda x, y: x / t.where(y == 0, 1, y),
    "half": lambda x, _: x / 2,
    "an eighth": lambda x, _: x / 8,
    "as it is": lambda x, _: x / 1,
    "a third": lambda x, _: x / 3,
    "by a fraction below zero": lambda x, _: x / -0.75,
    "a number by them": lambda _, y: 10 / t.where(y == 0, 1, y).astype(t.fixed(12, 6)),
}

QUOTIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % t.where(y == 0, 1, y),
    "divmod": lambda x, y: t.concatenate(list(divmod(x, t.where(y == 0, 3, y)))),
}


def in_the_clear(
    kinds: tuple[t.Kind, ...], values: tuple[list[Any], ...], works: list[Callable[..., Any]]
) -> tuple[list[Any], list[str]]:
    """What a function of two parties gives and of what kinds it is: the same operations by the same rules."""
    found: list[str] = []

    @t.function
    def program(a: t.Role) -> None:
        found.clear()
        operands = [
            a.input(f"x{i}", kind[len(value)])
            for i, (kind, value) in enumerate(zip(kinds, values, strict=True))
        ]
        for number, work in enumerate(works):
            result = work(*operands)
            found.append(str(result.kind))
            a.output(f"y{number}", result)

    out = program(a={f"x{i}": value for i, value in enumerate(values)})
    return [out["a"][f"y{number}"] for number in range(len(works))], found


def agree(
    kinds: tuple[t.Kind, ...],
    values: tuple[list[Any], ...],
    works: dict[str, Callable[..., Any]],
    parties: int,
    modulus: int,
) -> None:
    """Operations give the same numbers and kinds among many parties as in a function, within their range."""

    async def program(rt: t.PartySession) -> Any:
        operands = [
            given(rt, value, kind, by) for value, kind, by in zip(values, kinds, ["p1", "p2"], strict=False)
        ]
        results = {name: work(*operands) for name, work in works.items()}
        opened = await asyncio.gather(*map(rt.open, results.values()))
        for (name, result), numbers in zip(results.items(), opened, strict=True):
            least, greatest = bounds(result.kind)
            assert all(least <= number <= greatest for number in flat(numbers)), name
        return opened, [str(result.kind) for result in results.values()]

    numbers, names = run(program, parties, modulus)
    expected, expected_names = in_the_clear(kinds, values, list(works.values()))
    assert dict(zip(works, numbers, strict=True)) == dict(zip(works, expected, strict=True))
    assert dict(zip(works, names, strict=True)) == dict(zip(works, expected_names, strict=True))


KINDS = [t.u8, t.i8, t.uint(1), t.int(13), t.fixed(5, 4)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_operations_on_one_array_at_the_ends_of_its_range(kind: t.Kind) -> None:
    works = ONES if kind.fraction is not None else ONES | INTEGERS
    agree((kind,), (edges(kind),), works, 3, SMALL)


@pytest.mark.parametrize(
    ("first", "second"),
    [(t.u8, t.u8), (t.i8, t.u8), (t.i16, t.int(5)), (t.fixed(5, 4), t.fixed(6, 2)), (t.fixed(5, 4), t.i8)],
    ids=str,
)
def test_operations_on_two_arrays_at_the_ends_of_their_ranges(first: t.Kind, second: t.Kind) -> None:
    rows = [
        (x, y) for x in edges(first)[:4] + edges(first)[-2:] for y in edges(second)[:2] + edges(second)[-2:]
    ]
    values = ([x for x, _ in rows], [y for _, y in rows])
    agree((first, second), values, PAIRS, 3, SMALL)


@pytest.mark.parametrize(
    ("first", "second"),
    [(t.u8, t.u8), (t.i8, t.u8), (t.uint(5), t.i8), (t.i8, t.int(5)), (t.bool, t.u8)],
    ids=str,
)
def test_quotients_at_the_ends_of_their_ranges(first: t.Kind, second: t.Kind) -> None:
    rows = [(x, y) for x in edges(first) for y in edges(second)]
    agree((first, second), ([x for x, _ in rows], [y for _, y in rows]), QUOTIENTS, 3, SMALL)


@pytest.mark.parametrize(
    ("first", "second", "modulus"),
    [
        (t.fixed(5, 4), t.fixed(6, 2), SMALL),
        (t.fixed(3, 1), t.fixed(2, 6), SMALL),
        (t.fixed(5, 4), t.i8, SMALL),
        (t.fixed(5, 4), t.u8, WIDE),
    ],
    ids=str,
)
def test_quotients_of_fixed_point_numbers(first: t.Kind, second: t.Kind, modulus: int) -> None:
    rows = [(x, y) for x in edges(first) for y in edges(second)]
    agree((first, second), ([x for x, _ in rows], [y for _, y in rows]), FRACTIONS, 3, modulus)


def test_integers_by_fixed_point_numbers() -> None:
    works = {"/": lambda x, y: x / t.where(y == 0, 1, y)}
    for kind in (t.u8, t.i8, t.bool):
        rows = [(x, y) for x in edges(kind) for y in edges(t.fixed(3, 2))]
        agree((kind, t.fixed(3, 2)), ([x for x, _ in rows], [y for _, y in rows]), works, 5, SMALL)


def test_fixed_point_numbers_by_a_secret_zero() -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = given(rt, [-2.0, 0.0, 1.5], t.fixed(4, 3)), given(rt, [0, 0, 0], t.u8, "p2")
        return await rt.open(x / y)

    assert run(program) == [-1 / 8] * 3


ROOTS = [t.u8, t.i8, t.uint(1), t.uint(2), t.int(13), t.bool, t.fixed(5, 4), t.fixed(1, 6), t.fixed(6, 1)]


@pytest.mark.parametrize("kind", ROOTS, ids=str)
def test_roots(kind: t.Kind) -> None:
    unit = 1 / 2 ** (kind.fraction or 0)
    more = [number * unit for number in (2, 3, 4, 8, 9, 15, 16, 17) if number * unit <= bounds(kind)[1]]
    values = [*edges(kind), *(more if kind.fraction is not None else map(int, more))]
    works = {"sqrt": t.sqrt, "sqrt of rows": lambda x: t.sqrt(t.stack([x, x[::-1]]))}
    agree((kind,), (values,), works, 3, SMALL)


def test_roots_among_five_who_may_do_anything() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = given(rt, [0, 1, 143, 144, 255], t.u8)
        return await asyncio.gather(*map(rt.open, (t.sqrt(x), x.astype(t.fixed(9, 1)) / 7, x.cumsum())))

    results = asyncio.run(asyncio.wait_for(t.together(program, 5, modulus=WIDE, security="active"), LIMIT_S))
    expected = [[0, 1, 11, 12, 15], [0, 0, 20, 20.5, 36], [0, 1, 144, 288, 543]]
    assert list(results.values()) == [expected] * 5


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_running_sums(count: int) -> None:
    works = {
        "of all": lambda x: x.cumsum(),
        "of rows": lambda x: t.stack([x, x[::-1]]).cumsum(axis=1),
        "of columns": lambda x: t.stack([x, x[::-1]]).cumsum(axis=0),
        "of no numbers": lambda x: x[:0].cumsum(),
        "of all in rows": lambda x: t.stack([x, -x]).cumsum(),
    }
    for kind in (t.u8, t.i8, t.bool, t.fixed(5, 4)):
        agree((kind,), (edges(kind)[-count:],), works, 3, SMALL)


def test_the_remainder_by_a_secret_zero_is_zero() -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = given(rt, [-128, 5, 127], t.i8), given(rt, [0, 0, 0], t.i8, "p2")
        return await asyncio.gather(rt.open(x % y), rt.open(x // y))

    assert run(program) == [[0, 0, 0], [-1, -1, -1]]


TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "lookup": t.lookup,
    "lookup of one": lambda x, i: t.lookup(x, i[1]),
    "lookup of rows": lambda x, i: t.lookup(t.stack([x, -x], axis=-1), i),
    "lookup at a matrix": lambda x, i: t.lookup(x, t.stack([i, i[::-1]])),
    "update": lambda x, i: t.update(x, i[2], x[0]),
    "update of a row": lambda x, i: t.update(t.stack([x, x], axis=-1), i[0], t.stack([x[1], x[2]])),
    "update by a number": lambda x, i: t.update(x, i[0], 1),
}


@pytest.mark.parametrize("kind", [t.u8, t.i8, t.fixed(5, 4)], ids=str)
@pytest.mark.parametrize("position", [t.uint(2), t.uint(3), t.u8], ids=str)
def test_tables_at_secret_positions(kind: t.Kind, position: t.Kind) -> None:
    agree((kind, position), (edges(kind)[:5], [3, 0, 1, 2, 3]), TABLES, 3, SMALL)


def test_positions_beyond_a_table() -> None:
    async def program(rt: t.PartySession) -> Any:
        table = given(rt, [3, 4, 5, 6, 7], t.u8)
        beyond = given(rt, [5, 7, 8, 9, 255], t.u8, "p2")
        found = t.lookup(table, beyond)
        updated = [t.update(table, one, 9) for one in beyond]
        return await asyncio.gather(rt.open(found), *map(rt.open, updated))

    assert run(program) == [[0] * 5, *[[3, 4, 5, 6, 7]] * 5]


def test_five_parties_and_a_wide_field() -> None:
    for kind, modulus in ((t.i8, SMALL), (t.int(18), WIDE), (t.fixed(5, 4), WIDE)):
        works = ONES if kind.fraction is not None else ONES | INTEGERS
        agree((kind,), (edges(kind),), works, 5, modulus)
        first, last = edges(kind)[:3], edges(kind)[-3:]
        agree((kind, kind), (first + last, last + first), PAIRS, 5, modulus)


def test_truth_values() -> None:
    values = ([False, False, True, True], [False, True, False, True])
    agree((t.bool, t.bool), values, BOOLS | PAIRS, 3, SMALL)
    ones = {
        name: ONES[name] for name in ("-x", "abs", "square", "zeroth power", "sum", "max", "sort", "as bool")
    }
    agree((t.bool,), (values[0],), ones | {"~x": lambda x: ~x}, 3, SMALL)


def expression(numbers: random.Random, x: Any, plain: Any, other: Any, plain_other: Any) -> tuple[Any, Any]:
    """One random operation on an array, and on plain numbers."""
    works: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
        (lambda: x + other, lambda: plain + plain_other),
        (lambda: x - other, lambda: plain - plain_other),
        (lambda: x * other, lambda: plain * plain_other),
        (lambda: -x, lambda: -plain),
        (lambda: abs(x), lambda: abs(plain)),
        (lambda: x >> 3, lambda: plain >> 3),
        (lambda: x << 2, lambda: plain << 2),
        (lambda: t.minimum(x, other), lambda: np.minimum(plain, plain_other)),
        (lambda: t.where(x > other, x, other), lambda: np.maximum(plain, plain_other)),
        (lambda: x**2, lambda: plain**2),
        (lambda: x - 12345, lambda: plain - 12345),
    ]
    work, plainly = works[numbers.randrange(len(works))]
    return work(), plainly()


@pytest.mark.parametrize(("parties", "seed"), [(3, 1), (3, 2), (5, 3)])
def test_random_expressions_stay_within_their_range(parties: int, seed: int) -> None:
    async def program(rt: t.PartySession) -> int:
        numbers = random.Random(seed)
        refused = 0
        plains = [np.array([numbers.randrange(-2048, 2048) for _ in range(6)], dtype=object) for _ in "ab"]
        arrays = [
            given(rt, plain.tolist(), t.int(12), by) for plain, by in zip(plains, ("p1", "p3"), strict=True)
        ]
        pool = list(zip(arrays, plains, strict=True))
        first = list(pool)
        opened = []
        for _ in range(60):
            one, two = pool[-1 - numbers.randrange(2)], pool[numbers.randrange(len(pool))]
            try:
                made = expression(numbers, *one, *two)
            except t.RangeError:
                refused += 1
                pool = list(first)
                continue
            least, greatest = bounds(made[0].kind)
            assert all(least <= number <= greatest for number in made[1]), made[0].kind
            opened.append((rt.open(made[0]), made[1].tolist()))
            pool.append(made)
        for future, plain in opened:
            assert await future == plain
        return refused

    assert run(program, parties) > 0


@pytest.mark.parametrize("kind", [t.u8, t.i8, t.bool, t.int(60), t.fixed(4, 4)], ids=str)
@pytest.mark.parametrize("end", ["least", "greatest"])
def test_an_owner_refuses_numbers_outside_of_the_range(kind: t.Kind, end: str) -> None:
    least, greatest = bounds(kind)
    unit = Fraction(1, 1 << (kind.fraction or 0))
    inside, outside = (least, least - unit) if end == "least" else (greatest, greatest + unit)

    async def program(rt: t.PartySession) -> Any:
        if rt.party == "p2":
            wrong = [0, float(outside) if kind.fraction is not None else int(outside)]
            sent = rt.bytes_sent
            refusal = r"p2\.share(\[1\])?: .* does not fit in .* give one of these"
            with pytest.raises(t.InputError, match=refusal):
                given(rt, wrong, kind, "p2")
            assert rt.bytes_sent == sent
        right = [0, float(inside) if kind.fraction is not None else int(inside)]
        return await rt.open(given(rt, right, kind, "p2"))

    assert run(program) == [0, inside]


def test_an_input_that_is_refused_ends_the_session() -> None:
    async def program(rt: t.PartySession) -> Any:
        return await rt.open(rt.share_by_all(2**7 if rt.party == "p3" else 1, bits=8)[2])

    with pytest.raises(t.InputError, match=r"p3\.share: 128 does not fit in i8, .* -128 to 127"):
        run(program)


WIDE_KINDS = (t.int(40), t.int(60))


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (
            r"\* of int\(40\) and int\(40\) needs 80 bits, .* 2305843009213693951, has 60",
            lambda x, _: x * x[0],
        ),
        (r"\+ of int\(60\) and int\(60\) needs 61 bits", lambda _, y: y + y),
        (r"- of int\(60\) and int\(60\) needs 61 bits", lambda _, y: y - y),
        (r"\+ of int\(60\) and", lambda _, y: y + 1),
        (r"\*\* of int\(40\) needs 79 bits", lambda x, _: x**2),
        (r"- of int\(60\) needs 61", lambda _, y: -y),
        (r"sum of int\(60\)", lambda _, y: y.sum()),
        (r"@ of int\(40\) and int\(40\) needs 81", lambda x, _: x @ x),
        (r"<< of int\(40\) needs 61", lambda x, _: x << 21),
        (r"< of int\(60\) and int\(60\) needs 61 bits", lambda _, y: y[0] < y[1]),
        (r"a public number of uint\(70\)", lambda x, _: x > 2**69),
        (r"== of int\(60\)", lambda _, y: y == y),
        (r"< of int\(60\)", lambda _, y: t.minimum(y, y)),
        (r"< of int\(60\)", lambda _, y: t.maximum(y, y)),
        (r"min of int\(60\)", lambda _, y: y.min()),
        (r"max of int\(60\)", lambda _, y: y.max()),
        (r"argmin of int\(60\)", lambda _, y: y.argmin()),
        (r"argmax of int\(60\)", lambda _, y: y.argmax()),
        (r"sort of int\(60\)", lambda _, y: y.sort()),
        (r"argsort of int\(60\) needs 62", lambda _, y: y.argsort()),
        (r"// of int\(60\) and int\(60\)", lambda _, y: y // y),
        (r"% of int\(60\) and int\(40\)", lambda x, y: y % x),
        (r"\* of int\(40\) and int\(40\) needs 80", lambda x, _: x.prod()),
        (r"a public number of uint\(70\)", lambda x, _: t.where(yes(), x, 2**69)),
        (r"where of", lambda _, y: t.where(yes(), t.constant(1, t.uint(60)), y)),
        (r"an array of", lambda _, y: t.concatenate([y, t.constant([1], t.uint(60))])),
        (r"sqrt of int\(60\) needs 62", lambda _, y: t.sqrt(y)),
        (r"cumsum of int\(60\) needs 61", lambda _, y: y.cumsum()),
        (
            r"/ of fixed\(40, 10\) and fixed\(20, 16\) needs 73",
            lambda x, _: x.astype(t.fixed(40, 10)) / fraction(x),
        ),
        (r"within of int\(62\)", lambda x, _: x.within(t.int(62))),
        (r"from_bits", lambda *_: t.from_bits(t.stack([yes()] * 61, axis=-1))),
        (r"a public number of u64", lambda *_: t.constant(1, t.u64)),
        (r"\* of fixed\(20, 16\) and fixed\(20, 16\) needs 72", lambda x, _: fraction(x) * fraction(x)),
    ],
)
def test_what_does_not_fit_is_refused_where_it_is_written(words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x, y = (given(rt, [1, -2], kind) for kind in WIDE_KINDS)
        before = rt.bytes_sent
        with pytest.raises(t.RangeError, match=words) as caught:
            wrong(x, y)
        assert "x.within(bits)" in str(caught.value)
        assert "modulus=2**127 - 1" in str(caught.value)
        assert rt.bytes_sent - before < 1000

    run(program)


def yes() -> t.Array:
    return t.constant(True, t.bool)


def fraction(x: t.Array) -> t.Array:
    return x.astype(t.field(SMALL)).within(t.fixed(20, 16))


@pytest.mark.parametrize("kind", [t.u64, t.int(61), t.fixed(40, 30)], ids=str)
def test_inputs_too_wide_for_the_field_are_refused(kind: t.Kind) -> None:
    async def program(rt: t.PartySession) -> None:
        with pytest.raises(t.RangeError, match=r"p1\.share of .* needs"):
            given(rt, [1], kind)
        with pytest.raises(t.RangeError, match=r"p1\.x of .* needs"):
            rt.role("p1").input("x", kind, 1 if rt.party == "p1" else None)

    run(program)


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.KindError, "whose range is not known", lambda x, f: x + f),
        (t.KindError, "whose range is not known", lambda x, f: f < x),
        (t.KindError, "whose range is not known", lambda x, f: t.concatenate([x, f])),
        (t.KindError, "where takes bool", lambda x, f: t.where(f, x, x)),
        (t.KindError, "where takes bool, not i8", lambda x, _: t.where(x, x, x)),
        (t.KindError, "& takes bool", lambda x, _: x & x),
        (t.KindError, "does not hold all numbers", lambda x, _: x.astype(t.u8)),
        (t.KindError, "elements of the field have no kind", lambda _, f: f.astype(t.u8)),
        (t.KindError, r"\+ of float32 and i8", lambda x, _: x.astype(t.float32) + x),
        (t.KindError, "have no bits .* promise their range", lambda _, f: f.astype(t.float64)),
        (t.KindError, "public integer", lambda x, _: x << x),
        (t.KindError, "i8 / i8 has a fraction", lambda x, _: x / x),
        (t.KindError, "i8 / u8 has a fraction", lambda x, _: x / x.within(t.u8)),
        (t.KindError, "whose range is not known", lambda x, f: x.astype(t.fixed(8, 1)) / f),
        (ZeroDivisionError, "by zero", lambda x, _: x.astype(t.fixed(8, 1)) / 0),
        (t.KindError, "from_bits takes bool", lambda x, _: t.from_bits(x)),
        (t.KindError, "a number of bits", lambda x, _: x.within(-1)),
        (t.KindError, "needs more than", lambda x, _: x.within(0)),
        (t.KindError, "its binary point elsewhere", lambda x, _: x.within(t.fixed(4, 4))),
        (t.KindError, "not defined", lambda x, _: x.within(t.float32)),
        (t.KindError, "whose range is not known", lambda x, f: t.lookup(x, f)),
        (t.KindError, "an integer from 0 up", lambda x, _: t.lookup(x, x)),
        (
            t.KindError,
            r"an entry of uint\(10\) in a table of i8",
            lambda x, _: t.update(x, x[0].within(t.u8), 1000),
        ),
        (t.ShapeError, "not a table", lambda x, _: t.lookup(x[0], x.within(t.u8))),
        (t.ShapeError, "one unsigned position", lambda x, _: t.update(x, x.within(t.u8), 1)),
        (t.KindError, "fraction cannot be combined", lambda x, _: x + 0.5),
        (t.KindError, "// is not defined for fixed", lambda x, _: x.astype(t.fixed(8, 2)) // 2),
        (t.KindError, "whose range is not known", lambda x, f: x // f),
        (TypeError, "not a number or an array", lambda x, _: x + "1"),
        (TypeError, "x.bits()", lambda x, _: x.bits(8)),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = given(rt, [1, 0], t.i8)
        field = rt.share([1, 0] if rt.party == "p1" else None, by="p1", shape=2)
        with pytest.raises(error, match=words):
            wrong(x, field)

    run(program)


def test_bits_beside_a_kind_and_numbers_of_gf256() -> None:
    async def program(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="give only one of them"):
            rt.share(1 if rt.party == "p1" else None, by="p1", bits=8, kind=t.u8)

    async def in_bytes(rt: t.PartySession) -> None:
        with pytest.raises(t.KindError, match=r"GF\(2\^8\) have no kind"):
            rt.share(1 if rt.party == "p1" else None, by="p1", bits=8)

    run(program)
    run(in_bytes, modulus=t.GF256)


def test_promises_renew_ranges() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = given(rt, [-8, 7], t.int(30))
        y = x.within(4)
        z = (y * y).within(8) * (y * y)
        field = rt.share([5, 9] if rt.party == "p2" else None, by="p2", shape=2)
        promised = [field.within(5), field.within(t.uint(4)), (field > 5).within(t.bool)]
        chosen = t.where(promised[2], promised[1], x.within(4))
        kinds = [str(one.kind) for one in (x, y, z, *promised, chosen, x.within(99))]
        back = (y.astype(t.field(rt.modulus)) + field) ** 3
        assert not back.has_kind
        return kinds, [await rt.open(one) for one in (y, z, *promised, chosen, back)]

    kinds, numbers = run(program)
    assert kinds == [
        "int(30)", "int(4)", "i16", "int(5)", "uint(4)", "bool", "int(5)", "int(30)",
    ]  # fmt: skip
    assert numbers == [
        [-8, 7], [4096, 2401], [5, 9], [5, 9], [False, True], [-8, 9], [-27, 4096],
    ]  # fmt: skip


def test_an_opened_number_outside_of_its_range_shows_a_broken_promise() -> None:
    async def program(rt: t.PartySession) -> None:
        x = given(rt, [100, 3], t.i8)
        with pytest.raises(t.RangeError, match=r"100 was opened, but x\.within\(…\) promised int\(4\)"):
            await rt.open(x.within(4))
        with pytest.raises(t.RangeError, match="results computed from it may be wrong"):
            await rt.open(x.within(4) + 1)

    run(program)


@pytest.mark.parametrize("how", ["input", "promise"])
def test_parties_that_name_different_bits_are_told(how: str) -> None:
    async def program(rt: t.PartySession) -> Any:
        bits = 16 if rt.party == "p2" else 20
        if how == "input":
            x = rt.share([1, 2] if rt.party == "p1" else None, by="p1", shape=2, bits=bits)
        else:
            x = rt.share([1, 2] if rt.party == "p1" else None, by="p1", shape=2).within(bits)
        return await rt.open(x * x)

    with pytest.raises(
        t.PeerError, match=r"differ in the kind of numbers: here (i16, there int\(20\)|int\(20\), there i16)"
    ):
        run(program)


def test_roles_give_numbers_of_a_kind() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.role("p1").input("x", t.u8[2], [255, 0] if rt.party == "p1" else None)
        y = rt.role("p2").input("y", t.fixed(4, 4), 1.5 if rt.party == "p2" else None)
        rt.role("p3").output("product", x * y)
        own = await rt.results()
        assert own == ({"p3": {"product": [382.5, 0.0]}} if rt.party == "p3" else {})
        return str((x * y).kind)

    assert run(program) == "fixed(12, 4)"


def test_comparisons_take_the_narrowest_form() -> None:
    """What is sent for a comparison follows the width, as by hand."""

    def sent(work: Callable[[t.Array, t.Array], t.Array]) -> int:
        async def program(rt: t.PartySession) -> int:
            plain = list(range(64))
            narrow = given(rt, plain, t.u8)
            wide = rt.share(plain if rt.party == "p1" else None, by="p1", shape=64)
            # What is opened has arrived: nothing of the inputs is counted below.
            await rt.open(narrow)
            await rt.open(wide)
            await rt.synchronise()
            before = rt.bytes_sent
            less = [x < y for x, y in zip(plain, plain[::-1], strict=True)]
            assert await rt.open(work(narrow, wide)) == less
            # A result may be there before this party's own messages have left.
            await rt.synchronise()
            return rt.bytes_sent - before

        def once() -> int:
            return int(asyncio.run(asyncio.wait_for(t.together(program, modulus=WIDE), LIMIT_S))["p1"])

        # Elements in more messages than others have more headers: the least is the one to compare.
        return min(once() for _ in range(3))

    tracked = sent(lambda narrow, _: narrow < narrow[::-1])
    by_hand = sent(lambda _, wide: wide.less_within(wide[::-1], 9))
    whole_field = sent(lambda _, wide: wide < wide[::-1])
    # In how many messages the elements travel differs from run to run, by a few headers.
    assert abs(tracked - by_hand) < by_hand // 20
    assert tracked * 2 < whole_field


def test_within_in_a_function_of_two_parties() -> None:
    @t.function
    def program(a: t.Role) -> None:
        x = a.input("x", t.i32)
        kinds.extend(str(one.kind) for one in (x.within(8), x.within(99), x.within(t.u8), (x * x).within(20)))
        a.output("y", x.within(8) + (x * x).within(20) + x.within(t.u8))
        with pytest.raises(t.KindError, match="binary point elsewhere"):
            x.within(t.fixed(4, 4))
        with pytest.raises(t.KindError, match="needs more than"):
            x.within(0)
        with pytest.raises(t.KindError, match="not defined"):
            a.input("f", t.field(101)).within(3)

    kinds: list[str] = []
    assert program(a={"x": 100, "f": 1})["a"]["y"] == 10200
    assert kinds[:4] == ["i8", "i32", "u8", "int(20)"]
