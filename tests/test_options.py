"""The options of runs: every way of running takes each of them, or refuses it by name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Parties, Tacit
from tacit import _native
from tacit.options import NAMES, RunOptions, flag

TIME_LIMIT_S = 90
MEMORY: dict[str, Any] = {
    "mode": "streamed",
    "domain": "bool",
    "classes": "comparisons=bool",
    "garbler": "B",
    "garbling": "three-halves",
    "transfers": "silent",
    "matrices": "lattice",
    "security": "medium",
    "effort": 77,
    "objective": "online",
    "gigabyte_price": "0.09",
    "core_hour_price": 2,
    "most_bytes": 10**12,
    "most_ms": 10**9,
    "most_memory": 10**12,
    "profile": "built-in",
    "planned_link": "1gbit,0.25ms",
}
"""Every option but `net`, with another value than the usual one; another profile would be a file."""
LINKED = {**MEMORY, "net": "1gbit,0.1ms"}
PREPARED = {**LINKED, "mode": "precomputed"}
PRICES = ("gigabyte_price", "core_hour_price")
UNPLANNED = ("domain", "classes", "garbler", "objective", *PRICES, "most_bytes", "most_ms", "most_memory")
REACTIVE = {name: value for name, value in LINKED.items() if name not in UNPLANNED}
GIVEN: Any = {"A": {"x": 5}, "B": {"x": 7}}
APP = """import tacit as t

@t.function
def larger(A: t.Role, B: t.Role) -> None:
    t.output("larger", A.input("x", t.u32) > B.input("x", t.u32), A, B)
