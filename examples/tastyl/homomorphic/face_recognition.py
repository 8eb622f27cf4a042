"""Finds the face in a server's database that is closest to a client's, if it is closer than a threshold.

The client sees which entry it is, or that there is none; the server sees ciphertexts. `faces.py` makes
faces and draws what both see.

Source: TASTY, appendix B, whose `max_value_index` stands for `min_value_index`; sizes are parameters.
"""

from tacit.tastyl import (
    Garbled,
    GarbledVec,
    Homomorphic,
    HomomorphicVec,
    SignedVec,
    Unsigned,
    UnsignedVec,
    bitlength,
)

__params__ = {"K": 12, "N": 10304, "M": 42}


def protocol(c, s, params):
    K = params["K"]  # dimension of eigenspace
    N = params["N"]  # number of pixels
    M = params["M"]  # size of database

    # Declarations
    s.homegabar = HomomorphicVec(dim=K)
    s.hgamma = HomomorphicVec(dim=N)
    s.hD = HomomorphicVec(dim=M)
    c.bot = Unsigned(val=M, bitlen=bitlength(M + 1))
    c.gbot = Garbled(val=c.bot)

    # Client inputs
    c.gamma = UnsignedVec(bitlen=8, dim=N).input()

    # Server inputs
    s.omega = UnsignedVec(bitlen=32, dim=(M, K)).input()
    s.psi = UnsignedVec(bitlen=8, dim=N).input()
    s.u = SignedVec(bitlen=8, dim=(K, N)).input()
    s.tau = Unsigned(bitlen=50).input()

    # Projection
    s.hgamma <<= HomomorphicVec(val=c.gamma)
    for i in range(K):
        s.homegabar[i] = Homomorphic(val=-(s.u[i].dot(s.psi))) + (s.hgamma.dot(s.u[i]))

    # Distance
    s.hs3 = s.homegabar.dot(s.homegabar)
    for i in range(M):
        s.hD[i] = s.hs3 + s.omega[i].dot(s.omega[i])
        s.hD[i] += s.homegabar.dot(s.omega[i] * (-2))

    # Minimum
    c.gD <<= GarbledVec(val=s.hD, force_bitlen=50, force_signed=False)
    c.gDmin_val, c.gDmin_ix = c.gD.min_value_index()
    c.gtau <<= Garbled(val=s.tau)
    c.gcmp = c.gDmin_val < c.gtau
    c.gout = c.gcmp.mux(c.gbot, c.gDmin_ix)
    c.out = Unsigned(val=c.gout)
    if c.out == c.bot:
        c.output("no match found")
    else:
        c.out.output(desc="matched index in DB")
