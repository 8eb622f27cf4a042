r"""The smallest product of two parties' numbers: products under encryption, the minimum in a circuit.

    tacit run minimum_product.py --local --input client='{"v": [5, 6, 7, 8]}' \
        --input server='{"w": [9, 3, 4, 5]}'

Source: TASTY, figure 7.
"""

from tacit.tastyl import GarbledVec, HomomorphicVec, Unsigned, UnsignedVec


def protocol(client, server):
    N = 4
    L = 32

    # input of client
    client.v = UnsignedVec(bitlen=L, dim=N)
    client.v.input(desc="enter values for v")

    # input of server
    server.w = UnsignedVec(bitlen=L, dim=N)
    server.w.input(desc="enter values for w")

    # convert unsigned to homomorphic vector
    client.hv = HomomorphicVec(val=client.v)
    server.hv <<= client.hv

    # multiply vectors (component-wise)
    server.hx = server.hv * server.w

    # convert homomorphic to garbled vector
    client.gx <<= GarbledVec(val=server.hx)

    # compute minimum value
    client.gmin = client.gx.min_value()

    # convert garbled to unsigned value and output
    client.min = Unsigned(val=client.gmin)
    client.min.output(desc="minimum value")
