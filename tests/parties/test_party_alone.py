"""Programs among many parties with one party, to try them out."""

from __future__ import annotations

import asyncio
import statistics
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Tacit


@t.function
def product(a: t.Role, b: t.Role) -> None:
    t.output("product", a.input("x", t.u16) * b.input("y", t.u16), a)


@pytest.mark.parametrize("security", ["passive", "active"])
@pytest.mark.parametrize("modulus", [None, 2**127 - 1, t.GF256])
def test_everything_is_as_among_several(security: str, modulus: int | None) -> None:
    runs = []

    async def program(rt: t.Runtime) -> Any:
        runs.append(rt.party)
        assert rt.parties == ["p1"]
        (x,) = rt.share_by_all([1, 2, 3], shape=3)
        y = rt.share([4, 5, 6], by="p1", shape=3)
        opened = await asyncio.gather(rt.open(x * y), rt.open((x + y).sum(), to="p1"))
        await rt.synchronise()
        ran = await rt.run(product, {"a": {"x": 300}, "b": {"y": 7}})
        return [*opened, ran["a"]["product"]]

    results = asyncio.run(t.together(program, parties=1, modulus=modulus, security=security))
    total = 1 ^ 2 ^ 3 ^ 4 ^ 5 ^ 6 if modulus == t.GF256 else 21
    products = [4, 10, 10 if modulus == t.GF256 else 18]
    assert results == {"p1": [products, total, 2100]}
    assert runs == ["p1"], "the program runs once"


def test_numbers_of_kinds_and_what_is_made_of_them() -> None:
    values = [5, -3, 100, 7, 7]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share(values, by="p1", shape=5, kind=t.i16)
        found = [
            x.sort(),
            x.argmax(),
            x // 3,
            x % 3,
            abs(x),
            x > 6,
            rt.statistics.mean(x),
            rt.unit_vector(x[3], 9),
        ]
        task = asyncio.create_task(_sorted(rt, x))
        return [
            *await asyncio.gather(*map(rt.open, found)),
            await task,
            len(set(await rt.open(await rt.shuffle(x)))),
        ]

    found = asyncio.run(t.together(program, parties=1))["p1"]
    assert found[:6] == [
        sorted(values),
        2,
        [value // 3 for value in values],
        [value % 3 for value in values],
        [abs(value) for value in values],
        [value > 6 for value in values],
    ]
    assert found[6] == pytest.approx(statistics.mean(values), abs=2**-8)
    assert found[7] == [0] * 7 + [1, 0]
    assert found[8:] == [[7, 7, 5], 4]


async def _sorted(rt: t.Runtime, x: t.Array) -> Any:
    """In a task of its own."""
    return await rt.open(x[[3, 4, 0]])


def test_errors_are_those_of_the_program() -> None:
    async def program(rt: t.Runtime) -> None:
        x = rt.share(5, by="p1", kind=t.u8)
        with pytest.raises(t.UsageError, match="there is no party p2"):
            rt.share(by="p2")
        with pytest.raises(t.InputError, match="300 does not fit"):
            rt.share(300, by="p1", kind=t.u8)
        with pytest.raises(t.UsageError, match="every party of the session computes"):
            rt.tell("x", x)
        with pytest.raises(t.UsageError, match="one party"):
            await rt.keep(bits=5)
        raise ValueError("planted")

    with pytest.raises(ValueError, match="planted"):
        asyncio.run(t.together(program, parties=1))


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"threshold": 1}, "nobody to collude with"),
        ({"security": "long"}, "expected passive or active"),
        ({"modulus": 91}, "91 is not an odd prime"),
    ],
)
def test_terms_that_mean_nothing_are_refused(terms: dict[str, Any], words: str) -> None:
    async def program(rt: t.Runtime) -> None:
        await rt.synchronise()

    with pytest.raises(t.UsageError, match=words):
        asyncio.run(t.together(program, parties=1, **terms))


def test_the_command_line_runs_a_program_with_one_party(tacit: Tacit) -> None:
    program = EXAMPLES / "parties" / "millionaires.py"
    run = tacit("run", program, "--local", "--parties", 1, "--input", 'p1={"fortune": 7}')
    assert run.outputs == {"p1": "p1"}
    tacit("run", program, "--local", "--parties", 2).failed(2, "--parties 2")
    tacit("run", program, "--local", "--parties", 1, "--threshold", 1).failed(2, "nobody to collude with")
    compiled = EXAMPLES / "millionaires.c"
    tacit("run", compiled, "--local", "--parties", 1).failed(2, "--clear")
