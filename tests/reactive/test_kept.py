"""Values that live on after reactive programs, and are there before them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Parties

TIME_LIMIT_S = 60


@t.function
def deposit(A: t.Role, B: t.Role) -> None:  # noqa: N803, ARG001
    t.keep("balance", t.bool_(A.input("x", t.u32)))


@t.function
def tell(A: t.Role, B: t.Role) -> None:  # noqa: N803
    balance = t.bool_(t.kept("balance", t.u32))
    A.output("balance", balance)
    B.output("balance", balance)


def single(folder: Path, function: Any, **given: dict[str, int]) -> tuple[Any, Any]:
    """A run of both parties, with their folders of shares."""

    async def run() -> tuple[Any, Any]:
        async def party(name: str) -> Any:
            connection = function.connect(folder / "s.toml", role=name, shares=folder / f"shares-{name}")
            return await connection.run(**{role: value for role, value in given.items() if role == name})

        return await asyncio.gather(party("A"), party("B"))

    return asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))


def reactive(folder: Path, program: Callable[[t.PartySession, str], Awaitable[Any]]) -> tuple[Any, Any]:
    """A reactive program of both parties."""

    async def run(name: str) -> Any:
        shares = folder / f"shares-{name}"
        async with t.session(folder / "s.toml", role=name, shares=shares) as s:
            return await program(s, name)

    async def together() -> tuple[Any, Any]:
        return await asyncio.gather(run("A"), run("B"))

    return asyncio.run(asyncio.wait_for(together(), TIME_LIMIT_S))


def test_a_balance_lives_through_runs_and_reactive_programs(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    single(folder, deposit, A={"x": 1000})

    async def withdraw(s: t.PartySession, name: str) -> Any:
        balance = s.kept("balance", t.u32)
        amount = s.role("B").input("amount", t.u32, 300 if name == "B" else None)
        covered = await s.open(amount <= balance)
        if covered:
            s.keep("balance", (balance - amount).astype(t.u32))
        return covered

    for expected in (True, True, True, False):
        assert list(reactive(folder, withdraw)) == [expected] * 2
    for outputs in single(folder, tell):
        assert next(iter(outputs.values()))["balance"] == 100


def test_what_cannot_be_read_or_kept_is_named(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    single(folder, deposit, A={"x": 1000})

    async def wrong(s: t.PartySession, _: str) -> None:
        with pytest.raises(t.ProgramError, match="nothing is kept as account"):
            s.kept("account", t.u32)
        with pytest.raises(t.ProgramError, match="was kept as u32 in bool or yao, but the program reads u16"):
            s.kept("balance", t.u16)
        balance = s.kept("balance", t.u32)
        s.keep("copy", balance)
        with pytest.raises(t.ProgramError, match="copy is kept twice"):
            s.keep("copy", balance)
        assert await s.open(balance) == 1000

    reactive(folder, wrong)


def test_a_session_without_a_folder_keeps_nothing() -> None:
    async def program(s: t.PartySession) -> None:
        with pytest.raises(t.ProgramError, match="name a folder"):
            s.kept("balance", t.u32)
        x = s.role("a").input("x", t.u8)
        with pytest.raises(t.ProgramError, match="name a folder"):
            s.keep("x", x)
        await s.open(x)

    asyncio.run(asyncio.wait_for(t.session.together(program, a={"x": 5}), TIME_LIMIT_S))
