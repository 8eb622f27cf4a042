"""VIFF: asynchronous computation among several parties.

Geisler, "Cryptographic protocols: theory and implementation", 2010, section 3.8.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.bench.published.tables import FIGURE_ONLY, Table

PAPER = "VIFF"

MACHINE = "Xeon 3.06 GHz in Denmark, Pentium 4 2.60 GHz in Norway, Opteron 2.20 GHz in the USA, TLS, Python"

PARALLEL_S = 1.3e-3
SERIAL_S = 0.187
SERIAL_TOTAL_S = 0.185
COMPARED_S = 0.8
"""The times that the paper's text states for the figures, each of many."""

PARALLEL = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
SERIAL = (1, 10, 25, 50, 100, 200, 1000)
COMPARED = (1, 3, 10, 30, 100, 300, 1000)

COUNTRIES = "three countries"

EACH = "each of many"


def _figure(name: str, title: str, counts: Sequence[int], each: float, of_all: bool) -> Table:
    """Points that stand in the figure only, and the number of the text."""
    rows: dict[str, tuple[float | None, ...]] = {str(count): (None,) for count in counts}
    return Table(
        PAPER,
        name,
        title + (", in all" if of_all else ", for each"),
        MACHINE,
        {COUNTRIES: "s"},
        {**rows, EACH: (each,)},
        {EACH: "by the text"},
        FIGURE_ONLY,
    )


FIGURES = (
    _figure("Figure 3.4", "products at once", PARALLEL, PARALLEL_S, True),
    _figure("Figure 3.5", "products in a chain", SERIAL, SERIAL_TOTAL_S, True),
    _figure("Figure 3.6", "products at once", PARALLEL, PARALLEL_S, False),
    _figure("Figure 3.7", "products in a chain", SERIAL, SERIAL_S, False),
    _figure("Figure 3.8", "comparisons of 32 bits at once", COMPARED, COMPARED_S, False),
)

TABLES = FIGURES
