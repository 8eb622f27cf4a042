"""Programs among any number of parties, each over TLS on loopback in this process."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import tacit as t

SIZES = [(3, 1), (4, 1), (5, 2), (7, 3)]


def run(program: Callable[[t.Runtime], Awaitable[Any]], parties: int = 3, **terms: Any) -> Any:
    """What all parties return, which is the same."""
    results = list(asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120)).values())
    assert all(result == results[0] for result in results)
    return results[0]


@pytest.mark.parametrize(("parties", "threshold"), SIZES)
def test_every_party_gives_a_number(parties: int, threshold: int) -> None:
    async def program(rt: t.Runtime) -> Any:
        given = rt.share_by_all(10 * rt.parties.index(rt.party) - 20)
        total = sum(given[1:], given[0])
        product = given[0]
        for other in given[1:]:
            product = product * other
        return await asyncio.gather(
            rt.open(total), rt.open(product + 1), rt.open(given[0] < given[1]), rt.open(given[0] == 0)
        )

    numbers = [10 * i - 20 for i in range(parties)]
    product = 1
    for number in numbers:
        product *= number
    expected = [sum(numbers), product + 1, 1, 0]
    assert run(program, parties, threshold=threshold) == expected


def test_arrays_compute_as_numpys_do() -> None:
    a = [[1, -2, 3], [4, 5, -6]]
    b = [7, 8, -9]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(a if rt.party == "p1" else None, by="p1", shape=(2, 3))
        y = rt.share(b if rt.party == "p3" else None, by="p3", shape=3)
        assert (x.shape, len(x), x.size, x.ndim) == ((2, 3), 2, 6, 2)
        values = [
            x + y, x - 1, 1 - x, -x, x * y, 2 * x, x * b, x @ y, x @ x.T, y @ y, x.sum(), x.sum(0), x.sum(-1),
            x[1], x[:, ::-1], x[..., 1], x[[1, 0, 1]], x[:, [2, 0]], x[0, 1], x[None, 1],
            x.reshape((3, 2)), x.T, y**3, y.max(), y.min(), y.argmin(), y.argmax(), y.sort(),
            x < y, x >= y, x == 5, x != 5,
            rt.where(x < 0, 0, x), (x < 0) ^ (y < 0), (x < 0) | (y < 0), ~(x < 0), (x < 0) & (y < 0),
            rt.constant([1, 2]) * 3,
        ]  # fmt: skip
        return await asyncio.gather(*map(rt.open, values))

    def each(f: Callable[[int, int], int]) -> Any:
        return [[f(p, q) for p, q in zip(row, b, strict=True)] for row in a]

    expected = [
        each(lambda p, q: p + q), each(lambda p, _: p - 1), each(lambda p, _: 1 - p), each(lambda p, _: -p),
        each(lambda p, q: p * q), each(lambda p, _: 2 * p), each(lambda p, q: p * q),
        [7 - 16 - 27, 28 + 40 + 54], [[14, -24], [-24, 77]], 49 + 64 + 81, 5, [5, 3, -3], [2, 3],
        a[1], [row[::-1] for row in a], [-2, 5], [a[1], a[0], a[1]], [[3, 1], [-6, 4]], -2, [a[1]],
        [[1, -2], [3, 4], [5, -6]], [[1, 4], [-2, 5], [3, -6]],
        [343, 512, -729], 8, -9, 2, 1, [-9, 7, 8],
        each(lambda p, q: int(p < q)), each(lambda p, q: int(p >= q)), each(lambda p, _: int(p == 5)),
        each(lambda p, _: int(p != 5)), each(lambda p, _: max(p, 0)), each(lambda p, q: (p < 0) ^ (q < 0)),
        each(lambda p, q: int(p < 0 or q < 0)), each(lambda p, _: int(p >= 0)),
        each(lambda p, q: int(p < 0 and q < 0)), [3, 6],
    ]  # fmt: skip
    for number, (result, wanted) in enumerate(zip(run(program), expected, strict=True)):
        assert result == wanted, number


def test_numbers_are_taken_apart() -> None:
    dividends, divisors = [1000, 37, 0, 2**20 - 1], [7, 38, 5, 1]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(dividends if rt.party == "p1" else None, by="p1", shape=4)
        y = rt.share(divisors if rt.party == "p2" else None, by="p2", shape=4)
        values = [*x.divide(y, bits=20), x.bits(20), (x - 500).truncate(3, bits=22)]
        return await asyncio.gather(*map(rt.open, values), rt.open(x[0].divide(9, bits=20)[1]))

    assert run(program) == [
        [a // b for a, b in zip(dividends, divisors, strict=True)],
        [a % b for a, b in zip(dividends, divisors, strict=True)],
        [[a >> i & 1 for i in range(20)] for a in dividends],
        [(a - 500) >> 3 for a in dividends],
        1000 % 9,
    ]


def test_programs_decide_by_opened_values() -> None:
    async def program(rt: t.Runtime) -> int:
        secret = rt.share(37 if rt.party == "p2" else None, by="p2")
        low, high = 0, 64
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if await rt.open(secret < middle) else (middle, high)
        return low

    assert run(program) == 37


def test_tasks_take_turns_in_any_order() -> None:
    async def program(rt: t.Runtime) -> Any:
        async def power(base: int, exponent: int) -> int:
            x = rt.share(base if rt.party == "p1" else None, by="p1")
            result = x
            for _ in range(exponent - 1):
                result = result * x
                await asyncio.sleep(0.001 * (hash((rt.party, base, exponent)) % 5))
            return int(await rt.open(result))

        pairs = itertools.product([2, 3], [1, 5, 9])
        return await asyncio.gather(*(power(base, exponent) for base, exponent in pairs))

    assert run(program) == [2, 32, 512, 3, 243, 19683]


def test_only_those_named_learn_a_value() -> None:
    async def program(rt: t.Runtime) -> Any:
        x = rt.share(5 if rt.party == "p1" else None, by="p1")
        seen = [await rt.open(x * x, "p2"), await rt.open(x + 1, ["p1", "p3"])]
        assert seen == [25 if rt.party == "p2" else None, None if rt.party == "p2" else 6]
        return None

    run(program)


@pytest.mark.parametrize("modulus", [1009, 2**64 - 59, 2**127 - 1, 2**255 - 19, t.GF256])
def test_other_fields(modulus: int) -> None:
    async def program(rt: t.Runtime) -> Any:
        x = rt.share(7 if rt.party == "p1" else None, by="p1")
        bits = rt.random_bits(50)
        return await asyncio.gather(
            rt.open(x * x), rt.open(x.inverse() * x), rt.open(bits * bits), rt.open(bits)
        )

    square, one, squares, bits = run(program, modulus=modulus)
    assert (square, one) == (21 if modulus == t.GF256 else 49, 1)
    assert squares == bits
    assert set(bits) == {0, 1}


def test_what_cannot_work_is_refused() -> None:
    def fails(expected: type[Exception], text: str, **terms: Any) -> None:
        async def program(rt: t.Runtime) -> None:
            """Nothing."""

        with pytest.raises(expected, match=text):
            run(program, **terms)

    fails(t.UsageError, "not an odd prime", modulus=2**61 + 1)
    fails(t.UsageError, "too small", modulus=3)
    fails(t.UsageError, "threshold 2", threshold=2)
    fails(t.UsageError, "threshold 0", threshold=0)


@pytest.mark.parametrize(
    ("expression", "error", "text"),
    [
        (lambda _rt, x: bool(x), t.SecretError, "no party knows"),
        (lambda _rt, x: x + 2**60, t.UsageError, "not in the field"),
        (lambda _rt, x: x * 1.5, TypeError, "not an integer"),
        (lambda _rt, x: x[0], t.ShapeError, "1 indices"),
        (lambda rt, x: x + rt.constant([[1, 2], [3]]), t.ShapeError, "different lengths"),
        (lambda rt, _x: rt.constant([1, 2]) + rt.constant([1, 2, 3]), t.ShapeError, "broadcast"),
        (lambda rt, _x: rt.constant([1, 2]) @ rt.constant([1, 2, 3]), t.ShapeError, "matrix product"),
        (lambda rt, _x: rt.share(1, by="nobody"), t.UsageError, "no party nobody"),
        (lambda rt, x: rt.open(x, []), t.ProgramError, "opened to nobody"),
    ],
)
def test_mistakes_are_named(expression: Any, error: type[Exception], text: str) -> None:
    async def program(rt: t.Runtime) -> None:
        x = rt.share(5 if rt.party == "p1" else None, by="p1")
        with pytest.raises(error, match=text):
            expression(rt, x)

    run(program)


def test_another_program_is_named_with_its_line() -> None:
    async def program(rt: t.Runtime) -> None:
        x = rt.share(5 if rt.party == "p1" else None, by="p1")
        y = x * x if rt.party == "p2" else x + x
        await rt.open(y)

    with pytest.raises(t.PeerError, match=r"another program: the first difference is test_parties\.py:\d+"):
        run(program, timeout_s=10)


def test_a_party_that_leaves_is_named() -> None:
    async def program(rt: t.Runtime) -> None:
        if rt.party == "p2":
            await rt.synchronise()
            raise InterruptedError
        # p2 may leave before others know that all are there.
        with pytest.raises(t.PeerError) as caught:
            await rt.synchronise()
            await rt.open(rt.share(by="p2"))
        seen[rt.party] = str(caught.value)
        raise caught.value

    seen: dict[str, str] = {}
    with pytest.raises(InterruptedError):
        run(program, timeout_s=10)
    assert sorted(seen) == ["p1", "p3"]
    assert all("p2" in error for error in seen.values()), seen


WIDE = 2**127 - 1


@pytest.mark.parametrize(("parties", "threshold"), SIZES)
def test_numbers_of_few_bits(parties: int, threshold: int) -> None:
    a, b = [0, 5, -7, 100, -(2**31)], [1, 5, -6, -100, 2**31 - 1]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(a if rt.party == "p1" else None, by="p1", shape=5)
        y = rt.share(b if rt.party == "p2" else None, by="p2", shape=5)
        sizes = x * x
        values = [
            x.less_within(y, 33), x.equal_within(y, 33), x.less_within(3, 33), x.truncate(3, 33),
            sizes.remainder(5, 64), (x.less_within(0, 33)).parity(), sizes.bits(63).from_bits(),
        ]  # fmt: skip
        probably = x.truncate_probably(4, 33)
        return await asyncio.gather(*map(rt.open, values)), await rt.open(probably)

    exact, probably = run(program, parties, threshold=threshold, modulus=WIDE)
    assert exact == [
        [int(p < q) for p, q in zip(a, b, strict=True)],
        [int(p == q) for p, q in zip(a, b, strict=True)],
        [int(p < 3) for p in a],
        [p >> 3 for p in a],
        [p * p % 32 for p in a],
        [int(p < 0) for p in a],
        [p * p for p in a],
    ]
    assert all(p >> 4 <= q <= -(-p >> 4) for p, q in zip(a, probably, strict=True))


def test_numbers_with_a_fixed_point() -> None:
    a, b = [768, -384, 100, 0], [512, 512, -256, 5]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(a if rt.party == "p1" else None, by="p1", shape=4)
        y = rt.share(b if rt.party == "p2" else None, by="p2", shape=4)
        values = [x.fixed_mul(y, 8, 20), x.fixed_divide(y, 8, 20), x.fixed_mul(512, 8, 20)]
        return await asyncio.gather(*map(rt.open, values))

    products = [p * q >> 8 for p, q in zip(a, b, strict=True)]
    quotients = [int(256 * p / q) for p, q in zip(a, b, strict=True)]
    assert run(program, modulus=WIDE) == [products, quotients, [2 * p for p in a]]


@pytest.mark.parametrize(("parties", "threshold"), SIZES)
def test_two_fields_in_one_program(parties: int, threshold: int) -> None:
    a, b = [0, 1, 7, 2**32 - 1, 5, 6], [1, 0, 7, 2**31, 6, 5]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(a if rt.party == "p1" else None, by="p1", shape=6)
        y = rt.share(b if rt.party == "p2" else None, by="p2", shape=6)
        here, there = x.greater_equal_toft(y, 32), x.greater_equal_gf256(y, 32)
        other = y.greater_equal_gf256(x, 32)
        both = (there & other, there ^ other, there ^ 1, here.to_gf256() ^ there)
        values = [here, there, there.from_gf256(), *both, both[0].from_gf256() * x]
        with pytest.raises(t.UsageError, match="another field"):
            x + there
        return await asyncio.gather(*map(rt.open, values))

    more = [int(p >= q) for p, q in zip(a, b, strict=True)]
    same = [int(p == q) for p, q in zip(a, b, strict=True)]
    expected = [more, more, more, same, [1 - bit for bit in same], [1 - bit for bit in more], [0] * 6]
    expected.append([bit * p for bit, p in zip(same, a, strict=True)])
    assert run(program, parties, threshold=threshold, modulus=WIDE) == expected


def test_what_is_made_ahead_is_spent() -> None:
    numbers = list(range(-20, 20))

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=40)
        rt.prepare_comparisons(80)
        rt.prepare_bits(100)
        bits = rt.random_bits(100)
        less = await rt.open(x < 0)
        again = await rt.open(rt.concatenate([x, x, x]) < 0)
        return less, again, set(await rt.open(bits))

    less, again, bits = run(program)
    assert less == [int(number < 0) for number in numbers]
    assert again == 3 * less
    assert bits == {0, 1}
