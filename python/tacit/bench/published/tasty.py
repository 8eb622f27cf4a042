"""TASTY: tool for automating secure two-party computations.

Henecka, Kögl, Sadeghi, Schneider, Wehrenberg, CCS'10, full version.
"""

from __future__ import annotations

from tacit.bench.published.tables import FIGURE_ONLY, Table, units, without_values

PAPER = "TASTY"

MACHINE = "two Intel Core 2 Duo E6850 at 3.00 GHz, 4 GB, gigabit Ethernet, Python 2.6"

INTERSECTION = ("10", "100", "1000")

TABLE_2 = Table(
    PAPER,
    "Table 2",
    "set intersection, elements of either set, keys of 1248 bits",
    MACHINE,
    {"C setup": "s", "S setup": "s", "C online": "s", "S online": "s", "total sent": "B"},
    {
        "10": (0.153, 0.194, 0.357, 0.216, 19.6e3),
        "100": (0.969, 1.6, 7.2, 6.2, 186e3),
        "1000": (9.3, 15.8, 489, 478, 1.86e6),
    },
)

FACES = {"setup": "s", "online": "s", "setup bytes": "B", "online bytes": "B"}

TABLE_3 = Table(
    PAPER,
    "Table 3",
    "face recognition, faces in the database, keys of 1248 bits",
    MACHINE,
    FACES,
    {
        "[15], 320": (22, 18, None, 7.3e6),
        "[50], 320": (None, 8.4, None, 2.8e6),
        "TASTY, 320": (38.1, 41.5, 3.3e6, 5.9e6),
        "[50], 1000": (None, 13, None, 3.5e6),
        "TASTY, 1000": (83.4, 56.2, 10.2e6, 6.8e6),
    },
)

FIGURE_3 = Table(
    PAPER,
    "Figure 3",
    "face recognition: time",
    MACHINE,
    {"setup": "s", "online": "s"},
    {name: values[:2] for name, values in TABLE_3.rows.items()},
    {"": "drawn from Table 3"},
)

FIGURE_4 = Table(
    PAPER,
    "Figure 4",
    "face recognition: communication",
    MACHINE,
    {"setup bytes": "B", "online bytes": "B"},
    {name: values[2:] for name, values in TABLE_3.rows.items()},
    {"": "drawn from Table 3"},
)

TABLE_5 = Table(
    PAPER,
    "Table 5",
    "gates of a product that are no XOR, by the factors' bits",
    MACHINE,
    {"Textbook": "gates", "Karatsuba": "gates", "improvement": "%"},
    {
        "19": (703, 703, 0.0),
        "20": (780, 721, 7.6),
        "32": (2_016, 1_729, 14.2),
        "64": (8_128, 5_683, 30.1),
        "128": (32_640, 17_973, 44.9),
    },
)

PLOTTED_FACTORS = (8, 16, 24, 32, 48, 64, 96, 128)


def textbook(bits: int) -> int:
    """Gates of a product by the textbook, as the text says them."""
    return 2 * bits * bits - bits


def karatsuba(bits: int) -> float | None:
    """Gates of a product by Karatsuba's method by the text's approximation, which is for 20 bits and more."""
    return round(9.0165 * bits**1.585 - 13.375 * bits - 34) if bits >= 20 else None


FIGURE_8 = Table(
    PAPER,
    "Figure 8",
    "size of multiplication circuits, by the factors' bits",
    MACHINE,
    units("gates", "Textbook", "Karatsuba"),
    {str(bits): (textbook(bits), karatsuba(bits)) for bits in PLOTTED_FACTORS},
    {"": "by the formulas of the text"},
    "below 20 bits Karatsuba's method is the textbook's",
)

WAYS = ("HE1", "HE2", "GC1", "GC2")

MULTIPLIED_BITS = (8, 16, 32)

_POINTS = [f"{way}, {bits} bits" for way in WAYS for bits in MULTIPLIED_BITS]

CIPHERTEXT_BYTES = 444
"""Twice the 1776 bits of a key at the short level."""

FIGURE_9 = Table(
    PAPER,
    "Figure 9",
    "communication of four multiplications, keys of 1776 bits",
    MACHINE,
    units("B", "setup", "online"),
    {
        point: (None, {"HE1": 2 * CIPHERTEXT_BYTES, "HE2": 5 * CIPHERTEXT_BYTES}.get(point[:3]))
        for point in _POINTS
    },
    {
        "HE1": "by the text: 2 ciphertexts of 444 bytes; setup is in the figure only",
        "HE2": "by the text: 5 ciphertexts of 444 bytes; setup is in the figure only",
    },
    FIGURE_ONLY,
)

FIGURE_10 = Table(
    PAPER,
    "Figure 10",
    "time of four multiplications, keys of 1776 bits",
    MACHINE,
    units("s", "setup", "online"),
    without_values(_POINTS, ("setup", "online")),
    {},
    FIGURE_ONLY,
)

TABLE_6 = Table(
    PAPER,
    "Table 6",
    "AES by a circuit",
    MACHINE,
    {"setup": "s", "online": "s", "total": "s", "total sent": "B"},
    {
        "[37], ultra-short": (None, None, 4, 3760e3),
        "TASTY, ultra-short": (2.9, 0.4, 3.3, 567e3),
        "[48], long": (2, 5, 7, 503e3),
        "TASTY, long": (4.0, 0.5, 4.5, 860e3),
    },
)

TABLE_7 = Table(
    PAPER,
    "Table 7",
    "large circuits, by the binary logarithm of their gates",
    MACHINE,
    {
        "[37]": "s",
        "setup": "s",
        "online": "s",
        "[37], bytes": "B",
        "setup bytes": "B",
        "online bytes": "B",
    },
    {
        "10": (2, 0.8, 0.3, 0.155e6, 0.07e6, 0.003e6),
        "15": (4, 6, 1, 3.67e6, 1.7e6, 0.003e6),
        "18": (17, 44, 8, 28.8e6, 13.5e6, 0.003e6),
        "20": (80, 177, 32, 113e6, 54.2e6, 0.003e6),
        "21": (175, 368, 65, 226e6, 109e6, 0.003e6),
        "22": (None, 787, 132, None, 217e6, 0.003e6),
        "23": (None,) * 6,
    },
    {},
    "the paper's machine had too little memory",
)

MULTIPLIED_BY_APPENDIX = (8, 16, 32, 63, 80)

FIGURE_13 = Table(
    PAPER,
    "Figure 13",
    "time of the appendix's multiplication under encryption, by the factors' bits",
    MACHINE,
    units("s", "C online", "S online"),
    without_values([str(bits) for bits in MULTIPLIED_BY_APPENDIX], ("C online", "S online")),
    {},
    FIGURE_ONLY,
)

TABLES = (
    TABLE_2,
    TABLE_3,
    FIGURE_3,
    FIGURE_4,
    TABLE_5,
    FIGURE_8,
    FIGURE_9,
    FIGURE_10,
    TABLE_6,
    TABLE_7,
    FIGURE_13,
)
