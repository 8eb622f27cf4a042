"""The smallest of the products of two vectors' elements, of which each party has one.

Source: TASTY, figure 7, with garbled values in place of homomorphic ones.
"""

from tacit.tastyl import GarbledVec, Unsigned, UnsignedVec


def protocol(client, server):
    N = 4
    L = 32

    # input of client
    client.v = UnsignedVec(bitlen=L, dim=N)
    client.v.input(desc="enter values for v")

    # input of server
    server.w = UnsignedVec(bitlen=L, dim=N)
    server.w.input(desc="enter values for w")

    # convert unsigned to garbled vector
    client.gv = GarbledVec(val=client.v)
    server.gv <<= client.gv

    # multiply vectors (component-wise)
    server.gx = server.gv * server.w

    # send garbled vector
    client.gx <<= server.gx

    # compute minimum value
    client.gmin = client.gx.min_value()

    # convert garbled to unsigned value and output
    client.min = Unsigned(val=client.gmin)
    client.min.output(desc="minimum value")
