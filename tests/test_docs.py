"""The code blocks of README and docs run as they stand, and so do their commands on the examples."""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Tacit, loopback

ROOT = EXAMPLES.parent
WHOLE = {"first-hour.md", "recipes.md"}
"""Pages that are run from top to bottom, by the tests in `documentation`."""

DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *(page for page in DOCS if page.name not in WHOLE)]


def blocks(language: str) -> dict[str, str]:
    """The blocks of a language in README and docs, by page and number there."""
    found = {}
    for page in PAGES:
        texts = re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)
        found.update({f"{page.name} {number}": text for number, text in enumerate(texts, 1)})
    return found


PYTHON = blocks("python")


def defined(name: str) -> dict[str, Any]:
    """What a block defines, once it has run."""
    names: dict[str, Any] = {"__name__": "block"}
    exec(compile(PYTHON[name], name, "exec"), names)
    return names


def write_session(folder: Path, name: str, parties: list[str]) -> None:
    """A session file on loopback, and the keys of its parties."""
    host, tables = loopback(), ["[limits]\ntimeout_s = 60"]
    for number, party in enumerate(parties):
        key = t.SecretKey.generate()
        key.save(str(folder / f"{party}.key"))
        tables.append(f'[party.{party}]\naddress = "{host}:{7800 + number}"\nkey = "{key.public}"')
    (folder / name).write_text("\n".join(tables))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def closest(names: dict[str, Any]) -> None:
    given = {"server": {"db": [[1, 2], [5, 5], [9, 9]]}, "client": {"query": [6, 6]}}
    assert names["closest"].run(**given, n=3, d=2)["client"] == {"index": 1}


def distance(names: dict[str, Any]) -> None:
    outputs = names["distance"].run(a={"x": [1, 5]}, b={"y": [4, 1]}, n=2)
    assert outputs == {"a": {"distance": 25}, "b": {"distance": 25}}


def prices(names: dict[str, Any]) -> None:
    outputs = names["prices"].run(seller={}, bidders={"bids": [3, 9, 7, 1]}, n=4)
    assert outputs["seller"] == {"second": 7, "total": 9 * (0 + 1 + 2 + 3)}


def charge(names: dict[str, Any]) -> None:
    outputs = names["charge"].run(shop={"amount": 30}, bank={}, kept={"balance": 42})
    assert outputs["shop"] == {"paid": True} and outputs["kept"] == {"balance": 12}


def reactive(names: dict[str, Any]) -> None:
    results = asyncio.run(t.session.together(names["program"], a={"x": 5}, b={"y": 7}))
    assert results == {"a": 26, "b": 26}


def driver(names: dict[str, Any]) -> None:
    cases = list(names["driver"]())
    assert [case.params["BITS"] for case in cases] == list(range(1, 33))


def driver_of_tasty(names: dict[str, Any]) -> None:
    made = names["driver"]
    for number, _ in zip(range(1, 81), made.next_data_in(), strict=True):
        assert made.params == {"l": number}
        product = made.client_inputs["x"] * made.server_inputs["y"]
        assert made.next_data_out({"client": {"r": product}})


def nearest(names: dict[str, Any]) -> None:
    write_session(Path(), "three.toml", ["p1", "p2", "p3"])
    database = [[number, number] for number in range(100)]
    given = {"p1": {"server": {"database": database}}, "p2": {}, "p3": {"client": {"query": [41, 42]}}}

    async def run() -> Any:
        return await asyncio.gather(*(names["ask"](party, inputs) for party, inputs in given.items()))

    assert asyncio.run(run())[2] == {"client": {"index": 41}}


def revenue(names: dict[str, Any]) -> None:
    write_session(Path(), "three.toml", ["p1", "p2", "p3"])
    given = {"p1": {"p1": [20_000, *range(99)]}, "p2": {"p2": [2] * 100}, "p3": {}}

    async def run() -> Any:
        return await asyncio.gather(*(names["revenue"](party, mine) for party, mine in given.items()))

    total = 2 * (20_000 + sum(range(99)))
    assert asyncio.run(run()) == [(total, 20_000)] * 3


