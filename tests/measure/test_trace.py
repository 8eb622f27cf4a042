"""Traces for Chrome and Perfetto."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from made_runs import line, record, write

from conftest import Tacit
from tacit.measure.trace import trace_of


def test_phases_follow_one_another_and_setup_ends_together() -> None:
    events = trace_of(record(seconds=2.0))["traceEvents"]
    phases = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in phases] == ["analysis", "setup", "online"] * 2
    assert [event["pid"] for event in phases] == [1] * 3 + [2] * 3
    for pid in (1, 2):
        own = [event for event in phases if event["pid"] == pid]
        for before, after in pairwise(own):
            assert before["ts"] + before["dur"] == pytest.approx(after["ts"])
    assert phases[2]["ts"] == pytest.approx(phases[5]["ts"])
    assert min(event["ts"] for event in phases) == 0
    assert phases[0]["dur"] == pytest.approx(0.2e6)
    assert phases[1]["args"]["bytes_sent"] == 1000


def test_the_trace_names_lines_of_the_source() -> None:
    online = next(event for event in trace_of(record())["traceEvents"] if event["name"] == "online")
    assert online["args"]["operations"]["app.py:12"] == {"mul": 2048, "add": 512}
    assert online["args"]["operations"]["unknown line"] == {"gate": 3}
    assert online["args"]["work"]["and_depth"] == 21


def test_every_event_has_what_the_form_demands() -> None:
    for event in trace_of(record())["traceEvents"]:
        assert {"ph", "name", "pid", "tid"} <= event.keys()
        assert event["ph"] == "M" or event["ts"] >= 0


def test_report_writes_a_trace(tacit: Tacit) -> None:
    write(tacit.folder / "b.jsonl", [line()])
    assert tacit("report", "b.jsonl", "--trace", "trace.json").code == 0
    trace = json.loads((tacit.folder / "trace.json").read_text())
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
    assert names == ["party A, garbler", "party B, evaluator"]
