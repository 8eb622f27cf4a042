"""Triples of words under encryption, beside ABY's tables II and VII.

Source: Demmler, Schneider and Zohner, "ABY", NDSS'15, section V-C and appendix A. Its times are those of two
threads on each of two machines; ours are core-seconds of both parties, and held to the paper's local times as
if those were of one core.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.bench.programs import cargo_example
from tacit.bench.published import aby
from tacit.bench.rows import Bar, Row, Sheet

LEVELS, WIDTHS = aby.LEVELS, aby.WIDTHS

SCHEMES = ("Paillier", "DGK")


def _of_triples(what: str) -> dict[str, dict[str, tuple[float, ...]]]:
    """Table II by scheme and level, for each width."""
    return {
        scheme: {
            level: tuple(aby.TABLE_2.value(f"{scheme}, {level}", f"{bits} bits, {what}") for bits in WIDTHS)
            for level in LEVELS
        }
        for scheme in SCHEMES
    }


LOCAL_US = _of_triples(aby.LOCAL)
"""Table II: the time of a triple in the local setting, by scheme, level and width."""

BYTES = _of_triples(aby.BYTES)
"""Table II: the bytes of a triple."""

KEYS = {scheme: {level: aby.TABLE_7.row(f"{scheme}, {level}")[:3] for level in LEVELS} for scheme in SCHEMES}
"""Table VII, local, 64 bits: bytes, milliseconds of initialisation, and of the key, which is made once."""


def measure() -> list[Row]:
    """The rows of all schemes, levels and widths."""
    return cargo_example("twoparty", "bench_triples")


def _triple(scheme: str, level: str, bits: int) -> str:
    return f"triples, {scheme}, {level}, {bits} bits"


def key_row(scheme: str, level: str) -> str:
    """The prefix of the rows of a key.

    One key of Paillier serves all widths; a DGK key has plaintexts of twice the width and one bit.
    """
    return f"triples, {scheme}, {level}" + (", 64 bits" if scheme == "DGK" else "")


BARS = [
    Bar(f"{_triple(scheme, level, bits)}: core-seconds a triple", most=us / 1e6, optional=scheme == "DGK")
    for scheme, levels in LOCAL_US.items()
    for level, times in levels.items()
    for bits, us in zip(WIDTHS, times, strict=True)
]
"""A key of DGK with 1024 bits has no room for words of 64 bits, so that row is missing."""


def sheets(rows: Sequence[Row]) -> list[Sheet]:
    """Both tables, each number as `ours | paper's`."""
    found = {row.name: row.value for row in rows}
    return [_table_2(found), _table_7(found)]


def _table_2(found: dict[str, float]) -> Sheet:
    lines = []
    for scheme, levels in LOCAL_US.items():
        for level, times in levels.items():
            names = [_triple(scheme, level, bits) for bits in WIDTHS]
            traffic = [
                _beside(found.get(f"{name}: bytes a triple"), paper)
                for name, paper in zip(names, BYTES[scheme][level], strict=True)
            ]
            spent = [
                _beside(found.get(f"{name}: core-seconds a triple"), paper, 1e6)
                for name, paper in zip(names, times, strict=True)
            ]
            lines.append([f"{scheme}, {level}", *traffic, *spent])
    heads = [*(f"bytes, {bits} bits" for bits in WIDTHS), *(f"core-µs, {bits} bits" for bits in WIDTHS)]
    return Sheet("Table II: a triple under encryption, ours | paper's (local)", ["", *heads], lines)


def _table_7(found: dict[str, float]) -> Sheet:
    lines = []
    for scheme, levels in KEYS.items():
        for level, (traffic, start, key) in levels.items():
            name = key_row(scheme, level)
            lines.append(
                [
                    f"{scheme}, {level}",
                    _beside(found.get(f"{name}: bytes of the key"), traffic),
                    _beside(found.get(f"{name}: tables, two triples included"), start, 1e3),
                    _beside(found.get(f"{name}: key generation"), key, 1e3),
                ]
            )
    heads = ["", "bytes", "initialisation, ms", "key, ms"]
    return Sheet("Table VII: initialisation, ours | paper's (local)", heads, lines)


def _beside(ours: float | None, paper: float, scale: float = 1) -> str:
    return f"{'-' if ours is None else f'{ours * scale:,.0f}'} | {paper:,}"
