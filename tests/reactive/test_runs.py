"""Compiled programs within a session of two parties: steps of it, over its connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Parties

TIME_LIMIT_S = 60
ROLES = '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'

Program = Callable[[t.PartySession], Awaitable[Any]]


@t.function
def larger(a: t.Role, b: t.Role, offset: int = 0) -> None:
    x, y = a.input("x", t.u32), b.input("y", t.u32)
    t.output("larger", x + offset > y, a, b)


def given(s: t.PartySession, value: int) -> dict[str, Any]:
    """The input of `larger` that this party gives."""
    return {"a": {"x": value}} if s.party in ("A", "a") else {"b": {"y": value}}


def both(file: Path, program: Program, **terms: Any) -> list[Any]:
    """What a program gives to each party of a session file, or the error that it ends with."""

    async def one(name: str) -> Any:
        own = {**terms, **({"store": file.parent / f"store-{name}"} if "store" in terms else {})}
        async with t.connect(file, name, inputs={"x": 7, "y": 5}, **own) as session:
            return await program(session)

    async def run() -> list[Any]:
        pairs = asyncio.gather(*map(one, "AB"), return_exceptions=True)
        return await asyncio.wait_for(pairs, TIME_LIMIT_S)

    return asyncio.run(run())


def sockets() -> int:
    """How many sockets this process has."""

    def target(link: Path) -> str:
        try:
            return str(link.readlink())
        except FileNotFoundError:
            return "closed by another thread meanwhile"

    return sum(target(link).startswith("socket:") for link in Path("/proc/self/fd").iterdir())


def test_steps_and_runs_share_a_connection(parties: Callable[..., Parties]) -> None:
    file = parties(extra=ROLES).tacit.folder / "s.toml"

    async def program(s: t.PartySession) -> Any:
        x, y = s.role("A").input("x", t.u32), s.role("B").input("y", t.u32)
        total = x + y
        results: list[Any] = [await s.open(total)]
        before = sockets()
        results += [await s.run(larger, given(s, 6)), await s.run(larger, given(s, 6), domain="bool")]
        results += [await s.prepare(larger, 1, offset=1)]
        results += [await s.run(larger, given(s, 6), prepared=True, offset=1)]
        assert sockets() <= before
        return [*results, await s.open(total * 2)]

    for name, found in zip("ab", both(file, program, store=True), strict=True):
        no, yes = {name: {"larger": False}}, {name: {"larger": True}}
        assert found == [12, no, no, 1, yes, 24]


def test_both_parties_in_one_process() -> None:
    async def program(s: t.PartySession) -> Any:
        x, y = s.role("a").input("x", t.u8), s.role("b").input("y", t.u8)
        first = await s.open(x > y)
        ran = await s.run(larger, given(s, 9), domain="bool", offset=1)
        return first, ran, await s.open(x + y)

    found = asyncio.run(t.session.together(program, a={"x": 7}, b={"y": 5}))
    assert found == {name: (True, {name: {"larger": True}}, 12) for name in "ab"}


def test_tasks_come_to_runs_in_any_order(parties: Callable[..., Parties]) -> None:
    file = parties(extra=ROLES).tacit.folder / "s.toml"

    async def program(s: t.PartySession) -> Any:
        async def one(offset: int) -> Any:
            # The parties' tasks get here in opposite orders.
            await asyncio.sleep(0.1 * (offset if s.party == "A" else 3 - offset))
            return await s.run(larger, given(s, 6), offset=offset)

        ran = await asyncio.gather(*map(one, range(3)))
        return [next(iter(outputs.values()))["larger"] for outputs in ran]

    assert both(file, program) == [[False, True, True]] * 2


@pytest.mark.parametrize("runs", ["A", "B"])
def test_a_run_here_and_a_step_there(parties: Callable[..., Parties], runs: str) -> None:
    file = parties(timeout_s=TIME_LIMIT_S, extra=ROLES).tacit.folder / "s.toml"

    async def program(s: t.PartySession) -> Any:
        x = s.role("A").input("x", t.u32)
        return await (s.run(larger, given(s, 1)) if s.party == runs else s.open(x))

    for error in both(file, program):
        assert isinstance(error, t.PeerError)
        assert "`run` at test_runs.py" in str(error)
        assert "`open` at test_runs.py" in str(error)


def test_what_cannot_begin_ends_the_run_alone(parties: Callable[..., Parties]) -> None:
    file = parties(extra=ROLES).tacit.folder / "s.toml"

    async def program(s: t.PartySession) -> Any:
        wrong: dict[str, Any] = {"a": {"x": -1}} if s.party == "A" else given(s, 1)
        with pytest.raises(t.InputError if s.party == "A" else t.AbortError):
            await s.run(larger, wrong)
        with pytest.raises(t.PeerError, match="differ in"):
            await s.run(larger, given(s, 1), domain="bool" if s.party == "A" else "yao")
        return await s.run(larger, given(s, 6), offset=1)

    assert both(file, program) == [{name: {"larger": True}} for name in "ab"]