"""


@t.function
def larger(A: t.Role, B: t.Role) -> None:  # noqa: N803
    t.output("larger", A.input("x", t.u32) > B.input("x", t.u32), A, B)


def seen(report: dict[str, Any], *, reactive: bool = False, silent: bool = True) -> None:
    """Asserts that a report tells of every option."""
    assert report["side"] == ("Garbler" if (report["party"] == "B") is not reactive else "Evaluator")
    assert report["mode"] == "streamed"  # also of prepared runs, where values are shared in several ways
    assert report["garbling"] == "three-halves"
    assert report["transfers"].startswith("silent-") is silent
    assert report["matrices"] == "lattice"
    assert report["security"]["level"] == "medium"
    assert report["effort"] == 77
    assert report["objective"] == ("total" if reactive else "online")
    assert report["planned_link"] == {"bits_per_second": 1_000_000_000, "round_us": 500}
    assert [one["domain"] for one in report["domains"]] == ([] if reactive else ["bool"])


def both(work: Callable[[str], Any]) -> list[Any]:
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(work, name) for name in "AB"]
        return [one.result(TIME_LIMIT_S) for one in running]


def written(options: dict[str, Any]) -> list[str]:
    """Options as the command line writes them."""
    return [str(word) for name, value in options.items() for word in (flag(name), value)]


def reports(tacit: Tacit, *names: str) -> list[dict[str, Any]]:
    return [json.loads((tacit.folder / f"{name}.json").read_text()) for name in names]


async def reactive(s: t.LiveSession) -> tuple[bool, dict[str, Any]]:
    value = s.role("A").input("x", t.u32) > s.role("B").input("x", t.u32)
    return await s.open(value), s.report


def test_what_there_is_is_what_python_has() -> None:
    described = {option["name"]: option for option in _native.run_options()}
    assert tuple(described) == NAMES
    assert {*LINKED, "insecure_bench"} == set(NAMES)
    for name, option in described.items():
        assert option["help"].endswith(".")
        assert option["choices"] is None or name not in LINKED or LINKED[name] in option["choices"]
    RunOptions(**LINKED).check()


def test_in_plans() -> None:
    plan = larger.trace().plan(**MEMORY)
    for words in ("domain     bool", "level medium", "extension  silent-", "1000 Mbit/s, 0.25 ms"):
        assert words in plan
    garbled = larger.trace().plan(**{**MEMORY, "domain": "yao", "classes": None})
    assert "domain     yao, three-halves, streamed" in garbled
    usual, least = (gates(sums.trace().plan(effort=effort)) for effort in (None, 0))
    assert usual < least


@t.function
def sums(A: t.Role, B: t.Role) -> None:  # noqa: N803
    x, y = A.input("x", t.u8), B.input("y", t.u8)
    A.output("sum", (x * x + y * y) * (x + y) + x * y)


def gates(plan: str) -> int:
    """The AND gates of a plan."""
    line = next(line for line in plan.splitlines() if line.startswith("gates"))
    return int(line.split()[1])


def test_in_one_process() -> None:
    outputs = larger.run(**GIVEN, **MEMORY)
    assert outputs["A"]["larger"] is False
    for report in outputs.reports.values():
        seen(report)


def test_in_processes_of_one_machine() -> None:
    outputs = larger.local(**GIVEN, **LINKED)
    assert outputs["B"]["larger"] is False
    for report in outputs.reports.values():
        seen(report)


def test_in_connections(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder

    def work(name: str) -> None:
        connection = larger.connect(folder / "s.toml", name, **LINKED)
        for report in connection.run(**{name: GIVEN[name]}).reports.values():
            seen(report)

    both(work)


@pytest.mark.parametrize("where", ["file", "session", "run"])
def test_in_open_sessions(parties: Callable[..., Parties], where: str) -> None:
    folder, program = parties().tacit.folder, larger.trace().program
    file = t.Session.load(str(folder / "s.toml"))
    of_session = {name: PREPARED[name] for name in ("security", "net")}
    of_run = {name: value for name, value in PREPARED.items() if name not in of_session}
    if where == "file":
        text = (folder / "s.toml").read_text() + in_file(PREPARED)
        file, of_session, of_run = t.Session.parse(text, str(folder / "s.toml")), {}, {}
    elif where == "session":
        of_session, of_run = PREPARED, {}

    def work(name: str) -> None:
        key = t.SecretKey.load(str(folder / f"{name}.key"))
        session = t.OpenSession.open(file, name, key, **of_session)
        store = t.Store.open(str(folder / f"store-{name}"), key)
        mine = {name: json.dumps(GIVEN[name])}
        seen(json.loads(session.run(program, mine, **of_run)[1]))
        seen(json.loads(session.prepare(program, store, 1, **of_run)[1]))
        seen(json.loads(session.run_prepared(program, mine, store, **of_run)[1]))
        session.close(store)

    both(work)


def in_file(options: dict[str, Any]) -> str:
    """Options as a session file writes them."""
    entries = {
        "mode": "run.mode",
        "domain": "run.domain",
        "classes": "run.classes",
        "garbler": "run.garbler",
        "effort": "run.effort",
        "objective": "run.objective",
        "gigabyte_price": "run.gigabyte_price",
        "core_hour_price": "run.core_hour_price",
        "most_bytes": "run.most_bytes",
        "most_ms": "run.most_ms",
        "most_memory": "run.most_memory",
        "profile": "run.profile",
        "garbling": "security.garbling",
        "transfers": "security.transfers",
        "matrices": "security.matrices",
        "security": "security.level",
        "planned_link": "link.planned",
        "net": "link.net",
    }
    tables: dict[str, list[str]] = {}
    for name, value in options.items():
        table, key = entries[name].split(".")
        tables.setdefault(table, [f"[{table}]"]).append(f"{key} = {json.dumps(value)}")
    return "\n".join(line for lines in tables.values() for line in lines) + "\n"


def test_in_reactive_programs_in_one_process() -> None:
    options = {name: value for name, value in REACTIVE.items() if name != "net"}
    sessions = t.session.pair("A", "B", **GIVEN, **options)

    async def one(session: t.LiveSession) -> dict[str, Any]:
        async with session:
            assert (await reactive(session))[0] is False
        return session.report

    async def run() -> list[dict[str, Any]]:
        return await asyncio.gather(*map(one, sessions))

    for report in asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S)):
        seen(report, reactive=True)
    together = t.session.together(reactive, **GIVEN, **options)
    results = asyncio.run(asyncio.wait_for(together, TIME_LIMIT_S))
    assert [result[0] for result in results.values()] == [False, False]


@pytest.mark.parametrize("where", ["file", "call"])
def test_in_reactive_programs(parties: Callable[..., Parties], where: str) -> None:
    folder = parties(extra=in_file(REACTIVE) if where == "file" else "").tacit.folder
    options = {} if where == "file" else REACTIVE

    async def one(name: str) -> dict[str, Any]:
        async with t.session(folder / "s.toml", name, inputs=GIVEN[name], **options) as s:
            assert (await reactive(s))[0] is False
        return s.report

    for report in both(lambda name: asyncio.run(asyncio.wait_for(one(name), TIME_LIMIT_S))):
        seen(report, reactive=True)


def test_reactive_parties_that_differ_are_told_in_what(parties: Callable[..., Parties]) -> None:
    folder = parties(timeout_s=10).tacit.folder
    differing = {"garbling": "garbling", "transfers": "oblivious transfers", "planned_link": "planned link"}

    async def one(name: str, options: dict[str, Any]) -> None:
        async with t.session(folder / "s.toml", name, inputs=GIVEN[name], **options):
            pass

    for option, field in differing.items():

        def work(name: str, option: str = option, field: str = field) -> None:
            options = {option: REACTIVE[option]} if name == "B" else {}
            with pytest.raises(t.PeerError, match=f"differ in {field}: here"):
                asyncio.run(asyncio.wait_for(one(name, options), TIME_LIMIT_S))

        both(work)


LESS = """
import tacit as t

