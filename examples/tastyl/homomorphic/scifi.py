r"""Which of a server's faces a client's face is, by Hamming distances and a threshold for each face.

A face is a vector of bits: of each of its parts, which words of a vocabulary it is most like. The client's
bits are encrypted, the server adds up where they differ from those of each of its faces, and a circuit
compares the sums with the server's thresholds. The client sees the places of the faces that are near
enough; the server sees ciphertexts. The driver generates faces, and checks what comes out.

    tacit run scifi.py --local --driver scifi.py

Source: Osadchy, Pinkas, Jarrous, Moskovich, "SCiFI - a system for secure face identification" (2010), whose
vectors have 900 bits. Differs: a circuit stands for the transfer of one of as many bits as there are
distances, by which SCiFI compares.
"""

from random import SystemRandom

from tacit.tastyl import Driver, GarbledVec, HomomorphicVec, UnsignedVec, bitlength

__params__ = {"N": 100, "L": 900}

PARTS, WORDS = 30, 6
"""Parts of a face, and of how many of its part's words each says that they are like it."""


def face(bits, random):
    """A face: in each part the same number of bits are 1."""
    of_part = bits // PARTS
    words = [set(random.sample(range(of_part), min(WORDS, of_part))) for _ in range(PARTS)]
    return [int(word in part) for part in words for word in range(of_part)] + [0] * (bits % PARTS)


def seen_again(bits, random):
    """Another picture of a face, in which one bit in twenty differs."""
    changed = set(random.sample(range(len(bits)), len(bits) // 20))
    return [bit ^ (place in changed) for place, bit in enumerate(bits)]


def distance(x, y):
    """In how many places two faces differ."""
    return sum(one != other for one, other in zip(x, y, strict=True))


def make(faces, bits, random):
    """Inputs of both parties: the client's face is the middle one of the server's, seen again."""
    known = [face(bits, random) for _ in range(faces)]
    thresholds = [random.randint(bits // 18, bits // 9) for _ in known]
    return {"face": seen_again(known[faces // 2], random)}, {"faces": known, "thresholds": thresholds}


def near(client, server):
    """The places that the client is to see."""
    pairs = zip(server["faces"], server["thresholds"], strict=True)
    return [place for place, (one, most) in enumerate(pairs) if distance(client["face"], one) <= most]


class Faces(Driver):
    """A face that the server knows, and one that it does not."""

    def next_data_in(self):
        random, self.params = SystemRandom(), dict(__params__)
        self.client_inputs, self.server_inputs = make(__params__["N"], __params__["L"], random)
        yield
        self.client_inputs = {"face": face(__params__["L"], random)}
        yield

    def next_data_out(self, outputs):
        found = outputs["client"].get("match", [])
        return (found if isinstance(found, list) else [found]) == near(self.client_inputs, self.server_inputs)


driver = Faces()


def protocol(client, server, params):
    N, L = params["N"], params["L"]
    client.face = UnsignedVec(bitlen=1, dim=L).input(src=driver, desc="face")
    server.faces = UnsignedVec(bitlen=1, dim=(N, L)).input(src=driver, desc="faces")
    server.thresholds = UnsignedVec(bitlen=bitlength(L), dim=N).input(src=driver, desc="thresholds")

    # Where b is the server's bit and x the client's, they differ in x + b - 2 b x.
    server.hface <<= HomomorphicVec(val=client.face)
    server.ones = UnsignedVec(val=[server.faces[i].sum() for i in range(N)])
    server.hcommon = HomomorphicVec(val=server.faces).dot(server.hface)
    server.hd = server.hface.sum() + server.ones - server.hcommon * 2

    client.gd <<= GarbledVec(val=server.hd, force_bitlen=bitlength(L), force_signed=False)
    client.gt <<= GarbledVec(val=server.thresholds)
    client.near = UnsignedVec(val=client.gd <= client.gt)
    for i in range(N):
        if client.near[i]:
            client.output(i, desc="match")
