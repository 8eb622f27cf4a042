"""Parties that don't compute: they give inputs to three or more that do, and are told results."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Many, Tacit
from tacit._native import Listener

sys.path.append(str(EXAMPLES / "parties"))
import sealed_bids

SERVERS = ["p1", "p2", "p3"]
Program = Callable[[t.Runtime], Awaitable[Any]]


class Meeting:
    """A session of servers and of parties that don't compute."""

    def __init__(
        self, outside: Sequence[str], servers: Sequence[str] = SERVERS, timeout_s: float = 20, **terms: Any
    ) -> None:
        self.servers, self.terms = servers, terms
        self.keys = {name: t.SecretKey.generate() for name in [*servers, *outside]}
        self.listeners = {name: Listener.bind("127.0.0.1:0") for name in servers}
        tables = [f"[limits]\ntimeout_s = {timeout_s}"]
        for name, key in self.keys.items():
            tables.append(f"[party.{name}]\nkey = {json.dumps(key.public)}")
            if name in self.listeners:
                tables.append(f"address = {json.dumps(self.listeners[name].address)}")
            else:
                tables.append("computes = false")
        self.session = t.Session.parse("\n".join(tables), "session")

    async def compute(self, name: str, program: Program) -> Any:
        terms = {"listener": self.listeners[name], **self.terms}
        async with t.connect(self.session, name, self.keys[name], **terms) as rt:
            return await program(rt)

    async def visit(self, name: str, inputs: Any) -> t.Visit:
        return await t.visit(self.session, name, inputs, self.keys[name], **self.terms)

    def run(self, program: Program, visitors: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What the servers get, and what the visitors: a visit or an error each."""

        async def every() -> list[Any]:
            servers = [self.compute(name, program) for name in self.servers]
            visits = [self.visit(name, inputs) for name, inputs in visitors.items()]
            return await asyncio.gather(*servers, *visits, return_exceptions=True)

        results = asyncio.run(asyncio.wait_for(every(), 90))
        count = len(self.servers)
        return results[:count], dict(zip(visitors, results[count:], strict=True))


async def sums(rt: t.Runtime) -> list[str]:
    """Tells everyone the sum of what all give."""
    given = await rt.collect("x", t.u16[2], within=15)
    rt.tell("sum", t.stack(list(given.values())).sum(axis=0))
    return list(given)


@pytest.mark.parametrize("security", ["passive", "active"])
@pytest.mark.parametrize("servers", [3, 5])
def test_inputs_are_computed_with_and_results_told(security: str, servers: int) -> None:
    names = [f"p{number}" for number in range(1, servers + 1)]
    meeting = Meeting(["ann", "zoe"], names, security=security)
    computed, visits = meeting.run(sums, {"ann": {"x": [1, 65535]}, "zoe": {"x": [2, 65535]}})
    assert computed == [["ann", "zoe"]] * servers
    assert visits == dict.fromkeys(("ann", "zoe"), t.Visit({"sum": [3, 131070]}))


def test_whoever_does_not_come_is_left_out_and_hears_nothing() -> None:
    async def program(rt: t.Runtime) -> list[str]:
        given = await rt.collect("x", t.u8, within=2)
        await rt.tell("count", rt.constant(len(given)), to="ann")
        return list(given)

    meeting = Meeting(["ann", "bob", "cyd"])
    computed, visits = meeting.run(program, {"ann": {"x": 1}, "cyd": {"x": 7}})
    assert computed == [["ann", "cyd"]] * 3
    assert visits == {"ann": t.Visit({"count": 2}), "cyd": t.Visit()}


def test_kinds_keep_their_meaning() -> None:
    async def program(rt: t.Runtime) -> None:
        fixed = await rt.collect("fixed", t.fixed(8, 8)[2], within=15)
        signed = await rt.collect("signed", t.i32, within=15)
        truth = await rt.collect("truth", t.bool, within=15)
        plain = await rt.collect("plain", t.field(rt.modulus), within=15)
        rt.tell("fixed", fixed["ann"] + fixed["ann"])
        rt.tell("signed", abs(signed["ann"]))
        rt.tell("truth", ~truth["ann"])
        rt.tell("plain", plain["ann"] * plain["ann"])

    given = {"fixed": [1.5, -2.25], "signed": -(2**31), "truth": False, "plain": 2**40}
    _, visits = Meeting(["ann"]).run(program, {"ann": given})
    square = pow(2**40, 2, t.DEFAULT_MODULUS)
    square -= t.DEFAULT_MODULUS * (square > t.DEFAULT_MODULUS // 2)
    assert visits["ann"] == t.Visit({"fixed": [3.0, -4.5], "signed": 2**31, "truth": True, "plain": square})


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (t.u8, [0, 255], [-1, 256, 2**60 - 1, -(2**60) + 1]),
        (t.i8, [-128, 127], [-129, 128, 2**60 - 1, -(2**60) + 1]),
        (t.fixed(2, 2), [-8, 7], [-9, 8]),
        (t.bool, [0, 1], [2, -1]),
    ],
)
def test_numbers_beyond_their_kind_count_as_not_given(
    kind: t.Kind, inside: list[int], outside: list[int]
) -> None:
    """Whoever gives them gets round the checks of its own software."""
    from tacit.sessions.collecting import hold

    numbers = inside + outside

    async def program(rt: t.Runtime) -> Any:
        shared = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=len(numbers))
        return await rt.open(hold({str(place): x for place, x in enumerate(shared)}, kind))

    results = asyncio.run(t.together(program))
    assert results == dict.fromkeys(SERVERS, [1] * len(inside) + [0] * len(outside))


def test_inputs_may_be_asked_for_one_after_the_other() -> None:
    async def program(rt: t.Runtime) -> None:
        for turn in range(3):
            given = await rt.collect("number", t.u8, within=15)
            rt.tell(f"square {turn}", given["ann"] * given["ann"], to="ann")

    numbers = iter([3, 4, 5])
    _, visits = Meeting(["ann"]).run(program, {"ann": lambda _: next(numbers)})
    assert visits["ann"] == t.Visit({"square 0": 9, "square 1": 16, "square 2": 25})


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "ann.number is requested but missing; the inputs given are none"),
        ({"number": 256}, "number: 256 does not fit in u8"),
        ({"number": [1, 2]}, "number has shape (2,), but the computing parties ask for shape ()"),
        ({"number": None}, "ann.number is requested, but None is not a number"),
        ({"number": "x"}, "number"),
    ],
)
def test_wrong_inputs_are_errors_where_they_are_given(inputs: dict[str, Any], words: str) -> None:
    async def program(rt: t.Runtime) -> list[str]:
        return list(await rt.collect("number", t.u8, within=15))

    computed, visits = Meeting(["ann"]).run(program, {"ann": inputs})
    assert computed == [[]] * 3, "its leaving ends the wait"
    assert isinstance(visits["ann"], t.InputError), visits
    assert words in str(visits["ann"])


def test_what_cannot_be_is_refused() -> None:
    async def program(rt: t.Runtime) -> list[str]:
        x = rt.constant(1)
        told = []
        for wrong in (
            lambda: rt.share(by="ann"),
            lambda: rt.open(x, to="ann"),
            lambda: rt.tell("x", x, to="p1"),
            lambda: rt.tell("x", x, to=[]),
        ):
            with pytest.raises(t.UsageError) as error:
                wrong()
            told.append(str(error.value))
        rt.tell("x", x)
        with pytest.raises(t.UsageError) as error:
            rt.tell("x", x)
        told.append(str(error.value))
        with pytest.raises(t.UsageError) as error:
            await rt.collect("x", t.u8[0], within=1)
        told.append(str(error.value))
        with pytest.raises(t.KindError) as kind:
            await rt.collect("x", t.float32, within=1)
        told.append(str(kind.value))
        return told

    meeting = Meeting(["ann"])
    computed, visits = meeting.run(program, {"ann": {}})
    assert computed[0] == computed[1] == computed[2]
    shared, opened, party, nobody, again, empty, kind = computed[0]
    assert "session.collect" in shared
    assert "session.tell" in opened
    assert "p1 is not one of the parties" in party
    assert "no party is named" in nobody
    assert "ann already received x" in again
    assert "without elements" in empty
    assert "float32" in kind
    assert visits["ann"] == t.Visit({"x": 1})


def test_whoever_is_in_the_wrong_place_is_told_the_right_one() -> None:
    meeting = Meeting(["ann"])

    async def wrong() -> None:
        with pytest.raises(t.UsageError, match="computes = false"):
            await meeting.compute("ann", sums)

    meeting.listeners["ann"] = Listener.bind("127.0.0.1:0")
    asyncio.run(wrong())
    with pytest.raises(t.UsageError, match="p1 computes"):
        asyncio.run(meeting.visit("p1", {}))
    with pytest.raises(t.UsageError, match="treshold of a visit without run="):
        asyncio.run(t.visit(meeting.session, "ann", {}, meeting.keys["ann"], treshold=1))
    two = Meeting(["ann"], ["p1", "p2"])
    with pytest.raises(t.UsageError, match="two computing parties"):
        asyncio.run(two.visit("ann", {}))


def test_servers_and_visitors_must_want_the_same() -> None:
    meeting = Meeting(["ann"])

    async def program(rt: t.Runtime) -> list[str]:
        return list(await rt.collect("x", t.u8, within=3))

    async def every() -> list[Any]:
        servers = [meeting.compute(name, program) for name in SERVERS]
        other = t.visit(meeting.session, "ann", {"x": 1}, meeting.keys["ann"], modulus=2**127 - 1)
        return await asyncio.gather(*servers, other, return_exceptions=True)

    *computed, error = asyncio.run(asyncio.wait_for(every(), 90))
    assert computed == [[]] * 3
    assert "field of order" in str(error)


def test_a_server_that_fails_is_told_to_those_outside() -> None:
    async def program(rt: t.Runtime) -> None:
        await rt.collect("x", t.u8, within=15)
        if rt.party == "p2":
            raise ValueError("planted")
        await rt.open(rt.share(None, by="p2"))

    computed, visits = Meeting(["ann"]).run(program, {"ann": {"x": 1}})
    assert all(isinstance(one, Exception) for one in computed)
    assert isinstance(visits["ann"], t.PeerError), visits


def test_an_auction_of_sealed_bids() -> None:
    bidders = {"ann": 17, "bob": 40, "cyd": 23, "dan": 40}

    async def program(rt: t.Runtime) -> str | None:
        return await sealed_bids.auction(rt, 3)

    meeting = Meeting([*bidders, "eve"])
    computed, visits = meeting.run(program, {bidder: {"bid": bid} for bidder, bid in bidders.items()})
    assert computed == ["bob"] * 3
    assert visits["bob"].results == {"winner": 1, "price": 40}
    assert visits["ann"].results == {"winner": 1}


def test_an_auction_without_bidders_ends() -> None:
    async def program(rt: t.Runtime) -> str | None:
        return await sealed_bids.auction(rt, 0.2)

    assert Meeting(["ann"]).run(program, {}) == ([None] * 3, {})


@t.function
def nearest(server: t.Role, client: t.Role, *, rows: int) -> None:
    difference = server.input("database", t.i16[rows, 2]) - client.input("query", t.i16[2])
    distance = (difference * difference).sum(axis=1)
    t.output("index", distance.argmin(), client)
    t.output("distance", distance.min(), client, server)


@pytest.mark.parametrize(
    ("security", "domain"),
    [
        ("passive", None),
        ("passive", "bool"),
        ("passive", "arith"),
        ("passive", "auto"),
        ("active", None),
        ("active", "bool"),
        ("active", "auto"),
    ],
)
@pytest.mark.parametrize(("servers", "owner"), [(3, "p2"), (3, "bob"), (5, "bob")])
def test_compiled_programs_have_roles_outside(
    security: str, domain: str | None, servers: int, owner: str
) -> None:
    roles = {"server": owner, "client": "ann"}
    database = [[-30000, 7], [11, 12], [40, 41]]

    async def program(rt: t.Runtime) -> Any:
        inputs = {"server": {"database": database}} if rt.party == owner else {}
        return await rt.run(nearest, inputs, roles=roles, rows=3, domain=domain)

    async def every() -> list[Any]:
        runs = [meeting.compute(name, program) for name in meeting.servers]
        visits = [visit("ann", {"client": {"query": [12, 12]}})]
        if owner == "bob":
            visits.append(visit("bob", {"server": {"database": database}}))
        return await asyncio.gather(*runs, *visits)

    def visit(name: str, given: Any) -> Awaitable[t.Visit]:
        key, terms = meeting.keys[name], meeting.terms
        return t.visit(meeting.session, name, key=key, run=nearest, roles=given, rows=3, **terms)

    names = [f"p{number}" for number in range(1, servers + 1)]
    meeting = Meeting(["ann", "bob"], names, modulus=2**127 - 1, security=security)
    results = asyncio.run(asyncio.wait_for(every(), 90))
    told = {"server": {"distance": 1}}
    assert results[servers].outputs == {"client": {"index": 1, "distance": 1}}
    if owner == "bob":
        assert results[:servers] == [{}] * servers
        assert results[servers + 1].outputs == told
    else:
        assert results[:servers] == [told if name == owner else {} for name in names]


def test_a_compiled_program_without_the_party_of_a_role_names_it() -> None:
    async def program(rt: t.Runtime) -> Any:
        return await rt.run(nearest, {}, roles={"server": "bob", "client": "ann"}, rows=3)

    meeting = Meeting(["ann", "bob"], timeout_s=4)
    computed, _ = meeting.run(program, {})
    assert any("ann has not given its inputs in time" in str(error) for error in computed), computed
    # Whoever hears first that another has given up says that.
    assert all(isinstance(error, (t.AbortError, t.PeerError)) for error in computed), computed


@t.function
def ledger(ann: t.Role, bob: t.Role, cyd: t.Role, auditor: t.Role, *, n: int) -> None:
    price, count = ann.input("price", t.u16[n]), bob.input("count", t.i16[n])
    total = t.arith(price) * t.arith(count)
    t.output("total", total.sum(), ann, bob, auditor)
    t.output("under", (total.sum() < cyd.input("limit", t.u32)), cyd, bob)
    auditor.output("largest", price.max() + auditor.input("margin", t.uint(3)))


@pytest.mark.parametrize("security", ["passive", "active"])
@pytest.mark.parametrize("servers", [3, 5, 7])
def test_several_roles_outside_meet_one_of_a_server(security: str, servers: int) -> None:
    given = {
        "ann": {"price": [65535, 2, 7]},
        "bob": {"count": [-32768, 5, 32767]},
        "cyd": {"limit": 2**32 - 1},
        "auditor": {"margin": 5},
    }
    total = 65535 * -32768 + 10 + 7 * 32767
    told: dict[str, Any] = {
        "ann": {"total": total},
        "bob": {"total": total, "under": True},
        "cyd": {"under": True},
        "auditor": {"total": total, "largest": 65540},
    }
    roles = {name: "p1" if name == "auditor" else name for name in given}
    asked: dict[str, t.Runtime] = {}

    async def program(rt: t.Runtime) -> Any:
        asked[rt.party] = rt
        inputs = {"auditor": given["auditor"]} if rt.party == "p1" else {}
        return await rt.run(ledger, inputs, roles=roles, n=3)

    async def every() -> list[Any]:
        runs = [meeting.compute(name, program) for name in meeting.servers]
        visits = [
            t.visit(
                meeting.session, name, key=meeting.keys[name], run=ledger, roles={name: given[name]}, n=3,
                **meeting.terms,
            )
            for name in outside
        ]  # fmt: skip
        return await asyncio.gather(*runs, *visits)

    outside = ["ann", "bob", "cyd"]
    names = [f"p{number}" for number in range(1, servers + 1)]
    meeting = Meeting(outside, names, modulus=2**127 - 1, security=security)
    results = asyncio.run(asyncio.wait_for(every(), 90))
    assert results[:servers] == [{"auditor": told["auditor"]}] + [{}] * (servers - 1)
    assert [visit.outputs for visit in results[servers:]] == [{name: told[name]} for name in outside]
    for name, rt in asked.items():
        (run,) = rt.report["runs"]
        shares = {peer: shares["payload_sent"] for peer, shares in run["peers"].items()}
        assert shares == run["predicted"]["sent"][name]


def test_words_of_roles_outside_are_verified_as_bits_alone() -> None:
    async def program(rt: t.Runtime) -> Any:
        return await rt.run(nearest, {}, roles={"server": "bob", "client": "ann"}, rows=3, domain="arith")

    computed, _ = Meeting(["ann", "bob"], security="active", modulus=2**127 - 1).run(program, {})
    assert any(isinstance(error, t.UsageError) and "on bits" in str(error) for error in computed), computed
    assert all(isinstance(error, Exception) for error in computed), computed


def test_the_command_line_runs_programs_of_roles_outside(many: Callable[..., Many], tacit: Tacit) -> None:
    servers = many()
    tacit.make_keys("ann")
    tables = (tacit.folder / "many.toml").read_text()
    tables += (
        '\n[party.ann]\nkey = "ann.pub"\ncomputes = false\n[role.A]\nparty = "p2"\n[role.B]\nparty = "ann"'
    )
    tacit.write("many.toml", tables)
    program = EXAMPLES / "millionaires.c"
    running = {
        name: servers.start(name, program, *(["--input", '{"mil": 7}'] if name == "p2" else []))
        for name in servers.names
    }
    richer = servers.start("ann", program, "--input", '{"mil": 5}').wait().outputs
    assert richer == running["p2"].wait().outputs
    assert running["p1"].wait().outputs == running["p3"].wait().outputs == {}


def test_the_command_line_gives_inputs_and_prints_results(many: Callable[..., Many], tacit: Tacit) -> None:
    servers = many()
    tacit.make_keys("ann", "bob", "cyd")
    tables = (tacit.folder / "many.toml").read_text()
    tables += "".join(
        f'\n[party.{name}]\nkey = "{name}.pub"\ncomputes = false' for name in ("ann", "bob", "cyd")
    )
    tacit.write("many.toml", tables)
    program = EXAMPLES / "parties" / "sealed_bids.py"
    running = servers.start_all(program, "--input", '{"within": 8}')
    bids = {"ann": 30, "bob": 20}
    bidding = {
        name: servers.start(name, program, "--input", json.dumps({"bid": bid})) for name, bid in bids.items()
    }
    assert bidding["ann"].wait().outputs == {"ann": {"winner": 0, "price": 20}}
    assert bidding["bob"].wait().outputs == {"bob": {"winner": 0}}
    assert [one.wait().outputs for one in running.values()] == [{name: "ann"} for name in servers.names]


def test_a_bidder_without_a_bid_is_told_what_is_missing(many: Callable[..., Many], tacit: Tacit) -> None:
    servers = many()
    tacit.make_keys("ann")
    tables = (tacit.folder / "many.toml").read_text()
    tacit.write("many.toml", tables + '\n[party.ann]\nkey = "ann.pub"\ncomputes = false')
    program = EXAMPLES / "parties" / "sealed_bids.py"
    running = servers.start_all(program, "--input", '{"within": 8}')
    servers.start("ann", program).wait().failed(4, "ann.bid is requested but missing")
    assert [one.wait().outputs for one in running.values()] == [{name: None} for name in servers.names]
