"""Public objects that one of many parties tells all others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from tacit.sessions import announcements

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]

OBJECTS: list[Any] = [
    None,
    True,
    0,
    -(10**40),
    1.5,
    "",
    "Grüße, 数字",
    [],
    {},
    {"a": [1, 2.25, None], "b": {"c": "d"}},
    list(range(2000)),
]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize("by", ["p1", "p3"])
def test_all_get_what_one_tells(parties: int, security: str, by: str) -> None:
    async def program(rt: t.PartySession) -> Any:
        return [await rt.broadcast(one if rt.party == by else None, by=by) for one in OBJECTS]

    assert run(program, parties, security=security) == OBJECTS


@pytest.mark.parametrize("modulus", [521, 1009, 2**64 - 59, 2**255 - 19, t.GF256])
def test_other_fields(modulus: int) -> None:
    async def program(rt: t.PartySession) -> Any:
        return [await rt.broadcast(one if rt.party == "p2" else None, by="p2") for one in OBJECTS[:-1]]

    assert run(program, modulus=modulus) == OBJECTS[:-1]


def test_the_teller_gets_what_the_others_get() -> None:
    async def program(rt: t.PartySession) -> Any:
        return await rt.broadcast({1: (2, 3)} if rt.party == "p1" else None, by="p1")

    assert run(program) == {"1": [2, 3]}


def test_several_at_a_time() -> None:
    async def program(rt: t.PartySession) -> Any:
        told = [rt.broadcast(f"of {name}" if rt.party == name else None, by=name) for name in rt.parties]
        return await asyncio.gather(*told)

    assert run(program, 4) == ["of p1", "of p2", "of p3", "of p4"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "has no JSON form"),
        (object(), "has no JSON form"),
        ("x" * 99, "has 101 bytes as JSON, more than 100"),
    ],
)
def test_what_cannot_be_told_is_refused_before_it_is_sent(value: Any, words: str) -> None:
    async def program(rt: t.PartySession) -> None:
        await rt.broadcast(value if rt.party == "p2" else None, by="p2", most=100)

    with pytest.raises(t.InputError, match=words):
        run(program)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "p2 announces 0 bytes"),
        (b"1" * 101, "p2 announces 101 bytes by broadcast, which takes from 1 to 100"),
        (b"[1,", "p2 broadcasts a text that is not JSON"),
        (b"\xff\xff", "p2 broadcasts a text that is not JSON"),
        (b"[" * 100, "p2 broadcasts a text that is not JSON"),
    ],
)
@pytest.mark.parametrize("security", ["passive", "active"])
def test_what_nobody_may_tell_ends_the_session(
    text: bytes, words: str, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcements, "_encoded", lambda *_: text)

    async def program(rt: t.PartySession) -> None:
        await rt.broadcast(by="p2", most=100)

    with pytest.raises(t.AbortError, match=words):
        run(program, security=security)


def test_numbers_that_are_no_bytes_end_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    share = t.PartySession.share

    def wrong(self: t.PartySession, value: Any = None, **terms: Any) -> t.Array:
        return share(self, None if value is None else [-1] * len(value), **terms)

    monkeypatch.setattr(t.PartySession, "share", wrong)

    async def program(rt: t.PartySession) -> None:
        await rt.broadcast(by="p2")

    with pytest.raises(t.AbortError, match="p2 broadcasts numbers that are not 7 bytes"):
        run(program)


def test_mistakes() -> None:
    async def program(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="there is no party bob"):
            await rt.broadcast(1, by="bob")
        if rt.party != "p1":
            with pytest.raises(t.UsageError, match=f"so {rt.party} must not give one"):
                await rt.broadcast(1, by="p1")

    run(program)

    async def small(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="10 bits or more"):
            await rt.broadcast(1 if rt.party == "p1" else None, by="p1")

    run(small, modulus=101)
