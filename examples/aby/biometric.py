"""The least squared distance of a sample to the entries of a database, and whose it is.

Source: ABY (NDSS'15), §VI-C. `domains` are those of distances and of the minimum: "AY" and "AB" are the
paper's mixed protocols, "YY" and "BB" are those of one domain, and "" leaves the choice to the planner.
"""

from pins import pin

import tacit as t


@t.function
def match(
    server: t.Role, client: t.Role, *, n: int = 512, d: int = 4, bits: int = 8, domains: str = "AY"
) -> None:
    """The client learns the distance and the entry."""
    distances, minimum = tuple(domains) or ("", "")
    database = pin(distances, server.input("database", t.uint(bits)[n, d]))
    sample = pin(distances, client.input("sample", t.uint(bits)[d]))
    distance = pin(minimum, ((database - sample) ** 2).sum(axis=1))
    client.output("distance", distance.min())
    client.output("index", distance.argmin())
