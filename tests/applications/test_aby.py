"""The applications of the ABY paper, in the domains of the paper and in those that the planner chooses."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

import tacit as t

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "aby"))

import biometric
import exponentiation
import intersection

UNPINNED = [("", domain) for domain in ("yao", "bool", "arith", "auto")]


def ways(*pinned: str) -> list[Any]:
    """Pins, and the domain of what is not pinned."""
    return [
        pytest.param(*way, id="-".join(filter(None, way)))
        for way in [*((one, "yao") for one in pinned), *UNPINNED]
    ]


@pytest.mark.parametrize(("domains", "domain"), ways("ABY", "YYY", "BBB"))
def test_power(domains: str, domain: str) -> None:
    bits = 5
    random_ = random.Random(1)
    for base, exponent, modulus in [
        (0, 0, 1),
        (31, 31, 29),
        *(random_.choices(range(1, 32), k=3) for _ in range(2)),
    ]:
        out = exponentiation.power.using(domain=domain).run(
            bits=bits,
            domains=domains,
            server={"base": base},
            client={"exponent": exponent, "modulus": modulus},
        )
        assert out["client"]["power"] == pow(base, exponent, modulus)


@pytest.mark.parametrize(("domains", "domain"), ways("AY", "AB", "YY", "BB"))
def test_match(domains: str, domain: str) -> None:
    random_ = random.Random(2)
    database = [random_.choices(range(256), k=4) for _ in range(50)]
    sample = random_.choices(range(256), k=4)
    distances = [sum((x - y) ** 2 for x, y in zip(row, sample, strict=True)) for row in database]
    out = biometric.match.using(domain=domain).run(
        n=50, domains=domains, server={"database": database}, client={"sample": sample}
    )
    assert out["client"] == {"distance": min(distances), "index": distances.index(min(distances))}


def two_sets(n: int, common: int) -> tuple[list[int], list[int]]:
    random_ = random.Random(n + common)
    both = random_.sample(range(1, 1 << 32), 2 * n - common)
    return both[:n], both[n - common :]


@pytest.mark.parametrize(("domains", "domain"), ways("YB", "YY", "BB"))
@pytest.mark.parametrize("common", [0, 5, 16])
def test_intersection(domains: str, domain: str, common: int) -> None:
    ours, theirs = two_sets(16, common)
    out = intersection.intersect.using(domain=domain).run(
        domains=domains,
        server={"elements": sorted(ours), "swaps": intersection.random_swaps(16)},
        client={"elements": sorted(theirs, reverse=True), "swaps": intersection.random_swaps(16)},
    )
    assert sorted(filter(None, out["client"]["common"])) == sorted(set(ours) & set(theirs))
    assert out["server"] == out["client"]


@pytest.mark.parametrize(("domains", "domain"), ways("B", "Y"))
@pytest.mark.parametrize("common", [0, 7, 40])
def test_hashed_intersection(domains: str, domain: str, common: int) -> None:
    ours, theirs = two_sets(40, common)
    table, elements = intersection.cuckoo_table(theirs)
    out = intersection.intersect_hashed.using(domain=domain).run(
        n=40,
        pins=domains,
        server={"table": intersection.full_table(ours, 32)},
        client={"table": table},
    )
    matches = out["client"]["matches"]
    assert {element for element, found in zip(elements, matches, strict=True) if found} == set(ours) & set(
        theirs
    )


def test_shuffles_by_the_network_are_the_permutation() -> None:
    @t.function
    def shuffle(a: t.Role, b: t.Role, *, n: int) -> None:
        swaps = b.input("swaps", t.bool[intersection.layers(n), n // 2])
        b.output("x", intersection.shuffled(a.input("x", t.u8[n]), swaps, n))

    for n in (2, 4, 8, 32):
        order = random.Random(n).sample(range(n), n)
        swaps = intersection.switches(order)
        assert shuffle(n=n, a={"x": list(range(n))}, b={"swaps": swaps})["b"]["x"] == order
