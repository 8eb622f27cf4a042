"""Secure two-party computations in ANSI C: CBMC-GC.

Holzer, Franz, Katzenbeisser, Veith, CCS'12.
"""

from __future__ import annotations

from tacit.bench.published.tables import Table

PAPER = "CBMC-GC"

MACHINE = (
    "LAN: desktops of two cores at 3.2 GHz; WAN: one of these and four cores at 2.33 GHz elsewhere; Java 1.6"
)

TABLE_1 = Table(
    PAPER,
    "Table 1",
    "gates, and milliseconds of preparing inputs and of garbling and evaluating",
    MACHINE,
    {
        "total": "gates",
        "non-XOR": "gates",
        "LAN preparation": "ms",
        "LAN evaluation": "ms",
        "WAN preparation": "ms",
        "WAN evaluation": "ms",
    },
    {
        "addition": (161, 32, 654, 8, 870, 9),
        "multiplication": (6_223, 1_741, 673, 127, 796, 175),
        "100 arithmetic operations": (76_621, 20_290, 729, 469, 982, 849),
        "1000 arithmetic operations": (765_561, 202_772, 714, 2_715, 1_376, 4_447),
        "2000 arithmetic operations": (1_531_601, 405_640, 604, 6_275, 855, 6_983),
        "3000 arithmetic operations": (2_298_441, 608_668, 970, 9_774, 942, 11_037),
        "3x3 matrix product": (170_875, 47_583, 705, 838, 771, 1_088),
        "5x5 matrix product": (793_751, 220_825, 717, 2_702, 1_001, 4_243),
        "8x8 matrix product": (3_257_345, 905_728, 680, 18_173, 835, 21_008),
        "comparison": (234, 65, 686, 15, 782, 16),
        "median, bubble sort, 11": (18_030, 5_440, 639, 279, 683, 346),
        "median, merge sort, 11": (111_339, 35_776, 598, 519, 673, 644),
        "median, bubble sort, 21": (67_710, 20_480, 637, 611, 719, 812),
        "median, merge sort, 21": (541_669, 175_936, 635, 1_689, 823, 2_810),
        "median, bubble sort, 31": (149_040, 45_120, 733, 1_644, 993, 2_287),
        "median, merge sort, 31": (1_339_084, 436_916, 660, 3_790, 1_112, 4_794),
        "median, bubble sort, 41": (262_020, 79_360, 899, 1_477, 803, 2_240),
        "median, bubble sort, 51": (406_650, 123_200, 623, 2_205, 1_018, 3_221),
        "median, bubble sort, 61": (582_930, 176_640, 646, 3_003, 840, 4_108),
        "median, bubble sort, 71": (790_860, 239_680, 675, 4_557, 712, 6_127),
        "median, bubble sort, 81": (1_030_440, 312_320, 858, 5_467, 828, 6_966),
        "median, bubble sort, 91": (1_301_670, 394_560, 660, 8_025, 719, 9_262),
        "Hamming distance, 160 bit": (9_436, 3_003, 707, 86, 712, 104),
        "Hamming distance, 320 bit": (19_031, 6_038, 735, 115, 1_095, 143),
        "Hamming distance, 800 bit": (47_816, 15_143, 788, 145, 774, 215),
        "Hamming distance, 1600 bit": (95_791, 30_318, 746, 291, 912, 353),
        "interpreter, 1 gates": (12_844, 4_196, 649, 219, 744, 324),
        "interpreter, 2 gates": (26_079, 8_520, 666, 367, 809, 648),
        "interpreter, 5 gates": (68_136, 22_260, 639, 620, 674, 802),
        "interpreter, 10 gates": (146_071, 47_720, 724, 995, 675, 1_345),
        "interpreter, 15 gates": (233_806, 76_380, 614, 1_279, 807, 1_969),
        "interpreter, 50 gates": (1_122_351, 366_600, 1_150, 6_267, 884, 7_799),
        "MBI(10, 19, 16)": (59_027, 19_342, 666, 539, 733, 914),
        "MBI(10, 26, 16)": (83_891, 27_490, 663, 723, 725, 932),
        "MBI(10, 35, 32)": (115_947, 38_006, 677, 1_084, 734, 1_472),
        "MBI(50, 19, 16)": (303_027, 99_302, 690, 1_517, 830, 1_935),
        "MBI(50, 26, 16)": (428_691, 140_490, 653, 2_170, 789, 3_054),
        "MBI(50, 35, 32)": (598_987, 196_366, 700, 3_039, 913, 3_750),
        "MBI(100, 19, 16)": (608_027, 199_252, 688, 2_934, 802, 3_975),
        "MBI(100, 26, 16)": (859_691, 281_740, 646, 4_504, 875, 5_496),
        "MBI(100, 35, 32)": (1_202_787, 394_316, 1_017, 6_918, 845, 8_205),
    },
)
"""Rows are named as `benches/circuits` names the programs. MBI(q, m, i) interprets q gates with m bits of
memory, of which i are inputs.
"""

TABLES = (TABLE_1,)
