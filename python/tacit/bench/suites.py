"""What each bench measures, and its bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tacit.bench.programs import cargo_example, openssl_aes
from tacit.bench.rows import Bar, Row

OPENSSL = "openssl_aes_128_ecb"


@dataclass(frozen=True)
class Suite:
    """One bench."""

    measure: Callable[[], list[Row]]
    bars: list[Bar]


def _kernels() -> list[Row]:
    return openssl_aes() + cargo_example("crypto", "bench_kernels")


def _yao() -> list[Row]:
    return openssl_aes() + cargo_example("net", "loopback") + cargo_example("twoparty", "bench_yao")


def _ot() -> list[Row]:
    return openssl_aes() + cargo_example("ot", "bench_ot")


SUITES: dict[str, Suite] = {
    "kernels": Suite(_kernels, []),
    "yao": Suite(_yao, []),
    "ot": Suite(_ot, []),
}
