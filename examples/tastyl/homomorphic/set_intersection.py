r"""Which of a client's elements a server has too, by the roots of a polynomial under encryption.

The client's elements are the roots of p. For each of its elements y the server makes r p(y) + y with a
random r, which is y where p(y) is 0, and else a random number. The client sees as many such numbers as
the server has elements, in their order; the server sees ciphertexts.

    tacit run set_intersection.py --local --param M=3 --param N=2 \
        --input client='{"X": [5, 6, 7]}' --input server='{"Y": [6, 9]}'

Source: TASTY, section 3.1 and appendix A, whose numbers are modulo the cryptosystem's modulus. Differs:
here they are modulo the prime P of 39 bits, and since what is encrypted is not reduced modulo P, the
server reduces its factors r y^j, and adds a random multiple of P that is longer by 40 bits than what it
hides. An element that is not the client's counts as one by chance with probability M / P.
"""

from tacit.tastyl import HomomorphicVec, Unsigned, UnsignedVec

P = 2**39 - 7
"""The largest prime of 39 bits."""
HIDING = 40
"""Bits by which masks are longer than what they hide."""

__params__ = {"M": 10, "N": 10}


def coefficients(roots):
    """Those of the polynomial of these roots modulo P, the constant one first."""
    found = [Unsigned(val=1)]
    for root in roots:
        shifted = [Unsigned(val=0), *found]
        scaled = [coefficient * (P - root) for coefficient in found] + [Unsigned(val=0)]
        found = [(x + y) % P for x, y in zip(shifted, scaled, strict=True)]
    return found


def protocol(c, s, params):
    M = params["M"]  # size of client's set
    N = params["N"]  # size of server's set
    c.X = UnsignedVec(bitlen=32, dim=M).input(desc="X")
    s.Y = UnsignedVec(bitlen=32, dim=N).input(desc="Y")

    # interpolate coefficients of polynomial with roots c.X
    c.a = UnsignedVec(val=coefficients(c.X), force_bitlen=39)

    # encrypt and send coefficients to server
    s.ha <<= HomomorphicVec(val=c.a)

    # evaluate and rerandomize p(y_i) under encryption
    s.hbarY = HomomorphicVec(dim=N)
    for i in range(N):  # 0, ..., N - 1
        s.r = Unsigned(bitlen=39 + HIDING).rand() % (P - 1) + 1
        powers = [s.r]
        for _ in range(M):
            powers.append(powers[-1] * s.Y[i] % P)
        s.w = UnsignedVec(val=powers, force_bitlen=39)
        s.multiple = Unsigned(bitlen=39 + M.bit_length() + HIDING).rand() * P
        s.hbarY[i] = s.ha.dot(s.w) + (s.multiple + s.Y[i])

    # send hbarY to client and decrypt
    c.hbarY <<= s.hbarY
    c.barY = UnsignedVec(val=c.hbarY) % P

    # compute intersection of c.X and c.barY
    for e in c.X:
        if e in c.barY:
            c.output(e, desc="in output set")
