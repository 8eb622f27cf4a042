"""The drawings of what went between the parties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.measure.costs import PHASES
from tacit.measure.page.frame import TICKS, WIDTH, Frame
from tacit.measure.page.svg import drawing, element, label, largest
from tacit.measure.page.times import phase_of
from tacit.measure.records import Record
from tacit.measure.units import amount, count

HEADING = 24.0
ROW = 25.0
GAP = 10.0
DOT = 16.0
MAX_DOTS = 40


@dataclass(frozen=True)
class Direction:
    """What one party sent to another."""

    sender: str
    receiver: str
    phases: Mapping[str, int]
    number: int

    @property
    def name(self) -> str:
        return f"{self.sender} → {self.receiver}"

    @property
    def class_(self) -> str:
        """Its colour."""
        return f"way{self.number % 2}"

    def sent(self, phase: str) -> int:
        """Bytes in a phase."""
        return self.phases.get(phase, 0)


def directions(record: Record) -> list[Direction]:
    """Who sent what to whom. Of a party without report, its peer knows what came."""
    found: dict[tuple[str, str], Mapping[str, int]] = {}
    for party, report in record.reports.items():
        for peer, shares in report.get("peers", {}).items():
            found[party, peer] = {"online": shares["payload_sent"]}
            if peer not in record.reports:
                found[peer, party] = {"online": shares["payload_received"]}
        if "peers" in report:
            continue
        peer = str(report.get("peer", "peer"))
        found[party, peer] = _by_phase(report["phases"], "bytes_sent")
        if peer not in record.reports:
            found[peer, party] = _by_phase(report["phases"], "bytes_received")
    return [Direction(*ends, phases, number) for number, (ends, phases) in enumerate(found.items())]


def traffic(record: Record) -> str:
    """The bytes that went each way in each phase."""
    ways = directions(record)
    limit = largest(way.sent(phase) for way in ways for phase in PHASES)
    frame = Frame.of([way.name for way in ways], limit)
    group = HEADING + len(ways) * ROW + GAP
    marks = frame.grid(len(PHASES) * group, lambda value: amount(value, "B"))
    told: list[str] = []
    for number, phase in enumerate(PHASES):
        top = number * group
        marks.append(label(0, top + 15, phase, "strong"))
        for line, way in enumerate(ways):
            y, sent = top + HEADING + line * ROW, way.sent(phase)
            told.append(f"{phase}, {way.name}: {amount(sent, 'B')}")
            tip = f"{phase}, {way.name}: {count(sent)} bytes"
            marks += [
                frame.name(y + 14, way.name),
                frame.bar(y, ROW - 7, 0, sent, way.class_, tip),
                frame.value(y + 14, sent, amount(sent, "B")),
            ]
    height = len(PHASES) * group + TICKS
    return drawing("traffic-chart", "Bytes between the parties", "; ".join(told), height, WIDTH, *marks)


def rounds(record: Record) -> str:
    """How often each party went from sending to receiving: a dot each, as long as there are few."""
    frame = Frame.of(record.reports, 1)
    group = HEADING + len(record.reports) * ROW + GAP
    marks: list[str] = []
    told: list[str] = []
    for number, phase in enumerate(PHASES):
        marks.append(label(0, number * group + 15, phase, "strong"))
        for line, (party, part) in enumerate(phase_of(record, phase).items()):
            y = number * group + HEADING + line * ROW
            told.append(f"{phase}, {party}: {part['rounds']}")
            marks += [frame.name(y + 14, party), *_dots(frame, y, phase, part["rounds"])]
    height = len(PHASES) * group
    return drawing("rounds-chart", "Rounds of each party", "; ".join(told), height, WIDTH, *marks)


def _dots(frame: Frame, y: float, phase: str, number: int) -> list[str]:
    shown = min(number, MAX_DOTS)
    dots = [
        element("circle", cx=frame.left + 6 + dot * DOT, cy=y + 10, r=5, class_=phase)
        for dot in range(int(shown))
    ]
    return [*dots, label(frame.left + shown * DOT + 6, y + 14, count(number), "value")]


def _by_phase(phases: Sequence[Mapping[str, Any]], key: str) -> dict[str, int]:
    return {phase["phase"]: phase[key] for phase in phases}
