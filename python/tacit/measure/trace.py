"""The phases of a run in the form that Chrome's `about:tracing` and Perfetto show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.measure.costs import PHASES
from tacit.measure.records import Record, place_of

MICROSECONDS = 1e6


def trace_of(record: Record) -> dict[str, Any]:
    """A trace with a process for each party and an event for each phase.

    Parties end setup together, so that is where their clocks are laid on one another.
    """
    starts = starts_of(record)
    events: list[dict[str, Any]] = []
    for number, (party, report) in enumerate(record.reports.items(), 1):
        events += _names(number, party, report)
        start = starts[party]
        for phase in report["phases"]:
            events.append(_phase(number, start, phase, report))
            start += phase["seconds"]
            events.append(_sent(number, start, phase))
    return {
        "displayTimeUnit": "ms",
        "otherData": {"program": record.program, "params": str(dict(record.params)), "net": record.net or ""},
        "traceEvents": events,
    }


def starts_of(record: Record) -> dict[str, float]:
    """When each party begins, in seconds, so that all end setup together and the first begins at 0."""
    before = {party: _until_online(report) for party, report in record.reports.items()}
    latest = max(before.values())
    return {party: latest - seconds for party, seconds in before.items()}


def _until_online(report: Mapping[str, Any]) -> float:
    return float(sum(phase["seconds"] for phase in report["phases"] if phase["phase"] != PHASES[-1]))


def _names(number: int, party: str, report: Mapping[str, Any]) -> list[dict[str, Any]]:
    label = f"party {party}, {report.get('side', '').lower()}".rstrip(", ")
    return [
        {"ph": "M", "name": "process_name", "pid": number, "tid": 1, "args": {"name": label}},
        {"ph": "M", "name": "thread_name", "pid": number, "tid": 1, "args": {"name": "phases"}},
    ]


def _phase(number: int, start: float, phase: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    args = {key: value for key, value in phase.items() if key != "phase"}
    if phase["phase"] == PHASES[-1]:
        args |= {"work": report.get("work", {}), "operations": _operations(report)}
    return {
        "ph": "X",
        "cat": "phase",
        "name": phase["phase"],
        "pid": number,
        "tid": 1,
        "ts": start * MICROSECONDS,
        "dur": phase["seconds"] * MICROSECONDS,
        "args": args,
    }


def _operations(report: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """How many operations of each kind every line of the source asked for."""
    found: dict[str, dict[str, float]] = {}
    for each in report.get("operations", ()):
        found.setdefault(place_of(report, each["line"]), {})[each["kind"]] = each["count"]
    return found


def _sent(number: int, time: float, phase: Mapping[str, Any]) -> dict[str, Any]:
    """The bytes of a phase, drawn where it ends."""
    return {
        "ph": "C",
        "name": "bytes of the phase",
        "pid": number,
        "tid": 1,
        "ts": time * MICROSECONDS,
        "args": {"sent": phase["bytes_sent"], "received": phase["bytes_received"]},
    }
