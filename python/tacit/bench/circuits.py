"""The sizes of circuits of well-known programs, and the best that is published for each."""

from __future__ import annotations

import os
import sys

from tacit.bench.programs import cargo_example
from tacit.bench.rows import Bar, Row
from tacit.compiler import clang_command

SECONDS = 60.0
"""The most that compiling a program may take."""

TABLE_1 = {
    "addition": 32,
    "multiplication": 1_741,
    "100 arithmetic operations": 20_290,
    "1000 arithmetic operations": 202_772,
    "2000 arithmetic operations": 405_640,
    "3000 arithmetic operations": 608_668,
    "3x3 matrix product": 47_583,
    "5x5 matrix product": 127_225,
    "8x8 matrix product": 522_304,
    "comparison": 65,
    "median, bubble sort, 11": 5_440,
    "median, bubble sort, 21": 20_480,
    "median, bubble sort, 31": 23_040,
    "median, bubble sort, 41": 79_360,
    "median, bubble sort, 51": 123_200,
    "median, bubble sort, 61": 89_280,
    "median, bubble sort, 71": 239_680,
    "median, bubble sort, 81": 312_320,
    "median, bubble sort, 91": 394_560,
    "median, merge sort, 11": 35_776,
    "median, merge sort, 21": 53_103,
    "median, merge sort, 31": 141_825,
    "Hamming distance, 160 bit": 158,
    "Hamming distance, 320 bit": 318,
    "Hamming distance, 800 bit": 797,
    "Hamming distance, 1600 bit": 1_597,
    "interpreter, 1 gates": 4_196,
    "interpreter, 2 gates": 8_520,
    "interpreter, 5 gates": 22_260,
    "interpreter, 10 gates": 47_720,
    "interpreter, 15 gates": 76_380,
    "interpreter, 50 gates": 366_600,
    "MBI(10, 19, 16)": 19_342,
    "MBI(10, 26, 16)": 27_490,
    "MBI(10, 35, 32)": 38_006,
    "MBI(50, 19, 16)": 99_302,
    "MBI(50, 26, 16)": 140_490,
    "MBI(50, 35, 32)": 196_366,
    "MBI(100, 19, 16)": 199_252,
    "MBI(100, 26, 16)": 281_740,
    "MBI(100, 35, 32)": 394_316,
}
"""Table 1 of the paper on CBMC-GC, where a later system did better its figure."""

BEST = {
    "mul 32 to 32": 993,
    "mul 32 to 64": 1_689,
    "mul 64 to 64": 4_033,
    "mul 64 to 128": 5_683,
    "mul 128 to 256": 17_973,
    "udiv 32": 1_085,
    "umod 32": 1_117,
    "sdiv 32": 1_268,
    "Hamming distance, loop, 160 bit": 158,
    "Hamming distance, loop, 320 bit": 318,
    "Hamming distance, loop, 800 bit": 797,
    "Hamming distance, loop, 1600 bit": 1_597,
    "Levenshtein, 20 x 20 bytes": 18_665,
    "biometric, 128 x 4": 202_751,
    "square root, 16 bit": 63,
    "SHA-256": 22_573,
    "AES-128, S-box as logic": 6_400,
}
"""Circuits of HyCC, TASTY and Bristol Fashion files."""

BARS = [Bar(row, most=ands) for row, ands in (TABLE_1 | BEST).items()] + [
    Bar(f"{row}, time", most=10 if row == "1000 arithmetic operations" else SECONDS)
    for row in [*TABLE_1, *BEST, "AES-128, S-box as table"]
]


def measure() -> list[Row]:
    """Compiles every program with the locked clang and counts its AND gates; and the EPFL ones if present."""
    rows = cargo_example("benches", "circuits", clang_command(None)[0])
    folder = os.environ.get("TACIT_EPFL")
    if folder is None:
        sys.stderr.write("EPFL benchmarks: not present; TACIT_EPFL names the folder with their files\n")
        return rows
    return rows + cargo_example("benches", "epfl", folder)
