"""What the ABY paper (NDSS'15) reports in its figures and tables, with long-term security."""

from __future__ import annotations

from dataclasses import dataclass


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


FIGURE_2: dict[str, Setup] = {
    "A MUL": Setup(17, 1712, 1152),
    "B ADD": Setup(118, 1889, 7424),
    "B MUL": Setup(622, 5209, 64512),
    "B XOR": Setup(0, 0, 0),
    "B AND": Setup(11, 1071, 1024),
    "B CMP": Setup(39, 1293, 2848),
    "B EQ": Setup(14, 1074, 992),
    "B MUX": Setup(1, 295, 32),
    "Y ADD": Setup(40, 2313, 1536),
    "Y MUL": Setup(1003, 11402, 96768),
    "Y XOR": Setup(18, 1148, 0),
    "Y AND": Setup(38, 2309, 1536),
    "Y CMP": Setup(38, 2296, 1536),
    "Y EQ": Setup(38, 2305, 1488),
    "Y MUX": Setup(39, 2292, 1536),
    "A2Y": Setup(39, 2289, 2048),
    "B2A": Setup(14, 722, 512),
    "B2Y": Setup(13, 816, 512),
    "Y2B": Setup(6, 7, 0),
}

FIGURE_3: dict[str, Online] = {
    "A MUL": Online(138, 2, 237_411, 209, 4),
    "B ADD": Online(1879, 5, 2_469_216, 2346, 116),
    "B MUL": Online(9703, 15, 6_740_331, 6575, 1008),
    "B XOR": Online(3, 1, 5, 1, 0),
    "B AND": Online(136, 2, 192_133, 231, 16),
    "B CMP": Online(717, 4, 1_078_922, 1076, 45),
    "B EQ": Online(614, 3, 1_128_954, 1087, 16),
    "B MUX": Online(120, 1, 224_880, 216, 8),
    "Y ADD": Online(28, 7, 41, 10, 0),
    "Y MUL": Online(970, 143, 1280, 165, 0),
    "Y XOR": Online(5, 2, 7, 3, 0),
    "Y AND": Online(11, 5, 16, 7, 0),
    "Y CMP": Online(27, 7, 32, 9, 0),
    "Y EQ": Online(19, 7, 28, 7, 0),
    "Y MUX": Online(20, 7, 25, 7, 0),
    "A2Y": Online(27, 8, 434_588, 466, 1028),
    "B2A": Online(14, 5, 419_120, 484, 66),
    "B2Y": Online(7, 5, 478_959, 479, 516),
    "Y2B": Online(4, 2, 8, 2, 0),
}


@dataclass(frozen=True)
class Conversion:
    """Table I for words of 32 bits and keys of 128: symmetric operations, bits, and messages online."""

    computation: int
    traffic_bits: int
    messages: int


TABLE_1: dict[str, Conversion] = {
    "Y2B": Conversion(0, 0, 0),
    "share A": Conversion(0, 32, 1),
    "share B": Conversion(0, 32, 1),
    "open A": Conversion(0, 32, 1),
    "open B": Conversion(0, 32, 1),
    "share Y, garbler": Conversion(32, 32 * 128, 1),
    "B2A": Conversion(6 * 32, 32 * 128 + (32 * 32 + 32) // 2, 2),
    "Y2A": Conversion(6 * 32, 32 * 128 + (32 * 32 + 32) // 2, 2),
    "B2Y": Conversion(6 * 32, 2 * 32 * 128, 2),
    "share Y, evaluator": Conversion(6 * 32, 2 * 32 * 128, 2),
    "A2Y": Conversion(12 * 32, 6 * 32 * 128, 2),
    "A2B": Conversion(12 * 32, 6 * 32 * 128, 2),
}


@dataclass(frozen=True)
class Triple:
    """The OT rows of Table II, of one product in setup: microseconds and bytes."""

    local: float
    cloud: float
    traffic: float


TABLE_2: dict[int, Triple] = {
    8: Triple(3, 46, 265),
    16: Triple(6, 82, 546),
    32: Triple(11, 110, 1156),
    64: Triple(27, 224, 2568),
}
"""By the bits of a word."""


@dataclass(frozen=True)
class Run:
    """A whole program: seconds of setup and online on either link, megabytes, and messages online."""

    local_setup: float
    local_online: float
    cloud_setup: float
    cloud_online: float
    megabytes: float
    messages: int


TABLE_4: dict[str, Run] = {
    "Y-only": Run(0.9, 0.4, 5.8, 0.9, 27.1, 2),
    "A+B+Y": Run(0.6, 0.3, 5.6, 29.5, 18.7, 353),
}
TABLE_5: dict[str, Run] = {
    "Y-only": Run(3.5, 0.7, 32.2, 1.8, 247, 2),
    "B-only": Run(2.0, 0.6, 11.5, 22.6, 163, 123),
    "B+Y": Run(2.6, 0.7, 23.4, 7.1, 182, 27),
}
TABLE_6: dict[str, Run] = {
    "Y-only": Run(2.24, 0.31, 23.78, 0.84, 147.7, 2),
    "B-only": Run(2.15, 0.28, 10.34, 29.07, 99.9, 129),
    "A+Y": Run(0.14, 0.05, 2.98, 0.44, 5.0, 8),
    "A+B": Run(0.08, 0.13, 2.34, 24.07, 4.6, 101),
}
