"""VIFF's figures, among three processes over TLS, on links as long as those between its countries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tacit.bench import viff
from tacit.bench.papers.rows import Found, Ours, Paper, Step
from tacit.bench.published import viff as published
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row

FULL = {"parallel": published.PARALLEL, "serial": published.SERIAL, "compared": published.COMPARED}

QUICK = {
    "parallel": published.PARALLEL,
    "serial": [count for count in published.SERIAL if count <= 50],
    "compared": published.COMPARED,
}

SHOWN = {figure: (kind, each) for figure, (kind, each, _, _) in viff.FIGURES.items()}
"""The measurement of each figure, and whether it is for each of many."""


def steps(quick: bool) -> Iterator[Step]:
    """Products and comparisons among three parties."""
    yield Step("products and comparisons among three", partial(_measure, QUICK if quick else FULL))


def _measure(counts: viff.Counts) -> Iterator[Row]:
    for network, parties in viff.measured(counts, [published.COUNTRIES]).items():
        for kind in counts:
            for place, (count, _) in enumerate(parties[0][kind]):
                yield Row(_row(kind, count, network), max(party[kind][place][1] for party in parties), "s")


def _row(kind: str, count: int, network: str) -> str:
    return f"{kind}, {count}, {network}"


def ours(table: Table, cell: Cell, found: Found) -> Ours:
    """Our number for a cell. What the text says of many is compared with the most that were measured."""
    kind, each = SHOWN[table.name.removeprefix("Figure ")]
    done = [count for count in FULL[kind] if _row(kind, count, cell.column) in found]
    if not done:
        return found.measured(_row(kind, FULL[kind][0], cell.column))
    if cell.row == published.EACH:
        most = done[-1]
        return found.measured(_row(kind, most, cell.column), factor=1 / most, note=f"of {most}, for each")
    count = int(cell.row)
    if count in done:
        return found.measured(_row(kind, count, cell.column), factor=1 / count if each else 1)
    row, note = _row(kind, done[-1], cell.column), f"of {done[-1]}"
    if each:
        return found.shrunk(row, factor=1 / done[-1], note=f"{note}, for each")
    return found.shrunk(row, factor=count / done[-1], note=f"{note}, times {count / done[-1]:g}")


def promised(_table: Table, cell: Cell) -> bool:
    """Each of many takes at most what the text says."""
    return cell.value is not None


VIFF = Paper(published.PAPER, published.TABLES, steps, ours, promised)
