"""ABY: a framework for efficient mixed-protocol secure two-party computation.

Demmler, Schneider, Zohner, NDSS'15. Long-term security, unless a row says otherwise.
"""

from __future__ import annotations

from tacit.bench.published.tables import Table

PAPER = "ABY"

MACHINE = (
    "local: two Intel Core i7 of 3.5 GHz, 16 GB, gigabit LAN; cloud: two EC2 c3.large, 70 Mbit/s, 170 ms"
)

BITS = 32
KAPPA = 128

_SHARED = (0, BITS, 1)
_TO_ARITHMETIC = (6 * BITS, BITS * KAPPA + (BITS * BITS + BITS) // 2, 2)
_TO_YAO = (6 * BITS, 2 * BITS * KAPPA, 2)
_FROM_ARITHMETIC = (12 * BITS, 6 * BITS * KAPPA, 2)

TABLE_1 = Table(
    PAPER,
    "Table I",
    "sharing, opening and converting a word of 32 bits",
    MACHINE,
    {"symmetric operations": "operations", "communication": "bits", "messages": "messages"},
    {
        "Y2B": (0, 0, 0),
        "share A": _SHARED,
        "share B": _SHARED,
        "open A": _SHARED,
        "open B": _SHARED,
        "share Y, garbler": (BITS, BITS * KAPPA, 1),
        "B2A": _TO_ARITHMETIC,
        "Y2A": _TO_ARITHMETIC,
        "B2Y": _TO_YAO,
        "share Y, evaluator": _TO_YAO,
        "A2Y": _FROM_ARITHMETIC,
        "A2B": _FROM_ARITHMETIC,
    },
    {"": "the paper's formula for words of 32 bits and keys of 128"},
)

LEVELS = ("legacy", "medium", "long")
WIDTHS = (8, 16, 32, 64)
BYTES, LOCAL, CLOUD = "bytes", "local", "cloud"

TABLE_2 = Table(
    PAPER,
    "Table II",
    "a multiplication triple, of 100 000, by two threads",
    MACHINE,
    {
        f"{bits} bits, {what}": unit
        for what, unit in ((BYTES, "B"), (LOCAL, "µs"), (CLOUD, "µs"))
        for bits in WIDTHS
    },
    {
        "Paillier, legacy": (528, 531, 541, 555, 245, 246, 278, 328, 842, 867, 990, 1139),
        "Paillier, medium": (1039, 1043, 1051, 1067, 1430, 1475, 1572, 1748, 4485, 4654, 5198, 5669),
        "Paillier, long": (1551, 1555, 1563, 1579, 4309, 4374, 4565, 4957, 12990, 13080, 13805, 14614),
        "DGK, legacy": (384, 384, 384, 384, 94, 104, 151, 322, 449, 464, 572, 1134),
        "DGK, medium": (768, 768, 768, 768, 259, 313, 465, 1020, 971, 1128, 1651, 3107),
        "DGK, long": (1152, 1152, 1152, 1152, 534, 629, 929, 2005, 1894, 2118, 3049, 6319),
        "OT, legacy": (169, 354, 772, 1800, 3, 4, 8, 20, 39, 62, 86, 170),
        "OT, medium": (233, 482, 1028, 2312, 3, 6, 10, 24, 44, 77, 107, 219),
        "OT, long": (265, 546, 1156, 2568, 3, 6, 11, 27, 46, 82, 110, 224),
    },
)

TABLE_3 = Table(
    PAPER,
    "Table III",
    "size and rounds of operations on words of 32 bits",
    MACHINE,
    {
        f"{name} {what}": unit
        for name in ("MUL", "CMP", "MUX")
        for what, unit in (("size", ""), ("rounds", "rounds"))
    },
    {
        "Arithmetic": (BITS, 1, None, None, None, None),
        "Boolean": (2 * BITS * BITS, BITS, 3 * BITS, 5, 1, 1),
        "Yao": (2 * BITS * BITS, 0, BITS, 0, BITS, 0),
    },
    {"": "the paper's asymptotic formula at 32 bits"},
    "ABY does not implement it",
)

FIGURE_2 = Table(
    PAPER,
    "Figure 2",
    "setup of one operation of 1000 on words of 32 bits",
    MACHINE,
    {LOCAL: "µs", CLOUD: "µs", BYTES: "B"},
    {
        "A ADD": (0, 0, 0),
        "A MUL": (17, 1712, 1152),
        "B ADD": (118, 1889, 7424),
        "B MUL": (622, 5209, 64512),
        "B XOR": (0, 0, 0),
        "B AND": (11, 1071, 1024),
        "B CMP": (39, 1293, 2848),
        "B EQ": (14, 1074, 992),
        "B MUX": (1, 295, 32),
        "Y ADD": (40, 2313, 1536),
        "Y MUL": (1003, 11402, 96768),
        "Y XOR": (18, 1148, 0),
        "Y AND": (38, 2309, 1536),
        "Y CMP": (38, 2296, 1536),
        "Y EQ": (38, 2305, 1488),
        "Y MUX": (39, 2292, 1536),
        "A2Y": (39, 2289, 2048),
        "B2A": (14, 722, 512),
        "B2Y": (13, 816, 512),
        "Y2B": (6, 7, 0),
    },
)

LOCAL_SEQUENCE, LOCAL_AT_ONCE = "local, in sequence", "local, at once"
CLOUD_SEQUENCE, CLOUD_AT_ONCE = "cloud, in sequence", "cloud, at once"

FIGURE_3 = Table(
    PAPER,
    "Figure 3",
    "one operation online, of 1000, on words of 32 bits",
    MACHINE,
    {LOCAL_SEQUENCE: "µs", LOCAL_AT_ONCE: "µs", CLOUD_SEQUENCE: "µs", CLOUD_AT_ONCE: "µs", BYTES: "B"},
    {
        "A ADD": (1, 1, 0, 0, 0),
        "A MUL": (138, 2, 237_411, 209, 4),
        "B ADD": (1879, 5, 2_469_216, 2346, 116),
        "B MUL": (9703, 15, 6_740_331, 6575, 1008),
        "B XOR": (3, 1, 5, 1, 0),
        "B AND": (136, 2, 192_133, 231, 16),
        "B CMP": (717, 4, 1_078_922, 1076, 45),
        "B EQ": (614, 3, 1_128_954, 1087, 16),
        "B MUX": (120, 1, 224_880, 216, 8),
        "Y ADD": (28, 7, 41, 10, 0),
        "Y MUL": (970, 143, 1280, 165, 0),
        "Y XOR": (5, 2, 7, 3, 0),
        "Y AND": (11, 5, 16, 7, 0),
        "Y CMP": (27, 7, 32, 9, 0),
        "Y EQ": (19, 7, 28, 7, 0),
        "Y MUX": (20, 7, 25, 7, 0),
        "A2Y": (27, 8, 434_588, 466, 1028),
        "B2A": (14, 5, 419_120, 484, 66),
        "B2Y": (7, 5, 478_959, 479, 516),
        "Y2B": (4, 2, 8, 2, 0),
    },
)

RUN = {
    "local setup": "s",
    "local online": "s",
    "local total": "s",
    "cloud setup": "s",
    "cloud online": "s",
    "cloud total": "s",
    "communication": "MB",
    "messages": "messages",
}

TABLE_4 = Table(
    PAPER,
    "Table IV",
    "modular exponentiation, 32 bits",
    MACHINE,
    RUN,
    {
        "Y-only": (0.9, 0.4, 1.3, 5.8, 0.9, 6.7, 27.1, 2),
        "A+B+Y": (0.6, 0.3, 0.9, 5.6, 29.5, 35.1, 18.7, 353),
    },
)

TABLE_5 = Table(
    PAPER,
    "Table V",
    "private set intersection, 4096 elements of 32 bits",
    MACHINE,
    RUN,
    {
        "Y-only": (3.5, 0.7, 4.3, 32.2, 1.8, 34.0, 247, 2),
        "B-only": (2.0, 0.6, 2.6, 11.5, 22.6, 34.1, 163, 123),
        "B+Y": (2.6, 0.7, 3.3, 23.4, 7.1, 30.0, 182, 27),
    },
)

TABLE_6 = Table(
    PAPER,
    "Table VI",
    "biometric matching, 512 x 4 words of 32 bits",
    MACHINE,
    RUN,
    {
        "Y-only": (2.24, 0.31, 2.55, 23.78, 0.84, 24.62, 147.7, 2),
        "B-only": (2.15, 0.28, 2.43, 10.34, 29.07, 39.41, 99.9, 129),
        "A+Y": (0.14, 0.05, 0.19, 2.98, 0.44, 3.42, 5.0, 8),
        "A+B": (0.08, 0.13, 0.21, 2.34, 24.07, 26.41, 4.6, 101),
    },
)

TABLE_7 = Table(
    PAPER,
    "Table VII",
    "initialisation for triples of 64 bits; keys are made once",
    MACHINE,
    {
        "communication": "B",
        "local": "ms",
        "local, key": "ms",
        "cloud": "ms",
        "cloud, key": "ms",
    },
    {
        "Paillier, legacy": (384, 34, 22, 346, 32),
        "Paillier, medium": (768, 114, 192, 357, 296),
        "Paillier, long": (1152, 581, 788, 754, 1258),
        "DGK, legacy": (392, 42, 232, 287, 284),
        "DGK, medium": (776, 12, 10868, 217, 16066),
        "DGK, long": (1160, 22, 104432, 288, 130173),
        "OT, legacy": (10496, 12, None, 412, None),
        "OT, medium": (29184, 62, None, 657, None),
        "OT, long": (49920, 164, None, 989, None),
    },
    {},
    "transfers have no key",
)

TABLES = (TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TABLE_6, TABLE_7, FIGURE_2, FIGURE_3)
