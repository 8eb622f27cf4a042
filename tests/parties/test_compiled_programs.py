"""Compiled programs among three parties or more: from the command line, and within programs of parties."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Many, Tacit
from tacit import _native
from tacit.programs import load_source
from tacit.sessions.reactor import WORD_MODULUS

MILLIONAIRES = EXAMPLES / "millionaires.c"

LIMIT_S = 100

SHARES = """
import tacit as t

@t.function
def shares(bank, broker, client, n=4):
    held = broker.input("held", t.i16[n])
    prices = bank.input("prices", t.u16[n])
    limit = client.input("limit", t.u32)
    worth = held * prices
    t.output("total", worth.sum(), client, bank)
    client.output("best", worth.argmax())
    bank.output("above", worth.sum() > limit)
"""

GIVEN = {
    "bank": {"prices": [10, 65535, 300, 7]},
    "broker": {"held": [-3, 2, 32767, 0]},
    "client": {"limit": 9_000_000},
}

THREE = """
int three(int INPUT_A_x, short INPUT_C_z)
{
    unsigned char INPUT_B_y[3];
    int OUTPUT_C_product = INPUT_A_x * INPUT_C_z;
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += INPUT_B_y[i];
    int OUTPUT_quotient = INPUT_A_x / (sum + 1);
    return INPUT_A_x > INPUT_C_z;
}
"""

THREE_GIVEN = {"A": {"x": -70000}, "B": {"y": [1, 255, 3]}, "C": {"z": 321}}


def options(given: dict[str, Any]) -> list[str]:
    return [word for role, values in given.items() for word in ("--input", f"{role}={json.dumps(values)}")]


def agrees_with_clear(tacit: Tacit, program: str | Path, given: dict[str, Any], *more: object) -> None:
    """The parties compute what the program computes in the clear."""
    clear = tacit("run", program, "--clear", *options(given))
    among = tacit("run", program, "--local", *options(given), *more)
    assert among.outputs == clear.outputs


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (5, 2)])
def test_the_millionaires_of_c(tacit: Tacit, parties: int, threshold: int) -> None:
    given = {"A": {"mil": 7}, "B": {"mil": 4_000_000_000}}
    agrees_with_clear(tacit, MILLIONAIRES, given, "--parties", parties, "--threshold", threshold)


def test_c_with_three_roles_gives_each_its_own(tacit: Tacit) -> None:
    tacit.write("three.c", THREE)
    agrees_with_clear(tacit, "three.c", THREE_GIVEN, "--parties", 3)


def test_a_function_with_three_roles(tacit: Tacit) -> None:
    tacit.write("shares.py", SHARES)
    agrees_with_clear(tacit, "shares.py:shares", GIVEN, "--parties", 4, "--report", "r.json")
    reports = json.loads((tacit.folder / "r.json").read_text())
    assert list(reports) == ["p1", "p2", "p3", "p4"]
    assert all(report["bytes_sent"] > 0 for report in reports.values())


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (4, 1), (5, 2)])
def test_reports_have_what_was_predicted_and_what_was_measured(
    tacit: Tacit, parties: int, threshold: int
) -> None:
    tacit.write("shares.py", SHARES)
    more = ["--parties", parties, "--threshold", threshold, "--report", "r.json"]
    run = tacit("run", "shares.py:shares", "--local", *options(GIVEN), *more)
    assert "shares, predicted" in run.stderr
    reports = json.loads((tacit.folder / "r.json").read_text())
    first = reports["p1"]
    assert len({report["plan_hash"] for report in reports.values()}) == 1
    assert first["roles"] == {"bank": "p1", "broker": "p2", "client": "p3"}
    assert (first["program"], first["times"], first["threshold"]) == ("shares(n=4)", 1, threshold)
    assert first["work"]["input_bits"] == {"p1": 64, "p2": 64, "p3": 32}
    assert first["work"]["and_count"] == first["predicted"]["products"] == first["domains"][0]["and_count"]
    assert all(operation["count"] > 0 for operation in first["operations"])
    for name, report in reports.items():
        predicted = report["predicted"]
        assert predicted["sent"] == first["predicted"]["sent"]
        assert predicted["rounds"] == first["predicted"]["rounds"] > 0
        sent = {peer: shares["payload_sent"] for peer, shares in report["peers"].items()}
        assert sent == predicted["sent"][name]
        received = {peer: shares["payload_received"] for peer, shares in report["peers"].items()}
        assert received == {peer: predicted["sent"][peer][name] for peer in received}
        analysis, setup, online = report["phases"]
        assert [phase["phase"] for phase in (analysis, setup, online)] == ["analysis", "setup", "online"]
        assert (analysis["payload_sent"], setup["payload_sent"]) == (None, None)
        assert online["payload_sent"] == predicted["payload_sent"] == sum(sent.values())
        assert online["payload_received"] == predicted["payload_received"]
        assert online["bytes_sent"] > online["payload_sent"]
        assert online["rounds"] > 0
        for phase in report["phases"]:
            parts = phase["network_seconds"] + phase["compute_seconds"]
            assert phase["seconds"] == pytest.approx(parts)
    assert tacit("report", "r.json").code == 0


@pytest.mark.parametrize(("domain", "parties"), [("bool", 3), ("arith", 3), ("bool", 5), ("arith", 5)])
def test_what_a_run_sends_is_known_without_a_run(tacit: Tacit, domain: str, parties: int) -> None:
    command = ["run", MILLIONAIRES, "--local", "--parties", parties, "--domain", domain, "--report", "r.json"]
    assert tacit(*command, *options({"A": {"mil": 3}, "B": {"mil": 7}})).code == 0
    predicted = json.loads((tacit.folder / "r.json").read_text())["p1"]["predicted"]
    program = load_source(MILLIONAIRES).program
    told = json.loads(_native.prediction_among(program, parties, domain=domain, modulus=WORD_MODULUS))
    names = [f"p{number + 1}" for number in range(parties)]
    assert told["rounds"] == predicted["rounds"]
    for sender, row in zip(names, told["sent"], strict=True):
        for receiver, count in zip(names, row, strict=True):
            assert predicted["sent"][sender].get(receiver, 0) == count


@pytest.mark.parametrize(
    ("parties", "domain", "modulus", "words"),
    [
        (2, "bool", 7, "parties"),
        (3, "he", 7, "bool"),
        (4, "yao", 7, "bool"),
        (3, "arith", 12, "prime"),
        (5, "arith", 13, "bits"),
    ],
)
def test_what_cannot_run_has_no_prediction(parties: int, domain: str, modulus: int, words: str) -> None:
    program = load_source(MILLIONAIRES).program
    with pytest.raises(t.TacitError, match=words):
        _native.prediction_among(program, parties, domain=domain, modulus=modulus)


def test_a_session_reports_each_program_that_ran_in_it() -> None:
    asked: list[t.Runtime] = []

    async def runs(rt: t.Runtime) -> None:
        asked.append(rt)
        mine = {"p1": {"A": {"mil": 5}}, "p2": {"B": {"mil": 6}}}.get(rt.party)
        for _ in range(2):
            await rt.run(MILLIONAIRES, mine)
        await rt.open(rt.share(7 if rt.party == "p1" else None, by="p1"))

    together(runs)
    reports = {rt.party: rt.report for rt in asked}
    assert sorted(reports) == ["p1", "p2", "p3"]
    for name, report in reports.items():
        (run,) = report["runs"]
        assert run["times"] == 2
        shares = {peer: shares["payload_sent"] for peer, shares in run["peers"].items()}
        assert shares == {peer: 2 * sent for peer, sent in run["predicted"]["sent"][name].items()}
        # The session's own number takes 8 bytes: from its giver to one other, then from each to the next.
        own = report["phases"][2]["payload_sent"] - sum(shares.values())
        assert own == (2 * 8 if name == "p1" else 8)


NARROW = """
import tacit as t

