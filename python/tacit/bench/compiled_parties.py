"""What compiled programs among three parties compute in a second, all in one process, over TLS."""

from __future__ import annotations

from tacit.bench.programs import cargo_example
from tacit.bench.rows import Bar, Row

PRODUCTS = 100_000
"""Products of 32 bits in a vector."""

BARS = [
    Bar("ANDs of compiled programs, vectors, among 3", least=200e6),
    Bar("bits a party sends for an AND, vectors, among 3", most=1.1),
]


def measure() -> list[Row]:
    """Rows of vectors of products, as circuits."""
    return cargo_example("nparty", "compiled_rates", str(PRODUCTS))
