"""base ** exponent % modulus, of which one party has the base and the other has the exponent and the modulus.

Source: ABY (NDSS'15), listing 1: square and multiply, a step for each bit of the exponent. `domains` are
those of products, choices and remainders: "ABY" is the paper's mixed protocol, "YYY" and "BBB" are those of
one domain, and "" leaves the choice to the planner.
"""

from pins import pin

import tacit as t


@t.function
def power(server: t.Role, client: t.Role, *, bits: int = 32, domains: str = "ABY") -> None:
    """The client learns the power."""
    multiply, choose, reduce = tuple(domains) or ("", "", "")
    base = server.input("base", t.uint(bits))
    exponent = pin(choose, client.input("exponent", t.uint(bits)))
    modulus = pin(reduce, client.input("modulus", t.uint(bits)))

    def multiplied(x: t.Array, y: t.Array) -> t.Array:
        product = pin(multiply, x) * pin(multiply, y)
        return pin(reduce, product) % modulus

    result = t.constant(1, t.uint(bits))
    for i in reversed(range(bits)):
        result = multiplied(result, result)
        result = t.where(exponent.bit(i), pin(choose, multiplied(result, base)), pin(choose, result))
    client.output("power", result)
