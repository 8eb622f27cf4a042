"""Operations a second of any number of parties, all in one process, over TLS on loopback."""

from __future__ import annotations

from tacit.bench.programs import cargo_example
from tacit.bench.rows import Bar, Row

CASES = {3: (200, 100_000), 5: (60, 40_000), 9: (20, 20_000), 12: (10, 10_000), 24: (4, 4000), 48: (2, 0)}
"""By the number of parties, vectors of 100,000 products, and comparisons."""

MANY = 64
"""Parties of the largest session."""

PRODUCTS = {3: 25e6, 5: 5e6, 9: 1.5e6, 12: 900e3, 24: 250e3, 48: 60e3}
COMPARISONS = {3: 480e3, 5: 80e3, 9: 20e3, 12: 10e3, 24: 2500}

BARS = [
    *(Bar(f"products of vectors among {n}", least=least) for n, least in PRODUCTS.items()),
    *(Bar(f"comparisons of 32 bits among {n}", least=least) for n, least in COMPARISONS.items()),
    *(Bar(f"elements a party sends for a product among {n}", most=4.1) for n in PRODUCTS if n >= 5),
    Bar("time of products that are verified against others among 3", most=2.5),
    Bar(f"meeting, a thousand products and their opening among {MANY}", most=15),
    Bar(f"memory of a party among {MANY}", most=60e6),
]


def measure() -> list[Row]:
    """The rows of each number of parties, and of a session of many."""
    rows: list[Row] = []
    # Memory is that of the process, so each case has one of its own.
    for parties, (vectors, compared) in [*CASES.items(), (MANY, (0, 0))]:
        rows += cargo_example("nparty", "many_parties", str(parties), str(vectors), str(compared))
    return rows