def auction(names: dict[str, Any]) -> None:
    write_session(Path(), "bids.toml", ["p1", "p2", "p3"])
    t.SecretKey.generate().save("ann.key")
    public = t.SecretKey.load("ann.key").public
    with Path("bids.toml").open("a") as session:
        session.write(f'\n[party.ann]\nkey = "{public}"\ncomputes = false')

    async def serve(party: str) -> Any:
        async with t.join("bids.toml", party) as rt:
            return await names["auction"](rt)

    async def run() -> Any:
        servers = [serve(party) for party in ("p1", "p2", "p3")]
        return await asyncio.gather(*servers, defined("parties.md 7")["bid"](42))

    assert asyncio.run(run()) == [["ann"], ["ann"], ["ann"], {"highest bid": 42}]


def bid(names: dict[str, Any]) -> None:
    assert asyncio.iscoroutinefunction(names["bid"]), "the auction above runs it"


def fit(names: dict[str, Any]) -> None:
    write_session(Path(), "three.toml", ["p1", "p2", "p3"])
    given = {"p1": [0.5 * i for i in range(50)], "p2": [3.0 + 0.25 * i for i in range(50)], "p3": []}

    async def run() -> Any:
        return await asyncio.gather(*(names["fit"](party, {party: mine}) for party, mine in given.items()))

    assert asyncio.run(run()) == [pytest.approx(0.5)] * 3


def pay(names: dict[str, Any]) -> None:
    write_session(Path(), "three.toml", ["p1", "p2", "p3"])
    given = {"p1": [*range(20)], "p2": [65535] * 20, "p3": [*range(100, 120)]}

    async def run() -> Any:
        return await asyncio.gather(*(names["pay"](party, mine) for party, mine in given.items()))

    everyone = [number for mine in given.values() for number in mine]
    mean, deviation = statistics.mean(everyone), statistics.stdev(everyone)
    for found in asyncio.run(run()):
        assert found == [pytest.approx(mean, abs=2**-8), pytest.approx(deviation, abs=2**-8), 109.5]


def compare(names: dict[str, Any]) -> None:
    write_session(Path(), "s.toml", ["alice", "bob"])
    alice = names["compare"]("alice", {"x": 5}, {"alice": {"xs": [1, 2, 3, 4]}})
    bob = names["compare"]("bob", {"y": 3}, {"bob": {"ys": [4, 3, 2, 1]}})

    async def run() -> Any:
        return await asyncio.gather(alice, bob)

    assert asyncio.run(run()) == [(True, {"alice": {"sum": 20}}), (True, {"bob": {"sum": 20}})]


def account(names: dict[str, Any]) -> None:
    opened = names["open_account"].run(bank={}, owner={"deposit": 50})
    paid = names["withdraw"].run(bank={}, owner={"amount": 30}, kept=opened["kept"])
    assert paid["owner"] == {"covered": True} and paid["kept"] == {"balance": 20}


def withdraw(names: dict[str, Any]) -> None:
    write_session(Path(), "s.toml", ["bank", "owner"])
    opened = defined("shares.md 1")["open_account"]

    async def run(role: str, **given: Any) -> Any:
        return await opened.connect("s.toml", role, shares=f"shares-{role}").run(**given)

    async def both() -> Any:
        await asyncio.gather(run("bank"), run("owner", owner={"deposit": 50}))
        return await asyncio.gather(names["withdraw"]("bank"), names["withdraw"]("owner", amount=30))

    assert asyncio.run(both()) == [True, True]


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "README.md 1": closest,
    "domains.md 1": distance,
    "language.md 1": closest,
    "language.md 2": prices,
    "language.md 3": charge,
    "language.md 4": reactive,
    "measure.md 1": driver,
    "parties.md 2": nearest,
    "parties.md 3": revenue,
    "parties.md 4": fit,
    "parties.md 5": pay,
    "parties.md 6": auction,
    "parties.md 7": bid,
    "session.md 1": compare,
    "shares.md 1": account,
    "shares.md 2": withdraw,
    "tastyl.md 3": driver_of_tasty,
}
"""What the names that a block defines must do."""

