"""Which of a client's elements a server has too: polynomials of the elements of each of many bins.

Both parties put their elements into bins by a public function, and fill up every bin to the same size:
`bins.py` does that. Only elements of one bin are compared, so that the server computes B C D products in
place of M N. What is seen is as in `set_intersection.py`, and the sizes B, C and D.

For each of the B D elements of the server's that is not common the client sees a number that is uniform
modulo P, and compares it with C of its own. So it takes one for a common element with probability at most
B C D / P, and parameters with which that is more than 2^-40 are refused.

Source: Freedman, Nissim, Pinkas, "Efficient private matching and set intersection" (2004), section 5.2.
Differs: the server has bins too, as the program may not depend on which bin an element is in.
"""

from tacit import ProgramError
from tacit.tastyl import (
    Homomorphic,
    HomomorphicVec,
    Modular,
    ModularVec,
    getPolyCoefficients,
    powers,
)

__params__ = {"B": 64, "C": 20, "D": 20, "P": 2**60 - 93}


def protocol(c, s, params):
    B = params["B"]  # number of bins
    C = params["C"]  # elements of the client in a bin
    D = params["D"]  # elements of the server in a bin
    P = params["P"]  # a prime above all elements
    if B * C * D << 40 > P:
        raise ProgramError(
            f"{B} bins of {C} and {D} elements take a modulus above {B * C * D << 40}, not {P}"
        )

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
