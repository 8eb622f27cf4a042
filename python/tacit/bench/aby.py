"""Measures the operations, conversions and applications of the ABY paper; prints a JSON row for each figure.

Run by `make bench-aby`. Each program runs between two threads over TCP on this machine, without TLS, in an
open session whose base OTs are set up (`crates/engine/examples/measure.rs`): local, and on a link of
70 Mbit/s and 85 ms each way, the paper's cloud. Results are folded into one word before they are opened, so
that opening costs next to nothing.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tacit as t
from tacit.bench.programs import BenchError, build_example

PINS: dict[str, Callable[[t.Array], t.Array]] = {"A": t.arith, "B": t.bool_, "Y": t.yao}
OPERATIONS: dict[str, Callable[[t.Array, t.Array], t.Array]] = {
    "ADD": lambda x, y: x + y,
    "MUL": lambda x, y: x * y,
    "XOR": lambda x, y: x ^ y,
    "AND": lambda x, y: x & y,
    "CMP": lambda x, y: x > y,
    "EQ": lambda x, y: x == y,
    "MUX": lambda x, y: t.where(x.bit(0), x, y),
}
CLOUD = ("70", "85")
RUNS = "5"
SILENT = {
    "run of A MUL x1000",
    "run of A MUL x100000",
    "run of B AND x1000",
    "run of B MUL x1000",
    "PSI 4096 x 32 bit, sorted, B-only",
    "PSI 4096 x 32 bit, hashed, B",
}
"""What is measured with silent transfers, too; all runs of a session but the first find them started."""


@t.function
def operation(a: t.Role, b: t.Role, *, letter: str, name: str, count: int = 1000) -> None:
    """An operation on as many pairs of 32-bit words at once."""
    x, y = (t.wrapping(PINS[letter](role.input("x", t.u32[count]))) for role in (a, b))
    result = OPERATIONS[name](x, y)
    if letter == "A" and name in ("CMP", "EQ"):
        # Answers about sums are shared bits.
        letter, result = "B", t.bool_(result)
    t.output("folded", folded(letter, result), a, b)


@t.function
def sequence(a: t.Role, b: t.Role, *, letter: str, name: str, count: int = 1000) -> None:
    """As many operations one after the other."""
    x, y = (t.wrapping(PINS[letter](role.input("x", t.u32))) for role in (a, b))
    for _ in range(count):
        # Turned by a bit, or the optimiser would make one operation of all.
        turned = x if letter == "A" else t.wrapping(x << 1 | x >> 31)
        x = t.wrapping(OPERATIONS[name](turned, y))
        x = x ^ turned if name == "AND" else x
    t.output("last", x, a, b)


@t.function
def conversion(a: t.Role, b: t.Role, *, source: str, target: str, count: int = 1000) -> None:
    """As many words from one domain to another."""
    x = t.wrapping(PINS[source](a.input("x", t.u32[count])))
    # What an input is shared as from the start is not converted: a sum has to be.
    y = t.wrapping(PINS[source](b.input("x", t.u32[count])))
    mixed = x + y if source == "A" else x ^ y
    t.output("folded", folded(target, PINS[target](mixed)), a, b)


def folded(domain: str, x: t.Array) -> t.Array:
    """One word of all, for nothing."""
    if domain == "A":
        return x.sum()
    while (count := x.shape[0]) > 1:
        half = count // 2
        low = x[:half] ^ x[half : 2 * half]
        x = t.concatenate([low, x[2 * half :]]) if count % 2 else low
    return x[0]


def cases() -> Iterator[tuple[str, Any, str, bool]]:
    """Of each row name, program, domain of what is not pinned, and whether it runs in the cloud, too."""
    for domain, names in {"A": ["MUL"], "B": list(OPERATIONS), "Y": list(OPERATIONS)}.items():
        for name in names:
            yield f"run of {domain} {name} x1000", operation.trace(letter=domain, name=name), "yao", True
    yield "run of A CMP x100000", operation.trace(letter="A", name="CMP", count=100_000), "yao", False
    yield "run of A MUL x100000", operation.trace(letter="A", name="MUL", count=100_000), "yao", False
    for source, target in ("AY", "AB", "BA", "BY", "YA", "YB"):
        traced = conversion.trace(source=source, target=target)
        yield f"run of {source}2{target} x1000", traced, "yao", True
    for domain, name in [("A", "MUL"), ("B", "AND"), ("B", "ADD"), ("Y", "AND"), ("Y", "ADD")]:
        yield (
            f"run of {domain} {name}, 1000 in sequence",
            sequence.trace(letter=domain, name=name),
            "yao",
            False,
        )
    sys.path.insert(0, "examples/aby")
    biometric, exponentiation, intersection = (
        importlib.import_module(name) for name in ("biometric", "exponentiation", "intersection")
    )
    for domains in ("YY", "BB", "AY", "AB", ""):
        name = f"biometric 512x4, {named(domains)}"
        yield name, biometric.match.trace(domains=domains), "yao" if domains else "auto", True
    for domains in ("YYY", "ABY"):
        yield f"power of 32 bits, {named(domains)}", exponentiation.power.trace(domains=domains), "yao", True
    for domains in ("YY", "BB", "YB"):
        name = f"PSI 4096 x 32 bit, sorted, {named(domains)}"
        yield name, intersection.intersect.trace(n=4096, domains=domains), "yao", False
    for pins in ("Y", "B"):
        name = f"PSI 4096 x 32 bit, hashed, {pins}"
        yield name, intersection.intersect_hashed.trace(n=4096, pins=pins), "yao", True


def measured(*command: str) -> None:
    """Prints the rows of a program."""
    if subprocess.run(command, check=False).returncode:
        raise BenchError(f"{command[1]} failed")


def named(domains: str) -> str:
    """Domains as the paper's tables name them."""
    letters = "+".join(sorted(set(domains)))
    return f"{letters}-only" if len(letters) == 1 else letters or "unpinned"


def main() -> None:
    """Prints all rows."""
    program = str(build_example("engine", "measure"))
    with tempfile.TemporaryDirectory() as folder:
        for name, trace, domain, cloud in cases():
            file = Path(folder) / "program"
            file.write_bytes(trace.program.to_bytes())
            for link in [(), CLOUD] if cloud else [()]:
                full = f"{name}, cloud" if link else name
                measured(program, full, str(file), domain, "auto", "1" if link else RUNS, *link)
            if name in SILENT:
                measured(program, f"{name}, silent", str(file), domain, "silent", RUNS)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