@t.function
def products(a, b, *, n=40):
    product = t.arith(a.input("x", t.uint(24)[n])) * t.arith(b.input("y", t.uint(24)[n]))
    t.output("same", product, a, b)
    t.output("sum", product.sum(), a)
    b.output("large", (product > 1000000).sum())
"""


PRODUCTS = """
import tacit as t

@t.function
def products(a, b, *, n=40):
    x = a.input("x", t.u32[n])
    y = b.input("y", t.u32[n])
    product = t.arith(x) * t.arith(y)
    t.output("same", product, a, b)
    t.output("sum", product.sum(), a)
    b.output("large", (product > 1000000).sum())
"""


def some_numbers(n: int = 40) -> dict[str, Any]:
    return {
        "a": {"x": [2**32 - 1 - 7 * i for i in range(n)]},
        "b": {"y": [1 + 97 * i % 2**32 for i in range(n)]},
    }


def test_words_are_numbers_where_that_is_asked_for(tacit: Tacit) -> None:
    tacit.write("products.py", PRODUCTS)
    sent = {}
    for name, more in (("bits", list[str]()), ("arith", ["--domain", "arith"])):
        more = [*more, "--parties", "4", "--report", "r.json"]
        agrees_with_clear(tacit, "products.py:products", some_numbers(), *more)
        report = json.loads((tacit.folder / "r.json").read_text())["p1"]
        assert report["peers"]["p2"]["payload_sent"] == report["predicted"]["sent"]["p1"]["p2"]
        sent[name] = report["predicted"]["payload_sent"]
        domains = {work["domain"]: work["product_count"] for work in report["domains"]}
        # Bits alone have no field with room for words.
        assert domains == ({"bool": 0} if name == "bits" else {"arith": 40, "bool": 0})
    assert sent["arith"] < sent["bits"]
    given = options(some_numbers())
    refused = tacit("run", "products.py:products", "--local", *given, "--parties", 4, "--domain", "yao")
    refused.failed(2, "--domain yao", "among 4 parties", "arith, bool, auto")
    more = ["--parties", "3", "--domain", "arith", "--modulus", str(2**61 - 1)]
    # Sums of 40 products of 64 bits have 70.
    refused = tacit("run", "products.py:products", "--local", *given, *more)
    refused.failed(2, "words of 70 bits", "the modulus has 61 bits")


def test_words_of_three_parties_need_no_field(tacit: Tacit) -> None:
    tacit.write("products.py", NARROW)
    given = {
        "a": {"x": [2**24 - 1 - 7 * i for i in range(40)]},
        "b": {"y": [1 + 97 * i for i in range(40)]},
    }
    # Pins count where nothing is asked for, and small moduli have room.
    for more in ([], ["--domain", "arith"], ["--domain", "arith", "--modulus", "1009"]):
        more = [*more, "--parties", "3", "--report", "r.json"]
        agrees_with_clear(tacit, "products.py:products", given, *more)
        report = json.loads((tacit.folder / "r.json").read_text())["p1"]
        assert report["peers"]["p2"]["payload_sent"] == report["predicted"]["sent"]["p1"]["p2"]
        assert {work["domain"]: work["product_count"] for work in report["domains"]}["arith"] == 40


NETWORK = """
import tacit as t

