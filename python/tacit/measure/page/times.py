"""The drawings of what took time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.measure.page.frame import TICKS, WIDTH, Frame
from tacit.measure.page.svg import drawing, largest
from tacit.measure.records import Record
from tacit.measure.trace import starts_of
from tacit.measure.units import seconds

ROW = 36.0
BAR = 22.0

Phase = Mapping[str, Any]


def timeline(record: Record) -> str:
    """When each party was in which phase."""
    starts = starts_of(record)
    lasted = {party: _total(report) for party, report in record.reports.items()}
    frame = Frame.of(lasted, largest(starts[party] + lasted[party] for party in lasted))
    bottom = len(lasted) * ROW
    marks = frame.grid(bottom, seconds)
    for row, (party, report) in enumerate(record.reports.items()):
        top, at = row * ROW + 4, starts[party]
        marks.append(frame.name(top + 16, party))
        for phase in report["phases"]:
            marks.append(frame.bar(top, BAR, at, phase["seconds"], phase["phase"], _took(phase)))
            at += phase["seconds"]
        marks.append(frame.value(top + 16, at, seconds(lasted[party])))
    told = "; ".join(
        f"{party}: " + ", ".join(_took(phase) for phase in report["phases"])
        for party, report in record.reports.items()
    )
    return drawing("timeline", "Phases of each party over time", told, bottom + TICKS, WIDTH, *marks)


def waiting(record: Record, phase: str) -> str:
    """How much of a phase each party computed, and how much it waited. On a scale of its own."""
    rows = phase_of(record, phase)
    frame = Frame.of(rows, largest(part["seconds"] for part in rows.values()))
    marks: list[str] = []
    told: list[str] = []
    for row, (party, part) in enumerate(rows.items()):
        top, computing, network = row * ROW + 4, part["compute_seconds"], part["network_seconds"]
        split = (f"computing {seconds(computing)}", f"waiting {seconds(network)}")
        told.append(f"{party}: {', '.join(split)}")
        marks += [
            frame.name(top + 16, party),
            frame.bar(top, BAR, 0, computing, phase, split[0]),
            frame.bar(top, BAR, computing, network, f"{phase} wait", split[1]),
            frame.value(top + 16, computing + network, seconds(part["seconds"])),
        ]
    title = f"Computing and waiting, {phase}"
    return drawing(f"waiting-{phase}", title, "; ".join(told), len(rows) * ROW, WIDTH, *marks)


def phase_of(record: Record, name: str) -> dict[str, Phase]:
    """One phase at each party."""
    return {
        party: phase
        for party, report in record.reports.items()
        for phase in report["phases"]
        if phase["phase"] == name
    }


def _total(report: Mapping[str, Any]) -> float:
    return float(sum(phase["seconds"] for phase in report["phases"]))


def _took(phase: Phase) -> str:
    return f"{phase['phase']} {seconds(phase['seconds'])}"
