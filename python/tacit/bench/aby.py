"""Measures the operations, conversions and applications of the ABY paper; prints a JSON row for each figure.

Run by `make bench-aby`. Each program runs between two threads over TCP on this machine, without TLS, in an
open session whose base OTs are set up (`crates/engine/examples/measure.rs`): local, and on a link of
70 Mbit/s and 85 ms each way, the paper's cloud. Results are folded into one word before they are opened, so
that opening costs next to nothing. Programs on the slow link mostly wait, so several run at once.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import tacit as t
from tacit.bench.aby_tables import CLOUD, CYCLES, LOCAL, in_sequence
from tacit.bench.programs import build_example, text_of

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
CLOUD_LINK = ("70", "85")
RUNS = 5
CLOUD_SESSIONS = 6
"""Programs that run on the slow link at once."""


@t.function
def operation(a: t.Role, b: t.Role, *, letter: str, name: str, count: int = 1000, bits: int = 32) -> None:
    """An operation on as many pairs of words at once."""
    x, y = (t.wrapping(PINS[letter](role.input("x", t.uint(bits)[count]))) for role in (a, b))
    result = OPERATIONS[name](x, y)
    if letter == "A" and name in ("CMP", "EQ"):
        # Answers about sums are shared bits.
        letter, result = "B", t.bool_(result)
    t.output("folded", folded(letter, result), a, b)


@t.function
def sequence(a: t.Role, b: t.Role, *, letter: str, name: str, count: int) -> None:
    """`count` operations in sequence."""
    x, y = (t.wrapping(PINS[letter](role.input("x", t.u32))) for role in (a, b))
    for _ in range(count):
        # Rotated by a bit, so that the optimiser does not merge all operations into one.
        turned = x if letter == "A" else t.wrapping(x << 1 | x >> 31)
        x = OPERATIONS[name](turned, y)
        x = turned ^ x if name in ("AND", "CMP", "EQ", "MUX") else x
        x = t.wrapping(PINS[letter](x))
    t.output("last", x, a, b)


@t.function
def conversion(a: t.Role, b: t.Role, *, source: str, target: str, count: int = 1000) -> None:
    """Converts `count` words from one domain to another."""
    x = t.wrapping(PINS[source](a.input("x", t.u32[count])))
    # An input would be shared in the other domain from the start; a sum must be converted.
    y = t.wrapping(PINS[source](b.input("x", t.u32[count])))
    t.output("folded", folded(target, PINS[target](sealed(source, x, y))), a, b)


@t.function
def cycle(a: t.Role, b: t.Role, *, domains: str, count: int) -> None:
    """A word from domain to domain, and round again; as many conversions of each kind in sequence."""
    x = t.wrapping(PINS[domains[0]](a.input("x", t.u32)))
    keys = {domain: t.wrapping(PINS[domain](b.input(domain, t.u32))) for domain in sorted(set(domains))}
    for _ in range(count):
        for source, target in pairwise(domains):
            x = t.wrapping(PINS[target](sealed(source, x, keys[source])))
    t.output("last", x, a, b)


@t.function
def sharing(a: t.Role, b: t.Role, *, letter: str, giver: str, count: int = 1000) -> None:
    """Shares `count` words of one owner, and opens one word."""
    x = t.wrapping(PINS[letter]({"a": a, "b": b}[giver].input("x", t.u32[count])))
    t.output("folded", folded(letter, x), a, b)


@t.function
def opening(a: t.Role, b: t.Role, *, letter: str, count: int = 1000) -> None:
    """Opens `count` shared words to both parties."""
    x, y = (t.wrapping(PINS[letter](role.input("x", t.u32[count]))) for role in (a, b))
    t.output("opened", t.wrapping(sealed(letter, x, y)), a, b)


@t.function
def match_words(server: t.Role, client: t.Role, *, domains: str, n: int = 512, d: int = 4) -> None:
    """The paper's biometric matching: words of 32 bits throughout, which wrap."""
    distances, minimum = (PINS[letter] for letter in domains)
    database = t.wrapping(distances(server.input("database", t.u32[n, d])))
    sample = t.wrapping(distances(client.input("sample", t.u32[d])))
    difference = t.wrapping(database - sample)
    distance = minimum(t.wrapping(t.wrapping(difference * difference).sum(axis=1)))
    client.output("distance", distance.min())
    client.output("index", distance.argmin())