@t.function
def network(model, client, *, inner=20):
    kind = t.fixed(4, 8)
    first, second = model.input("first", kind[inner, 12]), model.input("second", kind[12, 5])
    hidden = client.input("picture", kind[inner]) @ first + model.input("bias", kind[12])
    client.output("digit", (t.maximum(hidden, 0).astype(kind) @ second).argmax())
    t.output("most", hidden.max(), client, model)
"""


def some_weights() -> dict[str, Any]:
    def rows(count: int, length: int) -> list[list[float]]:
        return [[(7 * row + 3 * at) % 11 / 8 - 0.5 for at in range(length)] for row in range(count)]

    model = {"first": rows(20, 12), "second": rows(12, 5), "bias": rows(1, 12)[0]}
    return {"model": model, "client": {"picture": rows(1, 20)[0]}}


@pytest.mark.parametrize("parties", [3, 5])
@pytest.mark.parametrize("link", ["wan", "1mbit,0.1ms"])
def test_the_fastest_way_to_share_values_is_chosen_for_the_link(
    tacit: Tacit, link: str, parties: int
) -> None:
    tacit.write("network.py", NETWORK)
    told: dict[str, Any] = {}
    for domain in ("auto", "arith", "bool"):
        more = ["--parties", parties, "--domain", domain, "--planned-link", link, "--report", "r.json"]
        agrees_with_clear(tacit, "network.py:network", some_weights(), *more)
        told[domain] = json.loads((tacit.folder / "r.json").read_text())
    first = {domain: reports["p1"] for domain, reports in told.items()}
    seconds = {
        domain: sum(report["predicted"]["time"]["online"].values()) for domain, report in first.items()
    }
    assert seconds["auto"] <= min(seconds.values())
    for report in told["auto"].values():
        shares = {peer: shares["payload_sent"] for peer, shares in report["peers"].items()}
        assert shares == report["predicted"]["sent"][report["party"]]
    options = ["--simulate", f"parties={parties}", "--link", link, "--domain", "auto", "--json"]
    simulated = tacit("plan", "network.py:network", *options).outputs
    assert simulated["rounds"] == first["auto"]["predicted"]["rounds"]
    held = {work["domain"] for work in first["auto"]["domains"]}
    assert ("arith" in held) == (simulated["domain"] == "arith" or "arith" in simulated["classes"])


def test_classes_of_operations_have_domains_of_their_own(tacit: Tacit) -> None:
    tacit.write("network.py", NETWORK)
    sent = {}
    for classes in ("products=arith", "products=bool", "sums=arith,products=arith"):
        more = ["--parties", "3", "--domain", "bool", "--classes", classes, "--report", "r.json"]
        agrees_with_clear(tacit, "network.py:network", some_weights(), *more)
        report = json.loads((tacit.folder / "r.json").read_text())["p1"]
        assert report["peers"]["p2"]["payload_sent"] == report["predicted"]["sent"]["p1"]["p2"]
        held = {work["domain"] for work in report["domains"]}
        assert held == ({"bool"} if classes == "products=bool" else {"arith", "bool"})
        sent[classes] = report["predicted"]["payload_sent"]
    assert sent["products=arith"] != sent["products=bool"]
    # Without a domain, everything else is bits.
    more = ["--parties", "3", "--classes", "products=arith", "--report", "r.json"]
    agrees_with_clear(tacit, "network.py:network", some_weights(), *more)
    report = json.loads((tacit.folder / "r.json").read_text())["p1"]
    assert report["predicted"]["payload_sent"] == sent["products=arith"]
    given = options(some_weights())
    for classes in ("products=yao", "products=arith,comparisons=yao"):
        refused = tacit("run", "network.py:network", "--local", *given, "--parties", 4, "--classes", classes)
        refused.failed(2, f"--classes {classes}", "arith, bool")


@pytest.mark.parametrize("domain", ["yao", "arith"])
def test_circuits_are_garbled_among_three(tacit: Tacit, domain: str) -> None:
    tacit.write("products.py", NARROW.replace("t.arith", ""))
    given = {
        "a": {"x": [2**24 - 1 - 7 * i for i in range(40)]},
        "b": {"y": [1 + 97 * i for i in range(40)]},
    }
    rounds = {}
    for bits in ("bool", "yao"):
        classes = f"comparisons={bits},choices={bits},bits={bits}"
        more = ["--domain", domain, "--classes", classes] if domain == "arith" else ["--domain", bits]
        more += ["--parties", "3", "--report", "r.json"]
        agrees_with_clear(tacit, "products.py:products", given, *more)
        report = json.loads((tacit.folder / "r.json").read_text())["p1"]
        for peer in ("p2", "p3"):
            assert report["peers"][peer]["payload_sent"] == report["predicted"]["sent"]["p1"][peer]
        held = {work["domain"]: work["and_count"] for work in report["domains"]}
        assert held.pop("arith", None) == (0 if domain == "arith" else None)
        assert list(held) == [bits]
        assert held[bits] > 0
        rounds[bits] = report["predicted"]["rounds"]
    assert rounds["yao"] < rounds["bool"]


@pytest.mark.parametrize("link", ["lan", "1mbit,0.1ms", "100mbit,2ms", "wan", "10gbit,100ms"])
def test_a_chosen_way_to_share_values_can_be_repeated(tacit: Tacit, link: str) -> None:
    tacit.write("network.py", NETWORK)
    simulate = ["plan", "network.py:network", "--simulate", "parties=3", "--link", link, "--json"]
    chosen = tacit(*simulate, "--domain", "auto").outputs
    way = ["--domain", chosen["domain"]]
    way += ["--classes", chosen["classes"]] if chosen["classes"] else []
    assert tacit(*simulate, *way).outputs == chosen


SUM = """
import tacit as t

