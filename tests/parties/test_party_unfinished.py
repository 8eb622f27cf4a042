"""Programs that end while something that nobody asked for is still being computed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import tacit as t

NUMBERS = [i - 30 for i in range(64)]


@pytest.mark.parametrize("security", ["passive", "active"])
@pytest.mark.parametrize("parties", [3, 5, 7])
def test_a_program_may_end_before_what_nobody_asked_for_is_known(parties: int, security: str) -> None:
    async def main(rt: t.PartySession) -> int:
        x = rt.share(NUMBERS if rt.party == "p1" else None, by="p1", shape=64, kind=t.i8)
        abs(x)
        (x < 5).sum()
        return 1

    for _ in range(10):
        assert list(asyncio.run(t.together(main, parties, security=security)).values()) == [1] * parties


def test_a_party_may_ask_for_what_the_others_do_not_wait_for() -> None:
    async def main(rt: t.PartySession) -> object:
        x = rt.share(NUMBERS if rt.party == "p1" else None, by="p1", shape=64, kind=t.i8)
        opened = rt.open(abs(x).sum(), to=["p1"])
        abs(x + 1)
        return await opened if rt.party == "p1" else None

    for _ in range(10):
        found = asyncio.run(t.together(main, 5))
        assert found.pop("p1") == sum(abs(number) for number in NUMBERS)
        assert set(found.values()) == {None}


def test_sessions_leave_nothing_open() -> None:
    async def main(rt: t.PartySession) -> object:
        x = rt.share(NUMBERS if rt.party == "p1" else None, by="p1", shape=64, kind=t.i8)
        return await rt.open(abs(x).sum())

    def opened() -> int:
        asyncio.run(t.together(main, 3))
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    opened()
    assert [opened() for _ in range(3)] == [opened()] * 3