@t.function
def less(A, B):
    t.output("z", A.input("x", t.u8) < B.input("x", t.u8), A, B)
"""


def test_parties_of_other_domains_are_told_so(parties: Callable[..., Parties], tacit: Tacit) -> None:
    tacit.write("app.py", LESS)
    made = parties(timeout_s=10)
    first = made.start("A", "app.py:less", '{"x": 1}', "--domain", "bool")
    second = made.start("B", "app.py:less", '{"x": 1}')
    first.wait().failed(5, "differ in domain: here bool, there yao")
    second.wait().failed(5, "differ in domain: here yao, there bool")


def test_on_the_command_line(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    given = [word for name, value in GIVEN.items() for word in ("--input", f"{name}={json.dumps(value)}")]
    command = ["run", "app.py:larger", "--local", *given, *written(LINKED), "--report", "r.json"]
    assert tacit(*command).outputs["larger"] is False
    for report in reports(tacit, "r")[0].values():
        seen(report)


def test_between_commands_of_parties(parties: Callable[..., Parties]) -> None:
    made = parties()
    made.tacit.write("app.py", APP)
    options = written(LINKED)
    running = [
        made.start(name, "app.py:larger", json.dumps(GIVEN[name]), *options, "--report", f"{name}.json")
        for name in "AB"
    ]
    assert [one.wait().outputs for one in running] == [{"larger": False}] * 2
    for report in reports(made.tacit, *"AB"):
        seen(report)


def test_between_commands_of_parties_that_prepare(parties: Callable[..., Parties]) -> None:
    made = parties()
    made.tacit.write("app.py", APP)
    options = written(PREPARED)
    running = []
    for name in "AB":
        own = ["--as", name, "--session", "s.toml", "--key", f"{name}.key", "--store", f"store-{name}"]
        more = [*own, *options, "--report", f"{name}.json"]
        running.append(made.tacit.start("prepare", "app.py:larger", *more))
    for one in running:
        finished = one.wait()
        assert finished.code == 0, finished.stderr
    for report in reports(made.tacit, *"AB"):
        seen(report)
    running = [
        made.start(
            name, "app.py:larger", json.dumps(GIVEN[name]), *options,
            *("--store", f"store-{name}", "--report", f"spent-{name}.json"),
        )
        for name in "AB"
    ]  # fmt: skip
    assert [one.wait().outputs for one in running] == [{"larger": False}] * 2
    for report in reports(made.tacit, "spent-A", "spent-B"):
        seen(report)
        assert report["store_entry"] is not None


def test_in_benches(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    finished = tacit("bench", "app.py:larger", "--repeat", "1", *written(LINKED))
    assert finished.code == 0, finished.stderr
    line = json.loads(finished.stdout)
    assert (line["net"], line["mode"]) == (LINKED["net"], LINKED["mode"])
    for report in line["reports"].values():
        seen(report)


PROGRAM = larger.trace().program


def reactive_pair(**options: Any) -> object:
    return t.session.pair("A", "B", **GIVEN, **options)


def in_process(**options: Any) -> object:
    return larger.run(**GIVEN, **options).values()


def planned(**options: Any) -> object:
    return larger.trace().plan(**options)


@pytest.mark.parametrize("way", [in_process, planned, reactive_pair])
@pytest.mark.parametrize("option", sorted(set(NAMES) - {"net"}))
def test_values_that_there_are_not_are_refused_by_name(way: Callable[..., object], option: str) -> None:
    refused = f"^{option}: expected .*; found"
    if option == "garbler" and way is reactive_pair:
        refused = "^garbler cannot be loud in a reactive session"
    with pytest.raises(t.UsageError, match=refused):
        way(**{option: -1 if option == "effort" else "loud"})


def test_what_cannot_be_honoured_is_refused_by_name(parties: Callable[..., Parties]) -> None:
    for way in (in_process, planned, reactive_pair):
        with pytest.raises(t.UsageError, match=r"^net cannot be .*: there is no link"):
            way(net="lan")
    for option, value in (("mode", "precomputed"), ("domain", "bool"), ("domain", "arith")):
        with pytest.raises(t.UsageError, match=f"^{option} cannot be {value} in a reactive session"):
            reactive_pair(**{option: value})
    folder = parties().tacit.folder
    file = t.Session.load(str(folder / "s.toml"))

    def work(name: str) -> None:
        key = t.SecretKey.load(str(folder / f"{name}.key"))
        session = t.OpenSession.open(file, name, key)
        store = t.Store.open(str(folder / f"store-{name}"), key)
        mine = {name: json.dumps(GIVEN[name])}
        refused: list[tuple[str, Any]] = [("security", "medium"), ("net", "lan")]
        for option, value in refused:
            with pytest.raises(t.UsageError, match=f"^{option} cannot be .* in one run of an open session"):
                session.run(PROGRAM, mine, **{option: value})
        with pytest.raises(t.UsageError, match=r"^mode cannot be streamed for prepared runs"):
            session.prepare(PROGRAM, store, 1, mode="streamed")
        with pytest.raises(t.UsageError, match="there is no option colour; the options are mode, domain"):
            session.run(PROGRAM, mine, colour="red")
        session.close(store)

    both(work)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "app.py:larger", "--clear"],
        ["run", "app.py:larger", "--local", "--parties", "3"],
        ["prepare", "s.toml", "--as", "A", "--bits", "1"],
    ],
)
def test_where_there_is_no_run_of_two_every_option_is_refused(tacit: Tacit, command: list[str]) -> None:
    tacit.write("app.py", APP)
    among = ("net", "planned_link", "profile", "effort", "domain", "classes")
    taken = {"--clear": (), "--local": among, "--as": ("net",)}[command[2]]
    options = [(name, value) for name, value in LINKED.items() if name not in taken]
    running = [(name, tacit.start(*command, flag(name), value)) for name, value in options]
    for name, one in running:
        one.wait().failed(2, f"{flag(name)} cannot be used")


def test_a_file_that_knows_no_such_option(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    base = '[link]\ntransport = "tcp"\n[party.A]\naddress = "a:1"\n[party.B]\naddress = "b:2"\n'
    for line, words in (
        (
            '[run]\nmode = "loud"',
            's.toml:8: run.mode: expected "auto", "precomputed" or "streamed"; found "loud"',
        ),
        (
            "[run]\ncolour = 1",
            "s.toml:8: run.colour: there is no such entry; the table has mode, domain, classes, garbler",
        ),
        ("[security]\neffort = 1", "s.toml:8: security.effort: there is no such entry"),
    ):
        with pytest.raises(t.UsageError) as caught:
            t.Session.parse(f"{base}{line}\n", str(path))
        assert words in str(caught.value)
