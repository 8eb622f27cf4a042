"""Face recognition with the projection as a product of matrices: `face_recognition.py` without ciphertexts
of pixels.

The product's triple is made in setup, by lattice encryption, and online each party sends its own factor
under a mask. Distances are sums modulo 2^50, as wide as in TASTY, and the closest is found bit by bit.

The client sees which entry it is, or their number if none is close enough; the server sees nothing.

Source: TASTY, section 3.2 and appendix B; Sadeghi, Schneider, Wehrenberg, "Efficient privacy-preserving
face recognition" (2009). Differs: values are shared between both parties where these are encrypted.
"""

import numpy as np

import tacit as t

BITS = 50
"""Of a distance."""


def shared(number):
    """A number as a sum modulo 2^50."""
    kind = t.int(BITS) if number.kind.signed else t.uint(BITS)
    return t.wrapping(t.arith(number).astype(kind))


@t.function
def recognise(server: t.Role, client: t.Role, *, M: int = 42, K: int = 12, N: int = 10304) -> None:  # noqa: N803
    gamma = shared(client.input("gamma", t.u8[N]))
    u = shared(server.input("u", t.i8[K, N]))
    origin = shared(server.input("origin", t.i32[K]))
    omega = shared(server.input("omega", t.u32[M, K]))
    lengths = shared(server.input("lengths", t.uint(BITS)[M]))
    tau = server.input("tau", t.uint(BITS))

    projected = (u @ gamma).astype(t.int(BITS)) - origin
    square = (projected * projected).sum()
    distances = square + lengths - 2 * (omega.astype(t.int(BITS)) @ projected)

    bits = t.bool_(t.exact(distances).astype(t.uint(BITS)))
    is_close = bits.min() < t.bool_(tau)
    client.output("index", t.where(is_close, bits.argmin(), M))


def inputs(client, server):
    """What this takes, from what `face_recognition.py` takes."""
    u, omega = (np.array(server[name]) for name in ("u", "omega"))
    given = {"u": server["u"], "omega": server["omega"], "tau": server["tau"]}
    given["origin"] = (u @ server["psi"]).tolist()
    given["lengths"] = (omega**2).sum(axis=1).tolist()
    return {"client": client, "server": given}
