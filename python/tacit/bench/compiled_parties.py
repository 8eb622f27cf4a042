"""Operations a second of compiled programs among three parties, all in one process, over TLS."""

from __future__ import annotations

from tacit.bench.programs import cargo_example
from tacit.bench.rows import Bar, Row

PRODUCTS = 100_000
"""Products and comparisons in a vector."""

BARS = [
    Bar("ANDs of compiled programs, vectors, among 3", least=200e6),
    Bar("bits a party sends for an AND, vectors, among 3", most=1.1),
    Bar("products modulo 2^64 of compiled programs, among 3", least=60e6),
    Bar("bytes a party sends for a product modulo 2^64, among 3", most=8.1),
    Bar("32-bit comparisons of bits of compiled programs, among 3", least=1.5e6),
]


def measure() -> list[Row]:
    """Rows of vectors: products as circuits, products of words, comparisons."""
    return cargo_example("nparty", "compiled_rates", str(PRODUCTS))
