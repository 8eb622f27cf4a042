"""All rows as one HTML page, complete in itself: no script, nothing to load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from tacit.bench.papers.charts import charts
from tacit.bench.papers.report import Report
from tacit.bench.papers.rows import PaperRow, State
from tacit.bench.papers.texts import HEADINGS, STATES, SUMMED, Notes, cells, summary, title
from tacit.bench.published.tables import Table
from tacit.measure.page import document
from tacit.measure.page.svg import element, text
from tacit.measure.page.tables import table

LONG = 12
"""Tables with at most this many lines are shown unfolded."""


def page_of(report: Report) -> str:
    """The page."""
    style = files(__package__).joinpath("page.css").read_text("utf-8")
    return document("The papers' numbers, and Tacit's", _body(report), style)


def _body(report: Report) -> str:
    facts = [
        f"{report.machine}, {report.cores} cores",
        f"revision {report.revision}",
        report.date,
        "quick mode, with small sizes" if report.quick else "full sizes",
    ]
    return element(
        "body",
        element(
            "header",
            element("p", "tacit bench papers", class_="eyebrow"),
            element("h1", "The papers' numbers, and ours"),
            element("p", text(" · ".join(facts)), class_="facts"),
        ),
        element("main", _tiles(report), _summary(report), *_sections(report)),
    )


def _tiles(report: Report) -> str:
    counts = [("rows", len(report.rows)), *((state.value, report.count(state)) for state in State)]
    if report.missed:
        counts.append(("above their bar", len(report.missed)))
    tiles = (element("div", element("dt", text(what)), element("dd", f"{count:,}")) for what, count in counts)
    return element("dl", *tiles, class_="tiles")


def _summary(report: Report) -> str:
    return element(
        "section",
        element("h2", "Papers"),
        table("Rows of each paper", SUMMED, summary(report)),
        element("p", text(STATES.replace("`", "")), class_="note"),
    )


def _sections(report: Report) -> Iterator[str]:
    for paper, rows in report.tables:
        yield element(
            "section",
            element("h2", text(title(paper))),
            element("p", text(f"The paper's machines: {paper.machine}."), class_="note"),
            *_drawings(paper, rows),
            _table(rows),
        )


def _drawings(paper: Table, rows: Sequence[PaperRow]) -> list[str]:
    made = charts(f"{paper.paper}, {paper.name}", rows)
    if not made:
        return []
    keys = (
        element("li", element("span", class_=f"key {class_}", aria_hidden="true"), what)
        for class_, what in (("published", "the paper's"), ("ours", "ours"))
    )
    return [element("ul", *keys, class_="legend"), *made]


def _table(rows: Sequence[PaperRow]) -> str:
    notes = Notes()
    lines = [cells(row, notes) for row in rows]
    written = table("The ratio is ours as a part of the paper's.", HEADINGS, lines)
    said = (element("p", text(f"{letter}: {what}"), class_="note") for letter, what in notes.said())
    content = element("div", written, *said)
    if len(lines) <= LONG:
        return content
    return element("details", element("summary", f"Show all {len(lines)} rows"), content)
