"""Rows as text: in a terminal, and as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from rich.console import Console
from rich.table import Table as RichTable

from tacit.bench.papers.report import PAPERS, Report
from tacit.bench.papers.rows import PaperRow, State
from tacit.bench.published.tables import Table

WIDTH = 140
"""Characters of a line where the output is no terminal."""

STATES = (
    "`measured`: at the size of the row. `shrunk`: at a smaller size, which the note says; scaled only "
    "if the note says how. `skipped`: not measured, for the reason in the note. The ratio is our number "
    "divided by the paper's."
)

MACHINES = (
    "The papers' machines are older, and most have one machine for each party; here all parties share one."
)

HOW = "see [benches](docs/benches.md#the-papers)"

HEADINGS = ("row", "column", "unit", "paper", "ours", "ratio", "state")


def figure(value: float | None) -> str:
    """A number with three digits, or whole."""
    if value is None:
        return "-"
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-3 else f"{value:.2e}"


class Notes:
    """Letters for what is said of rows, each text once."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letter(self, text: str) -> str:
        """The letter of a text; of none, nothing."""
        if not text:
            return ""
        if text not in self._letters:
            number = len(self._letters)
            more, last = divmod(number, len(ascii_lowercase))
            self._letters[text] = (ascii_lowercase[more - 1] if more else "") + ascii_lowercase[last]
        return self._letters[text]

    def said(self) -> Iterator[tuple[str, str]]:
        """Each letter and its text."""
        yield from ((letter, text) for text, letter in self._letters.items())


def cells(row: PaperRow, notes: Notes) -> list[str]:
    """The cells of a line of a table, with letters for notes."""
    published, state = notes.letter(row.published_note), notes.letter(row.note)
    return [
        row.row,
        row.column,
        row.unit,
        figure(row.published) + (f" ({published})" if published else ""),
        figure(row.value),
        "" if row.ratio is None else figure(row.ratio),
        row.state.value + (f" ({state})" if state else "") + (", above its bar" if row.ok is False else ""),
    ]


def title(table: Table) -> str:
    """The title of a table and its contents."""
    return f"{table.paper}, {table.name}: {table.title}"


def summary(report: Report) -> Iterator[tuple[str, ...]]:
    """For each paper its rows by state, and the median ratio of times."""
    for name in PAPERS:
        counts = [report.count(state, name) for state in State]
        if sum(counts):
            yield (name, *map(str, (sum(counts), *counts)), figure(report.speed(name)))


SUMMED = ("paper", "rows", *(state.value for state in State), "median of our times over the paper's")


def print_report(report: Report) -> None:
    """All tables, then the summary."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for table, rows in report.tables:
        _print(console, table, rows)
    shown = RichTable(*SUMMED)
    for line in summary(report):
        shown.add_row(*line)
    console.print(shown)


def _print(console: Console, table: Table, rows: Sequence[PaperRow]) -> None:
    notes = Notes()
    shown = RichTable(title=title(table), title_justify="left", title_style="bold")
    for heading in HEADINGS:
        shown.add_column(heading, justify="right" if heading in ("paper", "ours", "ratio") else "left")
    for row in rows:
        shown.add_row(*cells(row, notes))
    console.print(shown)
    for letter, text in notes.said():
        console.print(f"  {letter}: {text}", highlight=False, markup=False)


def markdown(report: Report) -> str:
    """The page BENCHMARKS.md."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# The papers' numbers, and ours"
    yield ""
    yield f"`tacit bench papers --markdown BENCHMARKS.md` writes this page ({HOW})."
    yield ""
    yield from _rows(("", ""), _facts(report))
    yield ""
    yield from _rows(SUMMED, summary(report))
    yield ""
    yield f"{STATES} {MACHINES}"
    paper = ""
    for table, rows in report.tables:
        if table.paper != paper:
            paper = table.paper
            yield from ("", f"## {paper}", "", f"The paper's machines: {table.machine}.")
        yield from ("", f"### {title(table)}", "")
        notes = Notes()
        yield from _rows(HEADINGS, (cells(row, notes) for row in rows))
        said = [f"{letter}: {text}" for letter, text in notes.said()]
        if said:
            yield from ("", "; ".join(said) + ".")


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield ("machine", f"{report.machine}, {report.cores} cores")
    yield ("revision", report.revision)
    yield ("date", report.date)
    mode = "quick, with small sizes (`--quick`)" if report.quick else "full"
    yield ("mode", f"{mode}; {report.seconds:.0f} s")


def _rows(headings: Sequence[str], lines: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|---" * len(headings) + "|"
    for line in lines:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |"
