"""The numbers of the ABY paper (NDSS'15) in its figures and tables, with long-term security, by name."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.bench.published import aby


@dataclass(frozen=True)
class Setup:
    """Setup of one operation, of 1000: microseconds on a local and on a cloud link, and bytes."""

    local: float
    cloud: float
    traffic: float


@dataclass(frozen=True)
class Online:
    """Online phase of one operation, of 1000 in sequence and at once: microseconds, and bytes."""

    local_sequence: float
    local_at_once: float
    cloud_sequence: float
    cloud_at_once: float
    traffic: float


FIGURE_2 = {name: Setup(*aby.FIGURE_2.row(name)) for name in aby.FIGURE_2.rows}

FIGURE_3 = {name: Online(*aby.FIGURE_3.row(name)) for name in aby.FIGURE_3.rows}


@dataclass(frozen=True)
class Conversion:
    """Table I for words of 32 bits and keys of 128: symmetric operations, bits, and messages online."""

    computation: float
    traffic_bits: float
    messages: float


TABLE_1 = {name: Conversion(*aby.TABLE_1.row(name)) for name in aby.TABLE_1.rows}


@dataclass(frozen=True)
class Triple:
    """The OT rows of Table II, of one product in setup: microseconds and bytes."""

    local: float
    cloud: float
    traffic: float


TABLE_2 = {
    bits: Triple(
        *(aby.TABLE_2.value("OT, long", f"{bits} bits, {what}") for what in (aby.LOCAL, aby.CLOUD, aby.BYTES))
    )
    for bits in aby.WIDTHS
}
"""By the bits of a word."""


@dataclass(frozen=True)
class Run:
    """A whole program: seconds on either link, megabytes, and messages online."""

    local_setup: float
    local_online: float
    local_total: float
    cloud_setup: float
    cloud_online: float
    cloud_total: float
    megabytes: float
    messages: float


TABLE_4, TABLE_5, TABLE_6 = (
    {name: Run(*table.row(name)) for name in table.rows} for table in (aby.TABLE_4, aby.TABLE_5, aby.TABLE_6)
)
