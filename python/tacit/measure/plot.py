"""Plots of figures over a parameter: the median of repeated runs in the band of its quartiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacit import UsageError
from tacit.measure.costs import Chosen, cost_of
from tacit.measure.quartiles import Quartiles
from tacit.measure.records import Parameter, Record, Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf", ".svg")

_COLORS = ("#2a6fc9", "#d9591b", "#0f8a6a", "#6a4bc4", "#b8860b", "#c2317f", "#5c5a54", "#1097b5")
_MARKERS = "osD^vP*X"
_DASHES = ("-", "--", "-.", ":")
_UNITS = {"s": "seconds", "B": "bytes", "": "number"}

X = float | str


@dataclass(frozen=True)
class Line:
    """One line of a plot."""

    figure: str
    label: str
    unit: str
    points: list[tuple[X, Quartiles]]


@dataclass(frozen=True)
class Style:
    """How a plot looks, apart from its data."""

    log_x: bool = False
    log_y: bool = False
    title: str | None = None
    y_label: str | None = None
    """What stands beside the figures, where it is not their name and unit."""
    has_legend: bool = True


def lines_of(records: Records, x: str, y: Sequence[str]) -> list[Line]:
    """A line for every figure, and for every group of runs that differ in more than `x` and repetition."""
    if not records:
        raise UsageError("there are no runs to plot")
    chosen = [cost_of(name) for name in y]
    shared = Counter(cost.cost.unit for cost in chosen)
    varying = _varying(records, x)
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(_group(record, varying), []).append(record)
    return [
        Line(
            cost.label,
            _label(cost, group, shared[cost.cost.unit] > 1),
            cost.cost.unit,
            _points(members, x, cost),
        )
        for cost in chosen
        for group, members in groups.items()
    ]


def write_plot(lines: Sequence[Line], x: str, path: Path, style: Style) -> None:
    """Draws the lines into a file, whose ending says its form. A panel for each unit.

    Errors: `UsageError` where the ending is unknown, the file cannot be written, or matplotlib is missing.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: plots end in {', '.join(FORMATS)}")
    figure = _figure(lines, x, style)
    # The same data gives the same file.
    metadata = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(path.suffix.lower())
    try:
        figure.savefig(path, dpi=160, metadata=metadata)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _figure(lines: Sequence[Line], x: str, style: Style) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("plots need matplotlib: pip install 'tacit[plot]'") from None
    units = list(dict.fromkeys(line.unit for line in lines))
    figure = Figure(figsize=(7.2, 0.8 + 3.6 * len(units)), layout="constrained")
    panels = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for panel, unit in zip(panels, units, strict=True):
        _panel(panel, [line for line in lines if line.unit == unit], unit, style)
    panels[-1].set_xlabel(x)
    if style.title:
        figure.suptitle(style.title)
    return figure


def _panel(axes: Axes, lines: Sequence[Line], unit: str, style: Style) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator

    for number, line in enumerate(lines):
        _draw(axes, line, number)
    numeric = all(isinstance(value, (int, float)) for line in lines for value, _ in line.points)
    if style.log_x and numeric:
        axes.set_xscale("log")
    elif all(isinstance(value, int) for line in lines for value, _ in line.points):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if style.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    figures = dict.fromkeys(line.figure for line in lines)
    named = _axis(next(iter(figures)), unit) if len(figures) == 1 else _UNITS[unit]
    axes.set_ylabel(style.y_label or named)
    axes.yaxis.set_major_formatter(EngFormatter(unit=unit))
    axes.grid(True, color="#e3e1db", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if len(lines) > 1 and style.has_legend:
        axes.legend(frameon=False)


def _axis(figure: str, unit: str) -> str:
    return f"{figure} ({unit})" if unit else figure


def _draw(axes: Axes, line: Line, number: int) -> None:
    """The median as a line, and its quartiles as a band around it."""
    xs = [value for value, _ in line.points]
    found = [quartiles for _, quartiles in line.points]
    color = _COLORS[number % len(_COLORS)]
    # Matplotlib takes texts for categories; its types say only numbers.
    places: list[float] = xs  # type: ignore[assignment]
    axes.plot(
        places,
        [each.median for each in found],
        color=color,
        marker=_MARKERS[(number + number // len(_COLORS)) % len(_MARKERS)],
        markersize=5,
        linewidth=1.8,
        linestyle=_DASHES[number % len(_DASHES)],
        label=line.label,
    )
    low, high = [each.low for each in found], [each.high for each in found]
    if len(found) > 1:
        axes.fill_between(places, low, high, color=color, alpha=0.18, linewidth=0)
    else:
        axes.vlines(places, low, high, color=color, alpha=0.4, linewidth=4)


def _x(record: Record, name: str) -> Parameter | None:
    """A parameter, else `net`, `mode` or `program`, else a figure."""
    if name in record.params:
        return record.params[name]
    if name in ("net", "mode", "program"):
        return str(record.fields.get(name) or "none")
    return cost_of(name).at(record)


def _points(records: Sequence[Record], x: str, cost: Chosen) -> list[tuple[X, Quartiles]]:
    values: dict[X, list[float]] = {}
    for record in records:
        place, value = _place(record, x), cost.at(record)
        if value is None:
            raise UsageError(f"a run of {record.program} does not have the figure {cost.name}")
        values.setdefault(place, []).append(value)
    numeric = all(isinstance(place, (int, float)) for place in values)
    order = sorted(values, key=float) if numeric else list(values)
    return [(place if numeric else str(place), Quartiles.of(values[place])) for place in order]


def _place(record: Record, x: str) -> X:
    try:
        found = _x(record, x)
    except UsageError:
        found = None
    if found is None:
        known = ", ".join([*record.params, "net", "mode", "program"])
        raise UsageError(f"--x {x}: a run of {record.program} has no {x}; it has {known}, and its figures")
    return str(found) if isinstance(found, bool) else found


def _varying(records: Records, x: str) -> list[str]:
    """What else the runs differ in."""
    names = ["program", "net", "mode", *records.params]
    return [name for name in names if name != x and len({_text(record, name) for record in records}) > 1]


def _text(record: Record, name: str) -> str:
    found = record.params.get(name) if name in record.params else record.fields.get(name)
    return "none" if found is None else str(found)


def _group(record: Record, varying: Sequence[str]) -> str:
    return ", ".join(
        _text(record, name) if name in ("program", "net", "mode") else f"{name} = {_text(record, name)}"
        for name in varying
    )


def _label(cost: Chosen, group: str, several: bool) -> str:
    if not group:
        return cost.label
    return f"{cost.label}, {group}" if several else group
