"""Drawings of our numbers beside the paper's, on logarithmic scales: lines over sizes, dots elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tacit.bench.papers.rows import PaperRow
from tacit.bench.papers.texts import figure
from tacit.measure.page.svg import drawing, element, label, text

WIDTH = 920.0
LEFT = 70.0
RIGHT = 240.0
HEIGHT = 320.0
BOTTOM = 40.0
TOP = 14.0

DOTS_LEFT = 300.0
DOTS_RIGHT = 40.0
LINE = 18.0

COLOURS = 6
LEAST_POINTS = 2


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale from the smallest to the largest power of ten."""

    low: int
    high: int
    start: float
    end: float

    @staticmethod
    def of(values: Sequence[float], start: float, end: float) -> Scale:
        """A scale on which all values, which are positive, have a place."""
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return Scale(low, max(high, low + 1), start, end)

    def at(self, value: float) -> float:
        """The place of a value."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Powers of ten, as many as can be read."""
        step = max(1, (self.high - self.low) // 6)
        yield from (10.0**power for power in range(self.low, self.high + 1, step))


@dataclass(frozen=True)
class Series:
    """A line: its name, and its numbers over sizes, the paper's and ours."""

    name: str
    published: list[tuple[float, float]]
    ours: list[tuple[float, float]]


def charts(name: str, rows: Sequence[PaperRow]) -> list[str]:
    """The drawings of a table: one for each unit that has numbers."""
    made = []
    for number, unit in enumerate(dict.fromkeys(row.unit for row in rows)):
        same = [row for row in rows if row.unit == unit]
        title = f"{name}, {unit}" if unit else name
        drawn = [
            _lines(f"{_anchor(name)}-{number}-{place}", f"{title}, {what}" if what else title, lines)
            for place, (what, lines) in enumerate(_groups(_series(same)).items())
        ]
        made += drawn if any(drawn) else [_dots(f"{_anchor(name)}-{number}", title, same)]
    return [each for each in made if each]


def _groups(lines: Sequence[Series]) -> dict[str, list[Series]]:
    """The lines of each drawing: where there are more than colours, by the last part of their names."""
    groups: dict[str, list[Series]] = {}
    for line in lines:
        first, _, last = line.name.rpartition(", ")
        if len(lines) <= COLOURS or not first:
            groups.setdefault("", []).append(line)
        else:
            groups.setdefault(last, []).append(replace(line, name=first))
    return groups


def _anchor(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())


def _series(rows: Sequence[PaperRow]) -> list[Series]:
    """Lines, where rows or columns are sizes."""
    over_columns = all(_size(row.column) is not None for row in rows)
    sized = rows if over_columns else [row for row in rows if _size(row.row) is not None]
    if not over_columns and len({row.row for row in sized}) < LEAST_POINTS + 1:
        return []
    found: dict[str, Series] = {}
    for row in sized:
        place, name = (row.column, row.row) if over_columns else (row.row, row.column)
        size = _size(place)
        series = found.setdefault(name, Series(name, [], []))
        for points, value in ((series.published, row.published), (series.ours, row.value)):
            if size is not None and value is not None and value > 0:
                points.append((size, value))
    return list(found.values())


def _size(name: str) -> float | None:
    return float(name) if name.isdigit() and int(name) > 0 else None


def _lines(name: str, title: str, lines: Sequence[Series]) -> str:
    points = [point for line in lines for point in (*line.published, *line.ours)]
    if len({x for x, _ in points}) < LEAST_POINTS:
        return ""
    x = Scale.of([x for x, _ in points], LEFT, WIDTH - RIGHT)
    y = Scale.of([y for _, y in points], HEIGHT - BOTTOM, TOP)
    marks = []
    for tick in x.ticks():
        marks.append(element("line", x1=x.at(tick), x2=x.at(tick), y1=TOP, y2=HEIGHT - BOTTOM, class_="grid"))
        marks.append(label(x.at(tick), HEIGHT - BOTTOM + 20, figure(tick), "tick", "middle"))
    for tick in y.ticks():
        marks.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y.at(tick), y2=y.at(tick), class_="grid"))
        marks.append(label(LEFT - 8, y.at(tick) + 4, figure(tick), "tick", "end"))
    for number, line in enumerate(lines):
        colour = f"series{number % COLOURS}"
        for class_, found in (("published", line.published), ("ours", line.ours)):
            placed = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in found)
            if placed:
                marks.append(element("polyline", points=placed, class_=f"{colour} {class_}"))
            marks += [
                _dot(x.at(a), y.at(b), f"{colour} {class_}", f"{line.name}, {class_}: {figure(b)}")
                for a, b in found
            ]
        top = TOP + 14 + number * 20
        marks.append(
            element(
                "rect", x=WIDTH - RIGHT + 16, y=top - 9, width=12, height=12, rx=3, class_=f"{colour} key"
            )
        )
        marks.append(label(WIDTH - RIGHT + 34, top + 2, line.name))
    marks.append(label(WIDTH - RIGHT, HEIGHT - 4, title, "strong", "end"))
    told = "; ".join(line.name for line in lines)
    height = max(HEIGHT, TOP + 20 * len(lines) + 10)
    return drawing(name, title, f"our numbers and the paper's: {told}", height, WIDTH, *marks)


def _dots(name: str, title: str, rows: Sequence[PaperRow]) -> str:
    """A line for each number that is positive, with a dot for the paper's and one for ours."""
    shown = [row for row in rows if (row.published or 0) > 0 or (row.value or 0) > 0]
    values = [
        value for row in shown for value in (row.published, row.value) if value is not None and value > 0
    ]
    if not values:
        return ""
    scale = Scale.of(values, DOTS_LEFT, WIDTH - DOTS_RIGHT)
    bottom = len(shown) * LINE + 6
    marks = []
    for tick in scale.ticks():
        place = scale.at(tick)
        marks.append(element("line", x1=place, x2=place, y1=0, y2=bottom, class_="grid"))
        marks.append(label(place, bottom + 18, figure(tick), "tick", "middle"))
    marks.append(label(0, bottom + 18, title, "strong"))
    for number, row in enumerate(shown):
        y = number * LINE + 12
        both = [value for value in (row.published, row.value) if value is not None and value > 0]
        marks.append(label(0, y + 4, f"{row.row}, {row.column}"))
        ends = [scale.at(value) for value in both]
        marks.append(element("line", x1=min(ends), x2=max(ends), y1=y, y2=y, class_="grid"))
        for class_, value in (("series1 published", row.published), ("series0 ours", row.value)):
            if value is not None and value > 0:
                marks.append(_dot(scale.at(value), y, class_, f"{row.name}: {figure(value)} {row.unit}"))
    return drawing(name, title, "our numbers and the paper's, by row", bottom + 26, WIDTH, *marks)


def _dot(x: float, y: float, class_: str, tip: str) -> str:
    return element("circle", element("title", text(tip)), cx=x, cy=y, r=4, class_=class_)
