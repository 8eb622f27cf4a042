"""Linear-complexity private function evaluation is practical.

Holz, Kiss, Rathee, Schneider, ESORICS'20, appendix B. Its MB are MiB.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.bench.published.tables import Table, units

PAPER = "PFE"

MACHINE = "two Intel Core i9-7960X of 32 threads, 128 GB; LAN 10 Gbit/s and 1 ms, WAN 100 Mbit/s and 100 ms"

SIZES = tuple(10**exponent for exponent in range(2, 7))

PHASES = ("setupN", "setupf", "onlinex", "total")

PROTOCOLS = ("UC [Alh+20]", "UC [Liu+20]", "DJN", "BFV", "EC ElGamal")

_Row = tuple[float, float, float, float, float]


def _same(value: float) -> _Row:
    return (value,) * 5


def _table(name: str, title: str, unit: str, phases: Mapping[str, tuple[_Row, ...]]) -> Table:
    """Rows are `PROTOCOL, PHASE`, columns the inputs and gates of the function."""
    return Table(
        PAPER,
        name,
        title,
        MACHINE,
        units(unit, *map(str, SIZES)),
        {
            f"{protocol}, {phase}": row
            for phase, rows in phases.items()
            for protocol, row in zip(PROTOCOLS, rows, strict=True)
        },
    )


TABLE_1 = _table(
    "Table 1",
    "communication of private functions of N inputs and gates",
    "MiB",
    {
        "setupN": (
            (0.06, 1.01, 14.58, 192.18, 2379.89),
            (0.04, 0.67, 9.72, 128.12, 1586.59),
            (0.14, 0.80, 7.39, 73.39, 733.42),
            (1.08, 5.82, 53.44, 529.88, 5295.20),
            (0.01, 0.07, 0.64, 6.30, 62.95),
        ),
        "setupf": (
            (0.03, 0.50, 7.21, 95.33, 1182.32),
            (0.02, 0.33, 4.81, 63.55, 788.21),
            (0.20, 1.58, 15.49, 154.69, 1546.86),
            (0.14, 1.08, 10.58, 105.67, 1056.67),
            (0.03, 0.28, 2.71, 27.08, 270.84),
        ),
        "onlinex": (_same(1.5e-5), _same(1.0e-5), _same(1.5e-3), _same(1.5e-3), _same(3.0e-3)),
        "total": (
            (0.09, 1.51, 21.79, 287.51, 3562.21),
            (0.06, 1.01, 14.53, 191.67, 2374.81),
            (0.34, 2.39, 22.89, 228.08, 2280.29),
            (1.22, 6.91, 64.02, 635.55, 6351.88),
            (0.05, 0.35, 3.35, 33.39, 333.80),
        ),
    },
)

TABLE_2 = _table(
    "Table 2",
    "time of private functions of N inputs and gates, LAN",
    "s",
    {
        "setupN": (
            (0.006, 0.041, 0.253, 3.267, 41.084),
            (0.004, 0.027, 0.169, 2.178, 27.389),
            (0.237, 1.086, 9.868, 95.587, 958.076),
            (0.061, 0.205, 0.953, 7.711, 75.603),
            (0.008, 0.024, 0.112, 0.928, 9.185),
        ),
        "setupf": (
            (0.001, 0.005, 0.053, 0.705, 7.462),
            (0.000, 0.003, 0.036, 0.470, 4.975),
            (0.315, 2.330, 22.240, 221.104, 2209.473),
            (0.042, 0.107, 0.436, 3.383, 31.773),
            (0.006, 0.036, 0.167, 1.012, 8.942),
        ),
        "onlinex": (
            (0.002, 0.016, 0.164, 2.098, 28.578),
            (0.001, 0.011, 0.109, 1.399, 19.052),
            (0.005, 0.008, 0.033, 0.223, 1.510),
            (0.003, 0.007, 0.026, 0.135, 1.148),
            (0.004, 0.015, 0.082, 0.645, 6.266),
        ),
        "total": (
            (0.010, 0.066, 0.501, 6.358, 79.681),
            (0.007, 0.044, 0.334, 4.239, 53.121),
            (1.101, 4.092, 33.100, 317.506, 3169.486),
            (0.126, 0.338, 1.445, 11.404, 110.139),
            (0.021, 0.077, 0.363, 2.592, 24.412),
        ),
    },
)

TABLE_3 = _table(
    "Table 3",
    "time of private functions of N inputs and gates, WAN",
    "s",
    {
        "setupN": (
            (0.198, 0.517, 1.809, 18.292, 217.333),
            (0.132, 0.345, 1.206, 12.195, 144.888),
            (0.350, 1.124, 9.832, 96.024, 955.987),
            (0.388, 1.024, 5.945, 54.397, 536.059),
            (0.025, 0.114, 0.471, 1.634, 10.929),
        ),
        "setupf": (
            (0.009, 0.040, 0.644, 8.940, 111.698),
            (0.006, 0.026, 0.430, 5.960, 74.465),
            (0.730, 3.221, 24.693, 235.682, 2344.182),
            (0.442, 0.863, 2.410, 13.702, 124.933),
            (0.207, 0.514, 1.641, 4.522, 33.642),
        ),
        "onlinex": (
            (0.002, 0.020, 0.210, 2.100, 28.580),
            (0.001, 0.014, 0.140, 1.400, 19.054),
            (0.212, 0.216, 0.246, 0.454, 1.745),
            (0.213, 0.214, 0.233, 0.392, 1.426),
            (0.215, 0.228, 0.297, 0.881, 6.546),
        ),
        "total": (
            (0.412, 0.746, 2.803, 29.683, 360.276),
            (0.275, 0.498, 1.869, 19.789, 240.184),
            (2.165, 5.511, 35.404, 332.895, 3302.949),
            (1.259, 2.309, 8.774, 68.758, 664.105),
            (0.554, 0.967, 2.518, 7.149, 51.241),
        ),
    },
)


def _totals(name: str, title: str, links: Mapping[str, Table], less: str | None = None) -> Table:
    """A figure of totals, whose rows are `PROTOCOL, LINK`: the table's, less those of a phase."""

    def row(table: Table, protocol: str) -> tuple[float, ...]:
        totals = table.row(f"{protocol}, total")
        before = table.row(f"{protocol}, {less}") if less else (0.0,) * len(totals)
        return tuple(round(total - part, 3) for total, part in zip(totals, before, strict=True))

    first = next(iter(links.values()))
    rows = {
        f"{protocol}, {link}" if link else protocol: row(table, protocol)
        for link, table in links.items()
        for protocol in PROTOCOLS
    }
    drawn = " and ".join(table.name for table in links.values())
    said = f"drawn from {drawn}" + (f": total less {less}" if less else "")
    return Table(PAPER, name, title, MACHINE, first.columns, rows, {"": said})


FIGURE_3 = _totals("Figure 3", "communication in all", {"": TABLE_1})
FIGURE_4 = _totals("Figure 4", "time in all", {"LAN": TABLE_2, "WAN": TABLE_3})
FIGURE_5 = _totals("Figure 5", "time without setupN", {"LAN": TABLE_2, "WAN": TABLE_3}, "setupN")

TABLES = (TABLE_1, TABLE_2, TABLE_3, FIGURE_3, FIGURE_4, FIGURE_5)
