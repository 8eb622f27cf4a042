"""DGK's comparison beside Fischlin's. Both servers are in one process, so a time is the work of both."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tacit.bench import dgk
from tacit.bench.papers.rows import Found, Ours, Paper, Step
from tacit.bench.programs import cargo_example
from tacit.bench.published import dgk as published
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row

QUICK_MS = "150"
FULL_MS = "800"
"""How long each comparison is repeated."""

INSECURE = 2048
"""Keys of fewer bits are not secure."""


def steps(quick: bool) -> Iterator[Step]:
    """Single comparisons with every key, by both protocols."""
    duration = QUICK_MS if quick else FULL_MS
    yield Step("comparisons", partial(cargo_example, "compare", "bench_compare", duration))


def ours(_table: Table, cell: Cell, found: Found) -> Ours:
    """The fastest comparison, in milliseconds."""
    rows = [Row(name, value, "s") for name, value in found.values.items()]
    name = dgk.row_of(rows, cell.column, int(cell.row), "both")
    note = "the fastest" + (", insecure size" if int(cell.row) < INSECURE else "")
    return found.measured(name or f"{cell.column}, k = {cell.row}", factor=1e3, note=note)


DGK = Paper(published.PAPER, published.TABLES, steps, ours)
