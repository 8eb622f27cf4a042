"""Homomorphic encryption in one thread, beside the crate `fhe` where that builds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tacit.bench.programs import cargo_example, rows_of
from tacit.bench.rows import Bar, Row

PEER = Path("benches/fhe")
"""A package of its own, outside the workspace."""

RINGS = ("BFV, n = 4096", "BFV, n = 8192")

OPERATIONS = ("encrypt", "multiply by plain", "decrypt")
"""The measurements that BFV and `fhe` share."""


def measure() -> list[Row]:
    """The schemes' rows, then the peer's, then how they compare."""
    rows = cargo_example("he", "bench_he")
    peers = _peer()
    return rows + peers + _ratios({row.name: row.value for row in rows + peers})


def _peer() -> list[Row]:
    command = [
        "cargo",
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--manifest-path",
        str(PEER / "Cargo.toml"),
    ]
    folder = Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "peers"
    if subprocess.run([*command, "--target-dir", str(folder)], check=False).returncode:
        sys.stderr.write("the crate fhe does not build here, so BFV is measured alone\n")
        return []
    return rows_of([str(folder / "release" / "tacit-fhe-peer")])


def _ratios(seconds: dict[str, float]) -> list[Row]:
    """The time of `fhe` for each operation, as a multiple of ours."""
    return [
        Row(f"{ring}, {operation}: times as fast as fhe", seconds[theirs] / seconds[ours], "x")
        for ring in RINGS
        for operation in OPERATIONS
        if (theirs := f"{ring.replace('BFV', 'fhe')}, {operation}") in seconds
        and (ours := f"{ring}, {operation}") in seconds
    ]


VECTORS = "avx512f avx512ifma"

PAILLIER = "Paillier, 3072 bits"
DGK = "DGK, 2048 bits, t = 224, u = 67"

BARS = [
    Bar(f"{PAILLIER}, encrypt, with precomputed randomness", most=0.02e-3),
    Bar(f"{PAILLIER}, encrypt, the owner", most=2.5e-3),
    Bar(f"{PAILLIER}, decrypt", most=16e-3),
    Bar(f"{PAILLIER}, decrypt, in a batch of 64", most=6e-3, needs=VECTORS),
    Bar(f"{DGK}, encrypt", most=0.3e-3),
    Bar(f"{DGK}, zero test", most=0.35e-3),
    Bar("EC ElGamal, encrypt", most=25.6e-6),
    Bar("EC ElGamal, add", most=0.38e-6),
    # Hardly more than one multiplication of a point, whose own row says what that takes here.
    Bar("EC ElGamal, decrypt", most=23.4e-6),
    Bar("EC ElGamal, serialise in batches, a point", most=1e-6),
    *(
        Bar(f"{ring}, {operation}: times as fast as fhe", least=least, needs=needs, optional=True)
        for least, needs in ((1.0, ""), (1.5, VECTORS))
        for ring in RINGS
        for operation in OPERATIONS
    ),
]