@t.function
def aes(a: t.Role, b: t.Role, *, letter: str, circuit: str, count: int = 100) -> None:
    """AES-128 of as many blocks, each under its own key."""
    key, block = a.input("key", t.uint(128)[count]), b.input("block", t.uint(128)[count])
    t.output("folded", folded(letter, t.circuit(circuit)(key, block)), a, b)


def sealed(domain: str, x: t.Array, y: t.Array) -> t.Array:
    """The values that both words determine, without communication."""
    return t.wrapping(x + y) if domain == "A" else t.wrapping(x ^ y)


def folded(domain: str, x: t.Array) -> t.Array:
    """One word of all, for nothing."""
    if domain == "A":
        return x.sum()
    while (count := x.shape[0]) > 1:
        half = count // 2
        low = x[:half] ^ x[half : 2 * half]
        x = t.concatenate([low, x[2 * half :]]) if count % 2 else low
    return x[0]


@dataclass(frozen=True)
class Case:
    """A program to measure."""

    name: str
    trace: Callable[[], Any]
    domain: str = "yao"
    """The domain of operations that the program does not pin."""
    extensions: tuple[str, ...] = ("auto",)
    """The OT extensions on the local link, one after the other."""
    links: tuple[str, ...] = (LOCAL, CLOUD)
    runs: int = RUNS


LOCALLY = (LOCAL,)
BOTH_EXTENSIONS = ("auto", "silent")
"""All runs of a session but the first find silent transfers started."""


def cases(aes_128: Path) -> Iterator[Case]:
    """Everything that is measured, given a file with a circuit of AES-128."""
    yield from operations()
    yield from sequences()
    yield from conversions()
    for letter, domain in {"B": "bool", "Y": "yao"}.items():
        trace = partial(aes.trace, letter=letter, circuit=str(aes_128))
        yield Case(f"run of AES-128 x100, {letter}", trace, domain)
    yield from applications()


def operations() -> Iterator[Case]:
    """Operations of the figures and of table II, many at once."""
    for letter, names in {"A": ["ADD", "MUL"], "B": list(OPERATIONS), "Y": list(OPERATIONS)}.items():
        for name in names:
            silent = (letter, name) in [("A", "MUL"), ("B", "AND"), ("B", "MUL")]
            trace = partial(operation.trace, letter=letter, name=name)
            extensions = BOTH_EXTENSIONS if silent else ("auto",)
            yield Case(f"run of {letter} {name} x1000", trace, extensions=extensions)
    many = partial(operation.trace, letter="A", count=100_000)
    yield Case("run of A CMP x100000", partial(many, name="CMP"), links=LOCALLY)
    trace = partial(operation.trace, letter="Y", name="CMP", count=100_000)
    yield Case("run of Y CMP x100000", trace, links=LOCALLY)
    yield Case("run of A MUL x100000", partial(many, name="MUL"), links=LOCALLY)
    for bits in (8, 16, 32, 64):
        yield Case(
            f"run of A MUL x100000 of {bits} bits",
            partial(many, name="MUL", bits=bits),
            extensions=("softspoken", "silent"),
            runs=3,
        )


def sequences() -> Iterator[Case]:
    """Operations and conversions one after the other."""
    for link in (LOCAL, CLOUD):
        for letter, names in {"A": ["MUL"], "B": list(OPERATIONS), "Y": list(OPERATIONS)}.items():
            for name in names:
                count = in_sequence(f"{letter} {name}", link)
                trace = partial(sequence.trace, letter=letter, name=name, count=count)
                title = f"run of {letter} {name}, {count} in sequence"
                yield Case(title, trace, links=(link,), runs=1)
        for name in CYCLES:
            steps = name.split(", ")
            domains = steps[0][0] + "".join(step[-1] for step in steps)
            count = in_sequence(name, link)
            trace = partial(cycle.trace, domains=domains, count=count)
            yield Case(f"run of {name}, {count} in sequence", trace, links=(link,), runs=1)


