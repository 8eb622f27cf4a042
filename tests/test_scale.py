"""`tacit plan --simulate`: what a run among many parties would take."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import tacit as t
from conftest import Tacit
from tacit import _native
from tacit.measure.links import Link, link_of
from tacit.scale import elements_among, parties_of, scale
from tacit.sessions.reactor import WORD_MODULUS

APP = """import tacit as t

@t.function
def nearest(server: t.Role, client: t.Role, *, n: int = 8) -> None:
    points = server.input("points", t.u8[n, 2])
    place = client.input("place", t.u8[2])
    client.output("index", ((points - place) ** 2).sum(axis=1).argmin())

@t.function
def words(server: t.Role, client: t.Role) -> None:
    x, y = t.arith(server.input("x", t.u8)), t.arith(client.input("y", t.u8))
    client.output("product", x * y)
"""


@pytest.fixture
def app(tacit: Tacit) -> Tacit:
    tacit.write("app.py", APP)
    return tacit


def simulated(app: Tacit, *options: object) -> dict[str, Any]:
    return app("plan", "app.py:nearest", "--json", "--simulate", *options).outputs


@t.function
def closest(server: t.Role, client: t.Role, *, n: int = 64) -> None:
    points, place = server.input("points", t.u16[n, 2]), client.input("place", t.u16[2])
    client.output("index", ((points - place) ** 2).sum(axis=1).argmin())


@pytest.mark.parametrize("parties", [16, 33, 64])
def test_bytes_on_paper_are_those_that_are_counted(parties: int) -> None:
    program = closest.trace().program
    told = json.loads(_native.prediction_among(program, parties, domain="bool", modulus=WORD_MODULUS))
    inputs = sum(told["inputs"]) * (parties - 1)
    counted = sum(map(sum, told["sent"]))
    paper = inputs + elements_among((parties, (parties - 1) // 2), told["products"], told["opened"])
    assert counted == pytest.approx(paper, rel=0.001)


def test_a_simulation_says_what_a_run_sends(app: Tacit) -> None:
    found = simulated(app, "parties=3", "--link", "wan", "--param", "n=2")
    inputs = ("--input", 'server={"points": [[1, 2], [3, 4]]}', "--input", 'client={"place": [3, 3]}')
    options = ("--local", "--parties", 3, "--threshold", 1, "--report", "report.json")
    planned = ("--param", "n=2", "--planned-link", "wan")
    assert app("run", "app.py:nearest", *options, *planned, *inputs).outputs == {"index": 1}
    reports = json.loads((app.folder / "report.json").read_text())
    sent = [report["predicted"]["payload_sent"] for report in reports.values()]
    predicted = reports["p1"]["predicted"]
    assert found["exact"]
    assert found["most_bytes"] == max(sent)
    assert (found["rounds"], found["products"]) == (predicted["rounds"], predicted["products"])
    assert found["waiting"] == pytest.approx(found["rounds"] * 0.05)
    assert found["sending"] == pytest.approx(8 * max(sent) / 100e6)
    assert found["seconds"] == pytest.approx(found["computing"] + found["sending"] + found["waiting"])
    for report in reports.values():
        assert report["planned_link"] == {"bits_per_second": 100_000_000, "round_us": 100_000}
        time = report["predicted"]["time"]["online"]
        for part in ("computing", "sending", "waiting"):
            assert time[f"{part}_ns"] == pytest.approx(found[part] * 1e9)


def test_more_parties_than_can_run_are_simulated_with_what_is_assumed(app: Tacit) -> None:
    few, many, more = (simulated(app, f"parties={n}", "--link", "lan") for n in (64, 65, 1000))
    assert few["exact"]
    assert not many["exact"]
    assert many["mean_bytes"] == pytest.approx(few["mean_bytes"], rel=0.25)
    assert many["rounds"] == more["rounds"] == few["rounds"]
    assert more["most_bytes"] > more["mean_bytes"] > many["mean_bytes"]
    assert more["threshold"] == 499
    text = app("plan", "app.py:nearest", "--simulate", "parties=1000").stdout
    for part in ("1000 parties", "499 may collude", "on paper", "assumptions", "250 Mbit/s", "16 bits"):
        assert part in text
    assert app("plan", "app.py:nearest", "--simulate", "parties=1000").stdout == text


def test_words_are_simulated_among_as_many_as_can_run(app: Tacit) -> None:
    program = ("plan", "app.py:words", "--json", "--simulate")
    assert app(*program, "parties=5").outputs["opened"] > 0
    refused = app(*program, "parties=65")
    assert refused.code == 2
    assert "up to 64 parties" in refused.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("parties=2",), "from 3 to 10000"),
        (("parties=" + "9" * 5000,), "from 3 to 10000"),
        (("parties=-3",), "expected parties=N"),
        (("parties=٣",), "expected parties=N"),
        (("n=3",), "expected parties=N"),
        (("parties=5", "--link", "fast"), "expected lan, wan, mobile"),
        (("parties=5", "--explain", "mul"), "leave them out"),
        (("parties=5", "--domain", "yao"), "among 5 parties; use arith, bool, auto"),
    ],
)
def test_what_is_no_simulation_is_refused(app: Tacit, given: tuple[str, ...], words: str) -> None:
    refused = app("plan", "app.py:nearest", "--simulate", *given)
    assert refused.code == 2
    assert words in refused.stderr


def test_links_are_those_of_runs() -> None:
    assert link_of("wan") == Link(100e6, 0.05)
    assert link_of("1.5gbit, 20ms") == Link(1.5e9, 0.02)
    assert link_of("wan") == Link(*_native.link("100mbit,50ms", "--net"))
    for text in ("", "100mbit", "0kbit,1ms", "1..5mbit,1ms", "9999999gbit,1ms", "1mbit,9999s", "-1mbit,1ms"):
        with pytest.raises(t.UsageError, match=f'--link: expected lan, .*; found "{re.escape(text)}"'):
            link_of(text)
    with pytest.raises(t.UsageError, match="--planned-link: expected lan"):
        link_of("fast", "--planned-link")


def test_scales_are_equal_where_arguments_are() -> None:
    program = closest.trace().program
    assert scale(program, 300, "lan") == scale(program, 300, "lan")
    assert parties_of("parties=300") == 300
