"""Fills bins for `set_intersection_bins.py`, and runs it.

    python bins.py 1000

The elements are integers below 2^59. No bin overflows but with probability 2^-40, over the choice of the
public key of the function that spreads elements over bins; an overflow is an error.
"""

import hashlib
import math
import secrets
import sys
from fractions import Fraction
from pathlib import Path

from tacit import tastyl

PROTOCOL = Path(__file__).with_name("set_intersection_bins.py")

LIMIT = 2**59
"""What fills up bins is from here on: even numbers at the client, odd ones at the server."""


def sizes(elements):
    """How many bins there are for so many elements, and how many elements go into one."""
    bins = max(1, elements // 55)
    mean = elements / bins
    # Beyond the mean, the binomial tail is below twice its first term, which is below that of Poisson's.
    size = int(mean) + 1
    while bins * 2 * math.exp(size * math.log(mean) - mean - math.lgamma(size + 1)) > 2**-40:
        size += 1
    return bins, size


def fill(elements, key, bins, size, odd):
    """Each bin with its elements and as many others as are missing, in random order."""
    rows: list[list[int]] = [[] for _ in range(bins)]
    for element in elements:
        if not 0 <= element < LIMIT:
            raise ValueError(f"{element}: elements are below 2^59")
        digest = hashlib.blake2b(element.to_bytes(8, "little"), key=key, digest_size=16).digest()
        rows[int(Fraction(int.from_bytes(digest, "little"), 1 << 128) * bins)].append(element)
    for row in rows:
        if len(row) > size:
            raise ValueError(f"a bin has {len(row)} elements, and room for {size}; take another key")
        row += [LIMIT + 2 * place + odd for place in range(size - len(row))]
        secrets.SystemRandom().shuffle(row)
    return rows


def inputs(mine, theirs, key=None):
    """What the protocol is given for two sets."""
    key = key or secrets.token_bytes(16)
    bins, size = sizes(max(len(mine), len(theirs)))
    filled = [fill(each, key, bins, size, odd) for odd, each in enumerate((mine, theirs))]
    return {"client": {"X": filled[0]}, "server": {"Y": filled[1]}, "B": bins, "C": size, "D": size}


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
