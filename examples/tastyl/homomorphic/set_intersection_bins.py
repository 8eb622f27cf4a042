"""Which of a client's elements a server has too: polynomials of the elements of each of many bins.

Both parties put their elements into bins by a public function, and fill up every bin to the same size:
`bins.py` does that. Only elements of one bin are compared, so that the server computes B C D products in
place of M N. What is seen is as in `set_intersection.py`, and the sizes B, C and D.

Source: Freedman, Nissim, Pinkas, "Efficient private matching and set intersection" (2004), section 5.2.
Differs: the server has bins too, as the program may not depend on which bin an element is in.
"""

from tacit.tastyl import (
    Homomorphic,
    HomomorphicVec,
    Modular,
    ModularVec,
    getPolyCoefficients,
    powers,
)

P = 2**60 - 93
"""The largest prime of 60 bits."""

__params__ = {"B": 64, "C": 20, "D": 20}


def protocol(c, s, params):
    B = params["B"]  # number of bins
    C = params["C"]  # elements of the client in a bin
    D = params["D"]  # elements of the server in a bin

    c.X = ModularVec(modulus=P, dim=(B, C)).input(desc="X")
    s.Y = ModularVec(modulus=P, dim=(B, D)).input(desc="Y")
    for b in range(B):
        c.a = getPolyCoefficients()(c.X[b])
        s.ha <<= HomomorphicVec(val=c.a)
        s.hbarY = HomomorphicVec(dim=D)
        for i in range(D):
            s.y = s.Y[b][i]
            s.hbarY[i] = s.ha.dot(powers(s.y, C + 1)) * Modular(modulus=P).rand() + Homomorphic(val=s.y)
        c.hbarY <<= s.hbarY
        c.barY = ModularVec(val=c.hbarY)
        c.row = c.X[b]
        for e in c.row:
            if e in c.barY:
                c.output(e, desc="in output set")
