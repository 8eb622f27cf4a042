"""Fills bins for `set_intersection_bins.py`, and runs it.

    python bins.py 1000

The elements are integers below 2^59. Sizes are such that all of this together happens with probability at
most 2^-40: a bin overflows, over the choice of the public key of the function that spreads elements over
bins; or the client takes an element for one of the server's that is not. A bin that overflows is refused
before anything is sent.
"""

import hashlib
import math
import secrets
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacit import InputError, tastyl

PROTOCOL = Path(__file__).with_name("set_intersection_bins.py")

LIMIT = 2**59
"""What fills up bins is from here on: even numbers at the client, odd ones at the server."""

FAILURE = Fraction(1, 2**40)
"""How probable a failure may be; each of the two kinds takes half of it."""

PRIMES = (2**60 - 93, 2**70 - 35)
"""The largest primes of 60 and 70 bits, above all elements."""


class BinOverflowError(InputError):
    """More elements fall into a bin than there is room for."""

    def __init__(self, bin: int, elements: int, room: int) -> None:  # noqa: A002
        super().__init__(
            f"bin {bin} has {elements} elements, and room for {room}; both parties take another key"
        )
        self.bin, self.elements, self.room = bin, elements, room


class TooManyElementsError(InputError):
    """No modulus of `PRIMES` keeps chance below `FAILURE` for sets of this size."""

    def __init__(self, elements: int) -> None:
        super().__init__(f"{elements} elements are too many: chance would find common ones; intersect parts")
        self.elements = elements


@dataclass(frozen=True)
class Sizes:
    """What is public of the bins."""

    bins: int
    room: int
    """Elements of either party in a bin."""
    modulus: int

    @classmethod
    def of(cls, elements: int) -> "Sizes":
        """Those for sets of at most so many elements."""
        bins = max(1, elements // 55)
        room = min(elements, elements // bins + 1)
        # Both parties have as many bins, each of which overflows equally probably.
        while 2 * bins * overflow(elements, bins, room) > FAILURE / 2:
            room += 1
        # The client sees a number for each place of the server's, uniform unless it is common, and compares
        # it with those of one bin of its own.
        chance = bins * room * room
        fitting = [prime for prime in PRIMES if chance <= FAILURE / 2 * prime]
        if not fitting:
            raise TooManyElementsError(elements)
        return cls(bins, room, fitting[0])

    def params(self) -> dict[str, int]:
        """As the protocol calls them."""
        return {"B": self.bins, "C": self.room, "D": self.room, "P": self.modulus}


def overflow(elements: int, bins: int, room: int) -> float:
    """A bound on the probability that more than `room` of the elements fall into one bin.

    It is the tail of a binomial distribution from k = `room` + 1 on. Of its terms each is at most
    (n - k) / (k + 1) p / (1 - p) times the one before, so that they are less than a geometric series.
    """
    first = room + 1
    if first > elements:
        return 0.0
    part = 1 / bins
    ways = math.lgamma(elements + 1) - math.lgamma(first + 1) - math.lgamma(elements - first + 1)
    term = math.exp(ways + first * math.log(part) + (elements - first) * math.log1p(-part))
    ratio = (elements - first) / (first + 1) * part / (1 - part)
    return term / (1 - ratio) if ratio < 1 else 1.0


def fill(elements: list[int], key: bytes, sizes: Sizes, odd: int) -> list[list[int]]:
    """Each bin with its elements and as many others as are missing, in random order.

    Raises `BinOverflowError`, and `ValueError` for an element that is too large.
    """
    rows: list[list[int]] = [[] for _ in range(sizes.bins)]
    for element in dict.fromkeys(elements):
        if not 0 <= element < LIMIT:
            raise ValueError(f"{element}: elements are below 2^59")
        digest = hashlib.blake2b(element.to_bytes(8, "little"), key=key, digest_size=16).digest()
        rows[int.from_bytes(digest, "little") * sizes.bins >> 128].append(element)
    for place, row in enumerate(rows):
        if len(row) > sizes.room:
            raise BinOverflowError(place, len(row), sizes.room)
        row += [LIMIT + 2 * count + odd for count in range(sizes.room - len(row))]
        secrets.SystemRandom().shuffle(row)
    return rows


def inputs(mine, theirs, key=None):
    """What the protocol is given for two sets."""
    key = key or secrets.token_bytes(16)
    sizes = Sizes.of(max(len(mine), len(theirs)))
    client, server = (fill(each, key, sizes, odd) for odd, each in enumerate((mine, theirs)))
    return {"client": {"X": client}, "server": {"Y": server}, **sizes.params()}


def intersect(mine, theirs, **options):
    """The elements of both sets, as the client learns them."""
    found = tastyl.load(PROTOCOL).run(**inputs(mine, theirs), **options)["client"].get("in output set", [])
    return sorted(found if isinstance(found, list) else [found])


def main():
    """Intersects two random sets."""
    count = int(sys.argv[1])
    random = secrets.SystemRandom()
    mine, theirs = (random.sample(range(1 << 32), count) for _ in range(2))
    theirs[0] = mine[0]
    print(intersect(mine, theirs))


if __name__ == "__main__":
    main()
