r"""Which of a client's elements a server has too, by the roots of a polynomial under encryption.

The client's elements are the roots of p. For each of its elements y the server makes r p(y) + y with a
random r, which is y where p(y) is 0, and else a random number. The client sees as many such numbers as
the server has elements, in their order; the server sees ciphertexts.

    tacit run set_intersection.py --local --param M=3 --param N=2 \
        --input client='{"X": [5, 6, 7]}' --input server='{"Y": [6, 9]}'

Source: TASTY, appendix A; sizes are parameters. Elements are below 2^61 - 1, the modulus of Modular
values. An element that is not the server's counts as one by chance with probability N / 2^61.
"""

from tacit.tastyl import Homomorphic, HomomorphicVec, Modular, ModularVec, getPolyCoefficients

__params__ = {"M": 100, "N": 100}


def protocol(c, s, params):
    M = params["M"]  # size of client's set
    N = params["N"]  # size of server's set

    c.X = ModularVec(dim=M).input(desc="X")
    s.Y = ModularVec(dim=N).input(desc="Y")

    # interpolate coeffs of poly with roots c.X
    c.a = getPolyCoefficients()(c.X)

    # encrypt and send coefficients to server
    s.ha <<= HomomorphicVec(val=c.a)

    # evaluate and rerandomize p(y_i) under enc
    s.hbarY = HomomorphicVec(dim=N)
    for i in range(N):  # 0, ..., N-1
        # eval poly using Horner scheme
        s.p = s.ha[M]
        for j in range(M - 1, -1, -1):
            s.p = (s.p * s.Y[i]) + s.ha[j]
        s.hbarY[i] = s.p * Modular().rand() + Homomorphic(val=s.Y[i])

    # send hbarY to client and decrypt
    c.hbarY <<= s.hbarY
    c.barY = ModularVec(val=c.hbarY)

    # compute intersection of c.X and c.barY
    for e in c.X:
        if e in c.barY:
            c.output(e, desc="in output set")