@t.function
def exceeds(many, one, *, n=200):
    t.output("more", many.input("x", t.u16[n]).sum() > one.input("y", t.uint(24)), many, one)
"""


def test_parties_that_choose_for_other_links_stop_before_inputs_are_used(
    tacit: Tacit, many: Callable[..., Many]
) -> None:
    tacit.write("sum.py", SUM)
    simulate = ("plan", "sum.py:exceeds", "--simulate", "parties=3", "--domain", "auto", "--link")
    # Inputs are shorter as bits; sums of words take no round.
    narrow, far = "0.05mbit,0.1ms", "wan"
    assert "domain   bool\n" in tacit(*simulate, narrow).stdout
    assert "arith" in tacit(*simulate, far).stdout
    three = many()
    session = (tacit.folder / "many.toml").read_text()
    tacit.write("many.toml", session + '\n[role.many]\nparty = "p1"\n[role.one]\nparty = "p2"\n')
    given = {"p1": {"x": list(range(200))}, "p2": {"y": 19_899}}
    for links, code in (((narrow, narrow, narrow), 0), ((narrow, narrow, far), 5)):
        running = []
        for party, link in zip(three.names, links, strict=True):
            inputs = ["--input", json.dumps(given[party])] if party in given else []
            choice = ("--domain", "auto", "--planned-link", link)
            running.append(three.start(party, "sum.py:exceeds", *choice, *inputs))
        ended = [one.wait() for one in running]
        assert [one.code for one in ended] == [code] * 3, [one.stderr for one in ended]
        if code == 0:
            assert [one.outputs for one in ended] == [{"more": 1}, {"more": 1}, {}]
        else:
            assert any("plan" in one.stderr for one in ended)


@t.function
def scaled(a: t.Role, b: t.Role, *, n: int = 3) -> None:
    product = t.arith(a.input("x", t.u8[n])) * t.arith(b.input("y", t.u8[n]))
    t.output("product", product, a)


@pytest.mark.parametrize(("modulus", "domains"), [(2**127 - 1, ["arith"]), (2**61 - 1, ["bool"])])
def test_pins_count_where_the_modulus_has_room(modulus: int, domains: list[str]) -> None:
    asked: list[t.Runtime] = []

    async def runs(rt: t.Runtime) -> Any:
        asked.append(rt)
        mine = {"p1": {"a": {"x": [255, 3, 0]}}, "p2": {"b": {"y": [255, 7, 9]}}}.get(rt.party)
        outputs = await rt.run(scaled, mine, roles={"a": "p1", "b": "p2"})
        return outputs["a"]["product"] if rt.party == "p1" else None

    assert together(runs, modulus=modulus, parties=4)["p1"] == [65025, 21, 0]
    for rt in asked:
        (run,) = rt.report["runs"]
        assert [work["domain"] for work in run["domains"]] == domains


def test_parties_with_other_circuits_do_not_begin() -> None:
    async def program(rt: t.Runtime) -> Any:
        mine = {"p1": {"A": {"mil": 5}}, "p2": {"B": {"mil": 6}}}.get(rt.party)
        return await rt.run(MILLIONAIRES, mine, effort=3 if rt.party == "p2" else 4)

    with pytest.raises(t.PeerError, match=r"differ in effort: here [34], there [34]"):
        together(program)


def test_compiled_programs_and_circuits(tacit: Tacit) -> None:
    assert tacit("compile", MILLIONAIRES, "--emit", "program", "-o", "m.tacit").code == 0
    agrees_with_clear(tacit, "m.tacit", {"A": {"mil": 9}, "B": {"mil": 8}}, "--threshold", 1)
    assert tacit("compile", MILLIONAIRES, "--emit", "bristol", "-o", "m.txt").code == 0
    agrees_with_clear(tacit, "m.txt", {"A": {"in0": 5}, "B": {"in1": 5}}, "--parties", 3)


def test_parties_of_a_session_speak_for_roles_or_compute_only(
    tacit: Tacit, many: Callable[..., Many]
) -> None:
    three = many()
    given = {"p1": ["--input", '{"mil": 5}'], "p2": ["--input", '{"mil": 3}'], "p3": []}
    running = [three.start(party, MILLIONAIRES, *inputs) for party, inputs in given.items()]
    assert [one.wait().outputs for one in running] == [{"richer": 1}, {"richer": 1}, {}]
    session = (tacit.folder / "many.toml").read_text()
    tacit.write("many.toml", session + '\n[role.A]\nparty = "p3"\n[role.B]\nparty = "p1"\n')
    given = {"p1": ["--input", '{"mil": 5}'], "p2": [], "p3": ["--input", '{"mil": 3}']}
    running = [three.start(party, MILLIONAIRES, *inputs) for party, inputs in given.items()]
    assert [one.wait().outputs for one in running] == [{"richer": 0}, {}, {"richer": 0}]


def test_parties_with_other_programs_do_not_compute(tacit: Tacit, many: Callable[..., Many]) -> None:
    three = many()
    other = tacit.write("other.c", MILLIONAIRES.read_text().replace(">", "<"))
    programs = {"p1": MILLIONAIRES, "p2": other, "p3": MILLIONAIRES}
    given = {"p1": ["--input", '{"mil": 5}'], "p2": ["--input", '{"mil": 3}'], "p3": []}
    running = [three.start(party, program, *given[party]) for party, program in programs.items()]
    for one in running:
        one.wait().failed(5, "program")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--input", 'A={"mil": 1}'], 4, ["role B", "mil is missing"]),
        (["--input", 'A={"mil": -1}', "--input", 'B={"mil": 1}'], 4, ["role A", "does not fit"]),
        (["--input", 'A={"mil": [1]}', "--input", 'B={"mil": 1}'], 4, ["role A"]),
        (["--input", 'C={"mil": 1}'], 2, ["C"]),
        (["--threshold", "2"], 2, ["threshold 2"]),
        (["--modulus", "0x3f1"], 2, ["--modulus"]),
        (["--mode", "streamed"], 2, ["--mode"]),
        (["--as", "p1"], 2, ["--as"]),
        (["--clear"], 2, ["--clear"]),
    ],
)
def test_what_does_not_fit_is_refused(
    tacit: Tacit, arguments: list[str], code: int, words: list[str]
) -> None:
    fitting = [] if "--input" in arguments else options({"A": {"mil": 1}, "B": {"mil": 2}})
    tacit("run", MILLIONAIRES, "--local", "--parties", "3", *arguments, *fitting).failed(code, *words)


def test_roles_that_are_more_than_parties_are_refused(tacit: Tacit) -> None:
    tacit.write(
        "f.c", "int f(int INPUT_A_x, int INPUT_B_x, int INPUT_C_x, int INPUT_D_x) { return INPUT_A_x; }"
    )
    given = {role: {"x": 1} for role in "ABCD"}
    tacit("run", "f.c", "--local", "--parties", "3", *options(given)).failed(2, "4 roles", "3 parties")
    assert tacit("run", "f.c", "--local", "--threshold", "1", *options(given)).outputs == {"return": 1}


@t.function
def nearest(server: t.Role, client: t.Role, *, rows: int) -> None:
    database = server.input("database", t.u8[rows, 2])
    query = client.input("query", t.u8[2])
    difference = database - query
    client.output("index", (difference * difference).sum(axis=1).argmin())


def together(program: Callable[[t.Runtime], Any], parties: int = 3, **terms: Any) -> dict[str, Any]:
    return asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), LIMIT_S))


DATABASE = [[3, 200], [90, 91], [255, 0]]


def test_programs_run_within_programs_of_parties_in_any_order() -> None:
    queries = [[80, 80], [0, 255], [200, 10]]

    async def program(rt: t.Runtime) -> Any:
        roles = {"server": "p3", "client": "p2"}
        mine = {"p3": {"server": {"database": DATABASE}}}.get(rt.party, {})
        asked = [
            {"client": {"query": query}} if rt.party == "p2" else mine for query in queries
        ]  # fmt: skip
        runs = [rt.run(nearest, given, roles=roles, rows=3) for given in asked]
        shared = rt.share(7 if rt.party == "p1" else None, by="p1")
        return await asyncio.gather(rt.open(shared ^ 5), *runs)

    results = together(program, modulus=t.GF256)
    expected = [
        nearest(server={"database": DATABASE}, client={"query": query}, rows=3)["client"]["index"]
        for query in queries
    ]
    assert [result[0] for result in results.values()] == [2, 2, 2]
    assert results["p1"][1:] == [{}] * 3
    assert [result["client"]["index"] for result in results["p2"][1:]] == expected
    assert results["p3"][1:] == [{"server": {}}] * 3


def test_c_runs_within_programs_of_parties() -> None:
    async def program(rt: t.Runtime) -> Any:
        mine = {"p1": {"A": {"mil": 5}}, "p2": {"B": {"mil": 6}}}.get(rt.party)
        return await rt.run(MILLIONAIRES, mine)

    expected = {"p1": {"A": {"richer": 0}}, "p2": {"B": {"richer": 0}}, "p3": {}}
    assert together(program, modulus=t.GF256) == expected


def test_runs_that_do_not_fit_are_refused() -> None:
    async def wrong(rt: t.Runtime) -> Any:
        return await rt.run(MILLIONAIRES, {"A": {"mil": 1}}, roles={"A": "p1", "B": "p2"})

    async def missing(rt: t.Runtime) -> Any:
        return await rt.run(MILLIONAIRES, {})

    with pytest.raises(t.UsageError, match="does not give the inputs"):
        together(wrong, modulus=t.GF256)
    with pytest.raises(t.InputError, match="mil is missing"):
        together(missing, modulus=t.GF256)


@pytest.mark.parametrize("modulus", [1009, 2**61 - 1, 2**127 - 1])
def test_compiled_programs_run_beside_any_field(modulus: int) -> None:
    async def program(rt: t.Runtime) -> Any:
        mine = {"p1": {"A": {"mil": 5}}, "p2": {"B": {"mil": 6}}}.get(rt.party)
        product = rt.share(3 if rt.party == "p3" else None, by="p3") * 7
        ran, number = await asyncio.gather(rt.run(MILLIONAIRES, mine), rt.open(product))
        return ran, number

    expected = together(
        lambda rt: rt.run(MILLIONAIRES, {"p1": {"A": {"mil": 5}}, "p2": {"B": {"mil": 6}}}.get(rt.party)),
        modulus=t.GF256,
    )
    assert together(program, modulus=modulus) == {name: (ran, 21) for name, ran in expected.items()}


@t.function
def float_operations(a: t.Role, b: t.Role) -> None:
    """Every operation of floats of 64 bits, and what goes to 32 bits and to integers."""
    x, y = a.input("x", t.float64[6]), b.input("y", t.float64[6])
    b.output("sums", [x + y, x - y, x * y, x / y, t.sqrt(abs(x))])
    b.output("less", [x < y, x == y])
    t.output("halves", (x.astype(t.float32) * y.astype(t.float32)), a, b)
    t.output("whole", x.astype(t.i32), a, b)


@pytest.mark.parametrize(
    ("parties", "security"), [(3, "passive"), (4, "passive"), (5, "passive"), (3, "active"), (5, "active")]
)
def test_floats_are_those_of_python(parties: int, security: str) -> None:
    first = [0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -2.5e9]
    second = [0.2, 0.0, 3e-310, 1.0000000000000002, 1.0, 1e-9]

    async def program(rt: t.Runtime) -> Any:
        given = {"p1": {"a": {"x": first}}, "p2": {"b": {"y": second}}}.get(rt.party, {})
        return await rt.run(float_operations, given, roles={"a": "p1", "b": "p2"})

    found = together(program, parties, security=security)
    clear = float_operations.run({"x": first}, {"y": second})
    pairs = list(zip(first, second, strict=True))
    quotients = [-math.nan if x == y == 0 else x / y for x, y in pairs]
    sums = [[x + y for x, y in pairs], [x - y for x, y in pairs], [x * y for x, y in pairs]]
    expected = [*sums, quotients, [math.sqrt(abs(x)) for x in first]]
    assert repr(found["p2"]["b"]["sums"]).replace("-nan", "nan") == repr(expected)
    assert found["p2"]["b"]["less"] == [[x < y for x, y in pairs], [x == y for x, y in pairs]]
    assert found["p1"]["a"]["whole"] == [0, 0, 0, 2**31 - 1, 2**31 - 1, -(2**31)]
    assert repr(found["p2"]["b"]["halves"]) == repr(clear["b"]["halves"])


FLOATS_OF_C = """
float OUTPUT_C_mean;
double OUTPUT_A_ratio;
void floats(double INPUT_A_x, float INPUT_B_y, double INPUT_C_z)
{
    OUTPUT_C_mean = (float)((INPUT_A_x + INPUT_B_y + INPUT_C_z) / 3.0);
    OUTPUT_A_ratio = INPUT_B_y != 0.0f ? INPUT_A_x / INPUT_B_y : 0.0;
}
"""


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (5, 2)])
def test_floats_of_c(tacit: Tacit, parties: int, threshold: int) -> None:
    tacit.write("floats.c", FLOATS_OF_C)
    given = {"A": {"x": 0.1}, "B": {"y": 0.30000001192092896}, "C": {"z": -1e-300}}
    agrees_with_clear(tacit, "floats.c", given, "--parties", parties, "--threshold", threshold)
