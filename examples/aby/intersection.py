"""What two sets of n numbers have in common, in two ways.

`intersect` sorts, compares and shuffles. Source: Huang, Evans and Katz (NDSS'12), as in ABY (NDSS'15),
§VI-B. Each party sorts its set; a bitonic merger sorts both together, equal neighbours are what is in both,
and what is left passes through a permutation of each party, so that where an element comes out says nothing
of where it was. `domains` are those of merging and comparing, and of shuffling: "YB" is the paper's mixed
protocol, "YY" and "BB" are those of one domain, and "" leaves the choice to the planner. Numbers are from 1
on, and n is a power of two.

`intersect_hashed` compares within bins. Source: Pinkas, Schneider, Segev and Zohner, *Phasing* (USENIX
Security'15), the best circuit for sets that are known to the parties: the client puts each number into one
of three bins of its hashes, at most one to a bin (cuckoo hashing), the server into all three, and every bin
is compared with the one that the client has there. A bin leaves out the bits that its place gives
(permutation-based hashing). The client learns which of its bins match.
"""

import hashlib
import math
import secrets
from collections.abc import Collection, Iterator

from pins import pin

import tacit as t


@t.function
def intersect(server: t.Role, client: t.Role, *, n: int = 16, bits: int = 32, domains: str = "YB") -> None:
    """Both learn what is common, in a random order, among zeros."""
    sort, shuffle = tuple(domains) or ("", "")
    ascending = server.input("elements", t.uint(bits)[n])
    descending = client.input("elements", t.uint(bits)[n])
    merged = merge(pin(sort, t.concatenate([ascending, descending])), n)
    even, odd = merged[0::2], merged[1::2]
    again = even == odd
    before = t.concatenate([t.array([False]), odd[:-1] == even[1:]])
    common = t.where(again | before, even, 0)
    for role in (server, client):
        swaps = role.input("swaps", t.bool[layers(n), n // 2])
        common = shuffled(pin(shuffle, common), pin(shuffle, swaps), n)
    t.output("common", common, server, client)


def merge(x: t.Array, n: int) -> t.Array:
    """Sorts 2n elements of which the first half ascends and the second descends."""
    distance = n
    while distance:
        pairs = x.reshape(n // distance, 2, distance)
        a, b = pairs[:, 0], pairs[:, 1]
        low = t.where(a > b, b, a)
        x = t.stack([low, a ^ b ^ low], axis=1).reshape(2 * n)
        distance //= 2
    return x


def layers(n: int) -> int:
    """Layers of switches of a network for n elements."""
    return 2 * (n.bit_length() - 1) - 1


def strides(n: int) -> list[int]:
    """How far the two elements of a switch are apart, layer by layer."""
    outer = [n >> 1 + i for i in range(n.bit_length() - 1)]
    return outer + outer[-2::-1]


def shuffled(x: t.Array, swaps: t.Array, n: int) -> t.Array:
    """Elements in the order that a network of Beneš gives them."""
    for layer, distance in enumerate(strides(n)):
        pairs = x.reshape(n // (2 * distance), 2, distance)
        a, b = pairs[:, 0], pairs[:, 1]
        low = t.where(swaps[layer].reshape(n // (2 * distance), distance), b, a)
        x = t.stack([low, a ^ b ^ low], axis=1).reshape(n)
    return x


def random_swaps(n: int) -> list[list[bool]]:
    """Switches of a network for a random permutation."""
    order = list(range(n))
    secrets.SystemRandom().shuffle(order)
    return switches(order)


def switches(order: list[int]) -> list[list[bool]]:
    """Switches, layer by layer, of a network whose output i is the input order[i].

    Source: Beneš (1964), by the looping algorithm: the two inputs of a switch go through different halves,
    and so do its two outputs.
    """
    n, half = len(order), len(order) // 2
    if n == 2:
        return [[order[0] == 1]]
    place = {source: output for output, source in enumerate(order)}
    upper: dict[int, bool] = {}
    for source in range(n):
        while source not in upper:
            beside = (source + half) % n
            upper[source], upper[beside] = True, False
            source = order[(place[beside] + half) % n]
    first = [upper[i + half] for i in range(half)]
    last = [not upper[order[i]] for i in range(half)]
    sources = [
        (order[i + half], order[i]) if crossed else (order[i], order[i + half])
        for i, crossed in enumerate(last)
    ]
    inner = [switches([pair[side] % half for pair in sources]) for side in (0, 1)]
    return [first, *(above + below for above, below in zip(*inner, strict=True)), last]


HASHES = 3


def bin_count(n: int) -> int:
    """Bins of the client's table, a power of two at least 1.25 times as many as it has elements."""
    return 1 << (5 * n // 4 - 1).bit_length()


def places(element: int, bins: int) -> Iterator[tuple[int, int]]:
    """For each hash the bin of an element and what the bin leaves to compare: permutation-based hashing.

    The bin is the low bits, exclusive-or a hash of the high ones, so that bin and high bits give the element.
    """
    width = bins.bit_length() - 1
    high, low = element >> width, element & bins - 1
    for number in range(HASHES):
        digest = hashlib.blake2b(f"{number} {high}".encode(), digest_size=8).digest()
        yield low ^ int.from_bytes(digest, "little") & bins - 1, high * HASHES + number


def rest_bits(bits: int, bins: int) -> int:
    """Bits of what is compared in a bin, beside one that tells an element from none."""
    return (((1 << max(bits - bins.bit_length() + 1, 0)) - 1) * HASHES + HASHES - 1).bit_length()


def cuckoo_table(elements: Collection[int]) -> tuple[list[int], list[int | None]]:
    """At most one element to a bin: what is compared there, 0 for none; and the elements by bin."""
    bins = bin_count(len(elements))
    holds: list[tuple[int, int] | None] = [None] * bins
    for element in elements:
        entry: tuple[int, int] | None = (element, 0)
        for _ in range(64 * len(elements)):
            if entry is None:
                break
            # Whoever is there goes on to the bin of its next hash.
            at, _rest = list(places(entry[0], bins))[entry[1]]
            entry, holds[at] = holds[at], entry
            entry = entry and (entry[0], (entry[1] + 1) % HASHES)
        if entry is not None:
            raise ValueError("the elements do not fit into their bins: choose other hashes")
    rests = [list(places(entry[0], bins))[entry[1]][1] + 1 if entry else 0 for entry in holds]
    return rests, [entry[0] if entry else None for entry in holds]


def full_table(elements: Collection[int], bits: int) -> list[list[int]]:
    """Every element in each of its bins: what is compared there, and numbers that match nothing."""
    bins, depth = bin_count(len(elements)), bin_depth(len(elements))
    table: list[list[int]] = [[] for _ in range(bins)]
    for element in elements:
        for at, rest in places(element, bins):
            table[at].append(rest + 1)
    if max(map(len, table)) > depth:
        raise ValueError("a bin holds too many elements: choose other hashes")
    nothing = (1 << rest_bits(bits, bins) + 1) - 1
    return [entries + [nothing] * (depth - len(entries)) for entries in table]


def bin_depth(n: int) -> int:
    """Entries of a bin of the server: more in one bin happen with less than 2^-40."""
    bins, balls = bin_count(n), HASHES * n
    depth = -(-balls // bins)
    # The probability that one of the bins holds more than `depth` balls, by the union bound.
    while bins * math.comb(balls, depth + 1) > bins ** (depth + 1) >> 40:
        depth += 1
    return depth


@t.function
def intersect_hashed(server: t.Role, client: t.Role, *, n: int = 16, bits: int = 32, pins: str = "B") -> None:
    """The client learns which of its bins hold what is common."""
    width = rest_bits(bits, bin_count(n)) + 1
    theirs = pin(pins, server.input("table", t.uint(width)[bin_count(n), bin_depth(n)]))
    ours = pin(pins, client.input("table", t.uint(width)[bin_count(n)]))
    client.output("matches", (theirs == ours[:, None]).any(axis=1))
