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

SUITES: dict[str, Suite] = {
    "kernels": Suite(_kernels, KERNEL_BARS),
    "yao": Suite(_yao, []),
    "ot": Suite(_ot, []),
}
