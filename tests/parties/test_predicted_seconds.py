"""Seconds that compiled programs among three parties or more are predicted to take, beside measured ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import tacit as t
from conftest import Tacit

PROGRAM = """
import asyncio

import tacit as t

@t.function
def larger(a: t.Role, b: t.Role) -> None:
    t.output("larger", a.input("x", t.u32) > b.input("x", t.u32), a, b)

async def twice(rt):
    mine = {"p1": {"a": {"x": 5}}, "p2": {"b": {"x": 6}}}.get(rt.party)
    runs = [rt.run(larger, mine, roles={"a": "p1", "b": "p2"}) for _ in range(2)]
    return await asyncio.gather(*runs)
"""

GIVEN = ("--input", 'a={"x": 5}', "--input", 'b={"x": 6}')
LINKS = {None: (250_000_000, 10_000), "wan": (100_000_000, 100_000)}


@t.function
def larger(a: t.Role, b: t.Role) -> None:
    t.output("larger", a.input("x", t.u32) > b.input("x", t.u32), a, b)


def checked(report: dict[str, Any]) -> tuple[float, float]:
    """The predicted and the measured seconds of all runs; there is a deviation if they differ."""
    times, measured = report["times"], report["measured"]
    predicted = times * sum(report["predicted"]["time"]["online"].values()) / 1e9
    assert measured["seconds"] == pytest.approx(measured["network_seconds"] + measured["compute_seconds"])
    differs = abs(measured["seconds"] - predicted) > max(0.15 * predicted, 0.002)
    assert len(report["deviations"]) == int(differs)
    for deviation in report["deviations"]:
        assert deviation["phase"] == "online"
        assert deviation["seconds"] == measured["seconds"]
        assert deviation["predicted_seconds"] == pytest.approx(predicted)
        assert deviation["reason"]
    return predicted, measured["seconds"]


def reasons(report: dict[str, Any]) -> set[str]:
    return {deviation["reason"] for deviation in report["deviations"]}


@pytest.mark.parametrize("link", LINKS)
def test_reports_have_predicted_and_measured_seconds(tacit: Tacit, link: str | None) -> None:
    tacit.write("app.py", PROGRAM)
    links = [] if link is None else ["--net", link, "--planned-link", link]
    run = tacit("run", "app.py:larger", "--local", *GIVEN, "--parties", 3, "--report", "r.json", *links)
    assert run.code == 0, run.stderr
    bits, round_us = LINKS[link]
    for report in json.loads((tacit.folder / "r.json").read_text()).values():
        assert report["planned_link"] == {"bits_per_second": bits, "round_us": round_us}
        predicted, measured = checked(report)
        assert f"{predicted:.3f}" in run.stderr
        if link is not None:
            # Every round waits for the link, whatever else the machine does.
            assert 0.5 * predicted < measured


def test_runs_at_the_same_time_are_the_reason_where_they_are_late(tacit: Tacit) -> None:
    tacit.write("app.py", PROGRAM)
    # Two runs of some rounds of 80 ms begin within less than that, and were planned for rounds of 4 ms.
    links = ["--net", "20mbit,40ms", "--planned-link", "1gbit,2ms"]
    run = tacit("run", "app.py:twice", "--local", "--parties", 3, "--report", "r.json", *links)
    assert run.code == 0, run.stderr
    for report in json.loads((tacit.folder / "r.json").read_text()).values():
        (both,) = report["runs"]
        assert both["planned_link"] == {"bits_per_second": 1_000_000_000, "round_us": 4_000}
        checked(both)
        assert reasons(both) == {"other programs of the session ran at the same time"}


@pytest.mark.parametrize("security", ["passive", "active"])
def test_runs_in_python_have_seconds_too(security: str) -> None:
    asked: list[t.Runtime] = []

    async def program(rt: t.Runtime) -> None:
        asked.append(rt)
        for _ in range(2):
            mine = {"p1": {"a": {"x": 5}}, "p2": {"b": {"x": 6}}}.get(rt.party)
            await rt.run(larger, mine, roles={"a": "p1", "b": "p2"})

    asyncio.run(asyncio.wait_for(t.together(program, security=security, timeout_s=60), 100))
    for rt in asked:
        (run,) = rt.report["runs"]
        assert run["times"] == 2
        checked(run)
        verified = {"what other parties send was verified, and the messages of that are not predicted"}
        assert security == "passive" or reasons(run) <= verified


def test_a_party_alone_in_its_process_has_its_processor_time(tacit: Tacit) -> None:
    tacit.write("app.py", PROGRAM)
    run = tacit("run", "app.py:larger", "--local", *GIVEN, "--parties", 3, "--report", "r.json")
    assert run.code == 0, run.stderr
    for report in json.loads((tacit.folder / "r.json").read_text()).values():
        assert report["measured"]["processor_seconds"] > 0
        assert report["profile"].startswith("built-in ")


def test_parties_of_one_process_have_no_processor_time() -> None:
    asked: list[t.Runtime] = []

    async def program(rt: t.Runtime) -> None:
        asked.append(rt)
        mine = {"p1": {"a": {"x": 5}}, "p2": {"b": {"x": 6}}}.get(rt.party)
        await rt.run(larger, mine, roles={"a": "p1", "b": "p2"})

    asyncio.run(asyncio.wait_for(t.together(program, timeout_s=60), 100))
    for rt in asked:
        assert rt.report["runs"][0]["measured"]["processor_seconds"] is None


def test_profiles_that_are_none_are_refused(tacit: Tacit) -> None:
    tacit.write("app.py", PROGRAM)
    for program, given in (("larger", GIVEN), ("twice", ())):
        run = tacit(
            "run", f"app.py:{program}", "--local", *given, "--parties", 3, "--profile", "nowhere.json"
        )
        run.failed(2, 'expected "built-in" or a file', "nowhere.json")
    alone = tacit("run", "app.py:twice", "--local", "--parties", 1, "--profile", "built-in")
    alone.failed(2, "--profile cannot be used with --parties 1")
    simulated = tacit("plan", "app.py:larger", "--simulate", "parties=5", "--profile", "nowhere.json")
    simulated.failed(2, "nowhere.json")


def test_planned_links_that_are_none_are_refused(tacit: Tacit) -> None:
    tacit.write("app.py", PROGRAM)
    for program, given in (("larger", GIVEN), ("twice", ())):
        run = tacit("run", f"app.py:{program}", "--local", *given, "--parties", 3, "--planned-link", "fast")
        run.failed(2, "--planned-link: expected lan, wan, mobile", '"fast"')
    alone = tacit("run", "app.py:twice", "--local", "--parties", 1, "--planned-link", "lan")
    alone.failed(2, "--planned-link cannot be used with --parties 1")
