"""The sizes of circuits of well-known programs, and the best that is published for each."""

from __future__ import annotations

import os
import sys

from tacit.bench.programs import cargo_example
from tacit.bench.published import cbmc
from tacit.bench.rows import Bar, Row
from tacit.compiler import clang_command

SECONDS = 60.0
"""The most that compiling a program may take."""

LATER = {
    "5x5 matrix product": 127_225,
    "8x8 matrix product": 522_304,
    "median, bubble sort, 31": 23_040,
    "median, bubble sort, 61": 89_280,
    "median, merge sort, 21": 53_103,
    "median, merge sort, 31": 141_825,
    "Hamming distance, 160 bit": 158,
    "Hamming distance, 320 bit": 318,
    "Hamming distance, 800 bit": 797,
    "Hamming distance, 1600 bit": 1_597,
}
"""The figures of later systems that did better than CBMC-GC."""

TABLE_1 = {name: cbmc.TABLE_1.value(name, "non-XOR") for name in cbmc.TABLE_1.rows} | LATER
"""Table 1 of the paper on CBMC-GC, or what is better."""

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