PROGRAMS = [
    "measure.md 2",
    "monitoring.md 1",
    "monitoring.md 2",
    "parties.md 1",
    "tastyl.md 1",
    "tastyl.md 2",
]
"""Blocks that do all they do by themselves, or as a file that a command runs."""


def test_every_block_is_run() -> None:
    assert sorted(PYTHON) == sorted([*CHECKS, *PROGRAMS])


def test_metrics() -> None:
    pytest.importorskip("prometheus_client", reason="the extra tacit[prometheus] is not installed")
    pytest.importorskip("opentelemetry.metrics", reason="the extra tacit[otel] is not installed")
    from prometheus_client import REGISTRY

    defined("monitoring.md 1")
    runs = REGISTRY.get_sample_value("tacit_runs_total", {"program": "richer", "outcome": "done"})
    assert runs == 1
    defined("monitoring.md 2")["metrics"].record_run("richer", "done")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", CHECKS)
def test_blocks(name: str) -> None:
    CHECKS[name](defined(name))


def test_measured_runs(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "measure"))
    from made_runs import line, write

    write(folder / "costs.jsonl", [line(n=n) for n in (1, 2)])
    defined("measure.md 2")
    assert "online_s_approximate_median" in capsys.readouterr().out


def test_three_processes(folder: Path) -> None:
    write_session(folder, "three.toml", ["p1", "p2", "p3"])
    running = []
    for party, fortune in (("p1", "4_000_000"), ("p2", "5_000_000"), ("p3", "3")):
        text = PYTHON["parties.md 1"].replace('"p1", 4_000_000', f'"{party}", {fortune}')
        command = [sys.executable, "-c", text]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    assert [process.communicate(timeout=120)[0] for process in running] == ["the richest is p2\n"] * 3


def test_a_protocol_of_tasty(tacit: Tacit) -> None:
    tacit.write("minimum.py", PYTHON["tastyl.md 1"])
    given = ["--input", 'client={"v": [5, 6, 7, 8]}', "--input", 'server={"w": [9, 3, 4, 5]}']
    assert tacit("run", "minimum.py", "--clear", *given).outputs == {"minimum value": 18}


@pytest.mark.parametrize(("guess", "hint"), [(5, "too low"), (9, "not too low")])
def test_a_condition_of_tasty(tacit: Tacit, guess: int, hint: str) -> None:
    tacit.write("guess.py", PYTHON["tastyl.md 2"])
    given = ["--input", f'client={{"guess": {guess}}}', "--input", 'server={"number": 9}']
    assert tacit("run", "guess.py", "--clear", *given).outputs == {"hint": hint}


def test_programs_in_c(tacit: Tacit) -> None:
    texts = blocks("c")
    tacit.write("millionaires.c", texts["README.md 1"])
    given = ["--input", 'A={"mil": 12}', "--input", 'B={"mil": 7}']
    assert tacit("run", "millionaires.c", "--clear", *given).outputs == {"richer": 1}
    tacit.write("product.c", texts["measure.md 1"])
    ones = ["--input", f'A={{"x": {[1] * 16}}}', "--input", f'B={{"y": {[2] * 16}}}']
    assert tacit("run", "product.c", "--clear", *ones).outputs == {"sum": 32}
    tacit.write("total.c", texts["c.md 1"] + "void total(int INPUT_A_x) { OUTPUT_C_total = INPUT_A_x; }")
    assert tacit("run", "total.c", "--clear", "--input", 'A={"x": 7}').outputs == {"total": 7}


def test_the_session_file_of_readme(tacit: Tacit) -> None:
    tacit.make_keys("alice", "bob")
    tacit.write("s.toml", blocks("toml")["README.md 1"])
    assert t.Session.load(str(tacit.folder / "s.toml")).parties == ["A", "B"]
