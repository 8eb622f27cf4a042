"""Measured figures, the bars they are held to, and the table of both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measured figure."""

    name: str
    value: float
    unit: str

    @staticmethod
    def parse(line: str) -> list[Row]:
        """The rows in a line that a bench program prints, a JSON object; none in other lines."""
        if not line.startswith("{"):
            return []
        fields: dict[str, Any] = json.loads(line)
        if "kernel" in fields:
            name = ", ".join(fields[key] for key in ("kernel", "detail", "backend"))
            return [Row(name, fields["rate"], f"{fields['unit']}/s")]
        if "shape" in fields:
            return _stream(fields)
        if "runs_per_second" in fields:
            name = f"prepared comparisons in an open session, {fields['transport']}"
            return [Row(name, fields["runs_per_second"], "run/s")]
        if "transport" in fields:
            return _transport(fields)
        return [Row(fields["name"], float(fields["value"]), fields["unit"])]


def _stream(fields: dict[str, Any]) -> list[Row]:
    """The rows of a program of one shape, streamed between two processes."""
    shape = fields["shape"]
    return [
        Row(f"ANDs streamed, {shape}", fields["and_per_second"], "AND/s"),
        Row(f"bytes an AND, {shape}", fields["bytes_per_and"], "B"),
        Row(f"peak memory of the garbler, {shape}", fields["garbler_peak_bytes"], "B"),
        Row(f"peak memory of the evaluator, {shape}", fields["evaluator_peak_bytes"], "B"),
    ]


def _transport(fields: dict[str, Any]) -> list[Row]:
    """The rows of one transport between two processes."""
    name = fields["transport"]
    rate = Row(f"loopback, {name}", fields["gigabytes_per_second"] * 1e9, "B/s")
    if fields["round_trip_us"] is None:
        return [rate]
    return [rate, Row(f"round trip, {name}", fields["round_trip_us"] / 1e6, "s")]


@dataclass(frozen=True)
class Sheet:
    """A table of text, printed after the rows."""

    title: str
    headings: list[str]
    lines: list[list[str]]


@dataclass(frozen=True)
class Bar:
    """The bar for the row of this name: at least or at most a figure, or a multiple of another row."""

    row: str
    least: float | None = None
    most: float | None = None
    times: str | None = None
    needs: str = ""
    """Flags of the processor without which the bar does not apply."""
    optional: bool = False
    """Whether the row may be absent, because a tool that measures it is."""


@dataclass(frozen=True)
class Judged:
    """A row with its bar, where it has one. `ok` is None where none applies."""

    name: str
    value: float | None
    unit: str
    bar: float | None
    ok: bool | None

    @property
    def ratio(self) -> float | None:
        """The ratio to the bar."""
        return self.value / self.bar if self.value is not None and self.bar else None


def judge(rows: list[Row], bars: list[Bar], flags: frozenset[str]) -> list[Judged]:
    """Every row with its bar; a bar whose row was not measured counts as missed."""
    by_name = {row.name: row for row in rows}
    bar_of = {bar.row: bar for bar in bars if flags.issuperset(bar.needs.split())}
    judged = [_judge(row, bar_of.get(row.name), by_name) for row in rows]
    absent = [name for name, bar in bar_of.items() if name not in by_name and not bar.optional]
    return judged + [Judged(name, None, "", None, False) for name in absent]


def _judge(row: Row, bar: Bar | None, rows: dict[str, Row]) -> Judged:
    if bar is None:
        return Judged(row.name, row.value, row.unit, None, None)
    bound = bar.least if bar.least is not None else bar.most
    if bar.times is not None and bound is not None:
        bound = bound * rows[bar.times].value if bar.times in rows else None
    if bound is None:
        return Judged(row.name, row.value, row.unit, None, False)
    ok = row.value >= bound if bar.least is not None else row.value <= bound
    return Judged(row.name, row.value, row.unit, bound, ok)
