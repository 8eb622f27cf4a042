"""One session class, between two parties and among more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Many, Parties

TIME_LIMIT_S = 60
MODULUS = 2**61 - 1

Program = Callable[[t.PartySession], Awaitable[Any]]


@t.function
def larger(a: t.Role, b: t.Role, offset: int = 0) -> None:
    x, y = a.input("x", t.u32), b.input("y", t.u32)
    t.output("larger", x + offset > y, a, b)


def all_of(file: Path, names: str | list[str], program: Program, **terms: Any) -> list[Any]:
    """What a program gives to each party of a session file."""

    async def one(name: str) -> Any:
        own = {"inputs": {"x": 7, "y": 5}, **terms}
        if "store" in own:
            own["store"] = file.parent / f"{own['store']}-{name}"
        async with t.connect(file, name, **own) as session:
            return await program(session)

    async def run() -> list[Any]:
        return await asyncio.wait_for(asyncio.gather(*map(one, names)), TIME_LIMIT_S)

    return asyncio.run(run())


async def program(s: t.PartySession) -> list[Any]:
    """The same lines, however many parties there are."""
    first, last = s.parties[0], s.parties[-1]
    kind = t.u32 if len(s.parties) == 2 else t.field(s.modulus)
    x, y = s.role(first).input("x", kind), s.role(last).input("y", kind)
    opened = [s.open(x * y + 1), s.open(x > y, to=last)]
    spoken = {name: value for name, value in {first: {"x": 7}, last: {"y": 5}}.items() if name == s.party}
    roles = {"a": first, "b": last}
    if len(s.parties) == 2:
        names = {first: "a", last: "b"}
        ran = await s.run(larger, {names[name]: value for name, value in spoken.items()}, offset=1)
    else:
        given = {role: spoken[name] for role, name in roles.items() if name in spoken}
        ran = await s.run(larger, given, roles=roles, offset=1)
    return [await opened[0], await opened[1], ran]


ROLES = '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'


def test_two_parties(parties: Callable[..., Parties]) -> None:
    folder = parties(extra=ROLES).tacit.folder
    first, second = all_of(folder / "s.toml", "AB", program)
    assert first == [36, None, {"a": {"larger": True}}]
    assert second == [36, True, {"b": {"larger": True}}]


def test_three_parties(many: Callable[..., Many]) -> None:
    three = many()
    first, second, third = all_of(three.tacit.folder / "many.toml", three.names, program)
    assert first == [36, None, {"a": {"larger": 1}}]
    assert second == [36, None, {}]
    assert third == [36, 1, {"b": {"larger": 1}}]


def test_two_parties_prepare_and_spend(parties: Callable[..., Parties]) -> None:
    folder = parties(extra=ROLES).tacit.folder

    async def prepares(s: t.PartySession) -> Any:
        role, name = ("a", "x") if s.party == "A" else ("b", "y")
        given = {role: {name: s.inputs[name]}}
        ready = await s.prepare(larger, 2)
        outputs = [await s.run(larger, given, prepared=True) for _ in range(2)]
        with pytest.raises(t.UsageError):
            await s.run(larger, given, prepared=True)
        # Other options, and what is written step by step, over the same session.
        outputs.append(await s.run(larger, given, domain="bool"))
        return ready, [next(iter(one.values()))["larger"] for one in outputs]

    assert all_of(folder / "s.toml", "AB", prepares, store="store") == [(2, [True] * 3)] * 2


def test_three_parties_prepare(many: Callable[..., Many]) -> None:
    three = many()

    async def prepares(s: t.PartySession) -> Any:
        await s.prepare(bits=100)
        return s.stored["bits"]

    async def spends(s: t.PartySession) -> Any:
        return s.stored["bits"] > 0

    file = three.tacit.folder / "many.toml"
    assert all_of(file, three.names, prepares, store="store") == [0] * 3
    assert all_of(file, three.names, spends, store="store") == [True] * 3


def test_reports_of_both_kinds(parties: Callable[..., Parties], many: Callable[..., Many]) -> None:
    files = [(parties(extra=ROLES).tacit.folder / "s.toml", "AB"), (many().tacit.folder / "many.toml", "123")]
    for file, names in files:
        sessions: list[t.PartySession] = []

        async def one(s: t.PartySession, sessions: list[t.PartySession] = sessions) -> None:
            sessions.append(s)
            await s.open(s.role(s.parties[0]).input("x", t.u8 if len(s.parties) == 2 else t.field(MODULUS)))

        all_of(file, list(names) if names == "AB" else [f"p{name}" for name in names], one)
        assert sorted(s.report["party"] for s in sessions) == sorted(s.party for s in sessions)


@pytest.mark.parametrize("term", [{"threshold": 1}, {"modulus": MODULUS}, {"program": "auction"}])
def test_terms_of_many_are_refused_between_two(parties: Callable[..., Parties], term: dict[str, Any]) -> None:
    folder = parties().tacit.folder
    with pytest.raises(t.UsageError, match="between two parties"):
        t.connect(folder / "s.toml", "A", **term)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ({"shares": "folder"}, "only two"),
        ({"domain": "bool"}, "--domain"),
        ({"colour": "red"}, "no option colour"),
    ],
)
def test_terms_of_two_are_refused_among_many(
    many: Callable[..., Many], term: dict[str, Any], words: str
) -> None:
    folder = many().tacit.folder
    with pytest.raises(t.UsageError, match=words):
        t.connect(folder / "many.toml", "p1", **term)


def test_what_only_some_can_do_is_refused(parties: Callable[..., Parties], many: Callable[..., Many]) -> None:
    async def two(s: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="between two parties"):
            s.share(1, by="A")
        with pytest.raises(t.UsageError, match="between two parties"):
            s.prepare(bits=1)
        with pytest.raises(t.UsageError, match="store"):
            await s.run(larger, {}, prepared=True)

    async def three(s: t.PartySession) -> None:
        with pytest.raises(t.KindError, match="who compute modulo"):
            s.input("x", t.field(101))
        with pytest.raises(t.UsageError, match="only two"):
            s.keep("x", 1)
        with pytest.raises(t.UsageError, match="only two"):
            s.kept("x", t.u32)
        with pytest.raises(t.UsageError, match="comparisons"):
            s.prepare(larger)

    all_of(parties(extra=ROLES).tacit.folder / "s.toml", "AB", two)
    made = many()
    all_of(made.tacit.folder / "many.toml", made.names, three)


@pytest.mark.parametrize("in_step", [True, False])
def test_a_run_ends_with_the_session_of_the_peer(parties: Callable[..., Parties], in_step: bool) -> None:
    """Whether or not the peer has come to the run."""
    file = parties(timeout_s=600, extra=ROLES).tacit.folder / "s.toml"
    begun: list[asyncio.Future[Any]] = []

    async def program(s: t.PartySession) -> None:
        x = s.role("a").input("x", t.u8)
        if s.party == "A" and in_step:
            begun.append(asyncio.ensure_future(s.run(larger, {"a": {"x": 1}})))
        await s.open(x)
        if s.party == "A":
            raise StopAsyncIteration
        await s.run(larger, {"b": {"y": 1}})

    async def one(name: str) -> BaseException | None:
        try:
            async with t.connect(file, name, inputs={"x": 1}) as session:
                await program(session)
        except (StopAsyncIteration, t.TacitError) as error:
            return error
        return None

    async def run() -> list[BaseException | None]:
        ended = await asyncio.wait_for(asyncio.gather(*map(one, "AB")), TIME_LIMIT_S)
        await asyncio.wait_for(asyncio.gather(*begun, return_exceptions=True), TIME_LIMIT_S)
        return ended

    first, second = asyncio.run(run())
    assert isinstance(first, StopAsyncIteration)
    assert isinstance(second, (t.PeerError, t.AbortError))


def test_the_party_must_be_named(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    with pytest.raises(t.UsageError, match="which party or role"):
        t.connect(folder / "s.toml")


def test_elements_of_a_field_come_back_centred(many: Callable[..., Many]) -> None:
    three = many()

    async def opens(s: t.PartySession) -> Any:
        x = s.role("p1").input("z", t.field(MODULUS)[2], [MODULUS - 1, 3] if s.party == "p1" else None)
        return await s.open(x)

    assert all_of(three.tacit.folder / "many.toml", three.names, opens) == [[-1, 3]] * 3
