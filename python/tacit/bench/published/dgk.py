"""Homomorphic encryption and secure comparison: the comparison of Damgård, Geisler and Krøigaard.

Geisler, "Cryptographic protocols: theory and implementation", 2010, section 2.5.3.
"""

from __future__ import annotations

from tacit.bench.published.tables import Table, units

PAPER = "DGK"

MACHINE = "machines with two Intel Xeon of 3 GHz and 1 GiB each, a fast LAN, Java 1.5"

COLUMNS = ("DGK16", "F16", "DGK32", "F32")
"""DGK's protocol and Fischlin's, for numbers of 16 and 32 bits."""

TABLE_2_1 = Table(
    PAPER,
    "Table 2.1",
    "one comparison, by the key's bits",
    MACHINE,
    units("ms", *COLUMNS),
    {
        "512": (82, 844, 193, 1743),
        "768": (168, 1563, 331, 3113),
        "1024": (280, 2535, 544, 5032),
        "1536": (564, 4978, 1134, 10135),
        "2048": (969, 8238, 1977, 16500),
    },
)

FIGURE_2_3 = Table(
    PAPER,
    "Figure 2.3",
    "one comparison, by the key's bits",
    MACHINE,
    TABLE_2_1.columns,
    TABLE_2_1.rows,
    {"": "drawn from Table 2.1"},
)

TABLES = (TABLE_2_1, FIGURE_2_3)
