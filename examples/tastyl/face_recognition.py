"""Finds the face in a server's database that is closest to a client's, if it is closer than a threshold.

Source: TASTY, appendix B, with garbled values in place of homomorphic ones.
"""

from tacit.tastyl import Garbled, GarbledVec, SignedVec, Unsigned, UnsignedVec, bitlength

__params__ = {"K": 12, "N": 10304, "M": 42}


def protocol(c, s, params):
    K = params["K"]  # dimension of eigenspace
    N = params["N"]  # number of pixels
    M = params["M"]  # size of database

    # Declarations
    s.gomegabar = GarbledVec(dim=K)
    s.ggamma = GarbledVec(dim=N)
    s.gD = GarbledVec(dim=M)
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
    s.ggamma <<= GarbledVec(val=c.gamma)
    for i in range(K):
        s.gomegabar[i] = Garbled(val=-(s.u[i].dot(s.psi))) + (s.ggamma.dot(s.u[i]))

    # Distance
    s.gs3 = s.gomegabar.dot(s.gomegabar)
    for i in range(M):
        s.gD[i] = s.gs3 + s.omega[i].dot(s.omega[i])
        s.gD[i] += s.gomegabar.dot(s.omega[i] * (-2))

    # Minimum
    c.gD <<= GarbledVec(val=s.gD, force_bitlen=50, force_signed=False)
    c.gDmin_val, c.gDmin_ix = c.gD.min_value_index()
    c.gtau <<= Garbled(val=s.tau)
    c.gcmp = c.gDmin_val < c.gtau
    c.gout = c.gcmp.mux(c.gbot, c.gDmin_ix)
    c.out = Unsigned(val=c.gout)
    if c.out == c.bot:
        c.output("no match found")
    else:
        c.out.output(desc="matched index in DB")
