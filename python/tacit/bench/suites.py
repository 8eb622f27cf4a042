"""What each bench measures, and its bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tacit.bench.programs import build_example, cargo_example, instruction_count, openssl_aes
from tacit.bench.rows import Bar, Row

OPENSSL = "openssl_aes_128_ecb"


@dataclass(frozen=True)
class Suite:
    """One bench."""

    measure: Callable[[], list[Row]]
    bars: list[Bar]


PORTABLE_UNITS = 64
"""Units of work in a call of the example `portable_kernels`."""


def _kernels() -> list[Row]:
    return openssl_aes() + cargo_example("crypto", "bench_kernels") + _portable_instructions()


def _portable_instructions() -> list[Row]:
    """Instructions of each portable kernel for a unit of work: the difference of two numbers of calls."""
    program = build_example("crypto", "portable_kernels")
    rows: list[Row] = []
    for kernel, unit in (("aes", "block"), ("mitccrh", "key"), ("garble", "AND"), ("evaluate", "AND")):
        few, many = (instruction_count(program, kernel, str(calls)) for calls in (10, 30))
        if few is not None and many is not None:
            count = (many - few) / (20 * PORTABLE_UNITS)
            rows.append(Row(f"instructions, {kernel}, portable", count, f"a {unit}"))
    return rows


def _yao() -> list[Row]:
    return openssl_aes() + cargo_example("net", "loopback") + cargo_example("twoparty", "bench_yao")


def _ot() -> list[Row]:
    return openssl_aes() + cargo_example("ot", "bench_ot")


L1 = "l1, 8 gates x 1 lane"

KERNEL_BARS = [
    Bar(f"garble, {L1}, vaes-512", least=0.17, times=OPENSSL, needs="avx512f vaes"),
    Bar(f"evaluate, {L1}, vaes-512", least=0.20, times=OPENSSL, needs="avx512f vaes"),
    Bar(f"garble, {L1}, aes-ni", least=0.06, times=OPENSSL, needs="aes sse2"),
    Bar(f"evaluate, {L1}, aes-ni", least=0.08, times=OPENSSL, needs="aes sse2"),
]

PEER = 405e6
"""Blocks per second of OpenSSL's AES-128-ECB where the best public code was measured."""

YAO_BARS = [
    Bar("AES-128 x 16 lanes, tcp", least=22e6 / PEER, times=OPENSSL),
    Bar("AES-128 x 16 lanes, tls", least=18e6 / PEER, times=OPENSSL),
    Bar("flat chain of AES-128, tcp", least=14.5e6 / PEER, times=OPENSSL),
    Bar("traffic of AES-128 x 16 lanes, tcp", most=32.32),
    Bar("traffic of flat chain of AES-128, tcp", most=32.32),
]

OT_BARS = [
    Bar("correlated OT, k = 4", least=45e6 / PEER, times=OPENSSL),
    Bar("random OT, k = 4", least=30e6 / PEER, times=OPENSSL),
    Bar("traffic of correlated OT, k = 4", most=31.31),
    Bar("traffic of random OT, k = 4", most=31.31),
    Bar("128 base OTs", most=0.020),
]

SUITES: dict[str, Suite] = {
    "kernels": Suite(_kernels, KERNEL_BARS),
    "yao": Suite(_yao, YAO_BARS),
    "ot": Suite(_ot, OT_BARS),
}