def conversions() -> Iterator[Case]:
    """Conversions, sharing and opening, many at once."""
    for source, target in ("AY", "AB", "BA", "BY", "YA", "YB"):
        trace = partial(conversion.trace, source=source, target=target)
        yield Case(f"run of {source}2{target} x1000", trace)
    for name, domain, giver in [
        ("share A", "A", "b"),
        ("share B", "B", "b"),
        ("share Y, garbler", "Y", "a"),
        ("share Y, evaluator", "Y", "b"),
    ]:
        trace = partial(sharing.trace, letter=domain, giver=giver)
        yield Case(f"run of {name} x1000", trace, links=LOCALLY)
    for domain in "AB":
        trace = partial(opening.trace, letter=domain)
        yield Case(f"run of open {domain} x1000", trace, links=LOCALLY)


def applications() -> Iterator[Case]:
    """The programs of tables IV to VI, and others that compute the same."""
    sys.path.insert(0, "examples/aby")
    biometric, exponentiation, intersection = (
        importlib.import_module(name) for name in ("biometric", "exponentiation", "intersection")
    )
    for domains in ("YY", "BB", "AY", "AB", ""):
        trace = partial(biometric.match.trace, domains=domains)
        yield Case(f"biometric 512x4, {named(domains)}", trace, "yao" if domains else "auto")
    for domains in ("YY", "BB", "AY", "AB"):
        trace = partial(match_words.trace, domains=domains)
        yield Case(f"biometric 512x4 words, {named(domains)}", trace, runs=3)
    for domains in ("YYY", "ABY"):
        trace = partial(exponentiation.power.trace, domains=domains)
        yield Case(f"power of 32 bits, {named(domains)}", trace, runs=3)
    for domains in ("YY", "BB", "YB"):
        trace = partial(intersection.intersect.trace, n=4096, domains=domains)
        extensions = BOTH_EXTENSIONS if domains == "BB" else ("auto",)
        name = f"PSI 4096 x 32 bit, sorted, {named(domains)}"
        yield Case(name, trace, extensions=extensions, runs=3)
    for pins in ("Y", "B"):
        trace = partial(intersection.intersect_hashed.trace, n=4096, pins=pins)
        extensions = BOTH_EXTENSIONS if pins == "B" else ("auto",)
        yield Case(f"PSI 4096 x 32 bit, hashed, {pins}", trace, extensions=extensions)


def named(domains: str) -> str:
    """Domains as the paper's tables name them."""
    letters = "+".join(sorted(set(domains)))
    return f"{letters}-only" if len(letters) == 1 else letters or "unpinned"


def show(rows: str) -> None:
    """Prints rows as soon as they are known."""
    sys.stdout.write(rows)
    sys.stdout.flush()


def measured(chosen: Iterable[Case], folder: Path, sessions: int = CLOUD_SESSIONS) -> Iterator[str]:
    """The rows of these programs as lines of JSON; those of the slow link come last, `sessions` at once."""
    program = str(build_example("engine", "measure"))
    slow: list[tuple[str, ...]] = []
    for number, case in enumerate(chosen):
        file = str(folder / str(number))
        Path(file).write_bytes(case.trace().program.to_bytes())
        for extension in case.extensions if LOCAL in case.links else ():
            name = case.name if extension == "auto" else f"{case.name}, {extension}"
            yield text_of([program, name, file, case.domain, extension, str(case.runs)])
        if CLOUD in case.links:
            name = f"{case.name}{CLOUD}"
            slow.append((program, name, file, case.domain, "auto", "1", *CLOUD_LINK))
    with ThreadPoolExecutor(sessions) as pool:
        yield from pool.map(text_of, slow)


def main() -> None:
    """Prints all rows."""
    with tempfile.TemporaryDirectory() as folder:
        aes_128 = Path(folder) / "aes_128"
        aes_128.write_text(text_of([str(build_example("circuit", "aes_128"))]))
        for rows in measured(cases(aes_128), Path(folder)):
            show(rows)


if __name__ == "__main__":
    main()
