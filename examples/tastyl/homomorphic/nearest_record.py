r"""1-of-N transfer by Hamming distance: the record whose key is nearest to the client's, if near enough.

The client's bits are encrypted, and the server adds up where they differ from its own; the nearest is
found in a circuit. The client sees the record or that none is near enough, which counts as 0; the server
sees ciphertexts.

    tacit run nearest_record.py --local --param N=2 --param L=4 --input client='{"key": [1, 0, 1, 1]}' \
        --input server='{"keys": [[0, 0, 0, 0], [1, 1, 1, 1]], "records": [17, 42], "within": 2}'

Source: distances as in Osadchy, Pinkas, Jarrous, Moskovich, "SCiFI - a system for secure face
identification" (2010), §4; the choice as in TASTY, appendix B.
"""

from tacit.tastyl import Garbled, GarbledVec, HomomorphicVec, Unsigned, UnsignedVec, bitlength

__params__ = {"N": 10, "L": 900}


def protocol(client, server, params):
    N, L = params["N"], params["L"]
    client.key = UnsignedVec(bitlen=1, dim=L).input()
    server.keys = UnsignedVec(bitlen=1, dim=(N, L)).input()
    server.records = UnsignedVec(bitlen=32, dim=N).input()
    server.within = Unsigned(bitlen=bitlength(L)).input()

    # Where b is the server's bit and x the client's, they differ in x + b - 2 b x.
    server.hkey <<= HomomorphicVec(val=client.key)
    server.ones = UnsignedVec(val=[server.keys[i].sum() for i in range(N)])
    server.hcommon = HomomorphicVec(val=server.keys).dot(server.hkey)
    server.hd = server.hkey.sum() + server.ones - server.hcommon * 2

    client.gd <<= GarbledVec(val=server.hd, force_bitlen=bitlength(L), force_signed=False)
    client.grecords <<= GarbledVec(val=server.records)
    client.gwithin <<= Garbled(val=server.within)
    client.gnearest = client.gd.min_value()
    client.gindex = client.gd.min_index()
    client.grecord = Garbled(val=0, bitlen=32)
    for i in range(N):
        client.grecord = (client.gindex == i).mux(client.grecord, client.grecords[i])
    client.gnear = client.gnearest <= client.gwithin
    client.record = Unsigned(val=client.gnear.mux(Garbled(val=0, bitlen=32), client.grecord))
    client.record.output(desc="record")
