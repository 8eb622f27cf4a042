"""Four ways to multiply two values of `l` bits: HE1 and HE2 under encryption, GC1 and GC2 in circuits.

In the first of each, one party knows a factor: the server under encryption, where the product then takes
no message. In the second nobody knows the factors: they are given as two values that are added.

    tacit bench four_multiplications.py --driver four_multiplications.py --repeat 3 -o runs.jsonl
    python plot_multiplications.py runs.jsonl

Source: TASTY, section 5.1.2. Differs: bitlengths end at 63, since words under encryption have at most 128
bits.
"""

from random import randrange

from tacit.tastyl import Driver, Garbled, Homomorphic, Unsigned

WAYS = ("HE1", "HE2", "GC1", "GC2")
LENGTHS = (1, 2, 4, 8, 16, 24, 32, 48, 63)


class Multiplications(Driver):
    """Each way at each bitlength."""

    def next_data_in(self):
        for way in WAYS:
            for bitlen in LENGTHS:
                self.params = {"way": way, "l": bitlen}
                self.client_inputs = {name: randrange(1 << bitlen) for name in "xy"}
                self.server_inputs = {name: randrange(1 << bitlen) for name in "xy"}
                yield

    def next_data_out(self, outputs):
        client, server = self.client_inputs, self.server_inputs
        if self.params["way"].endswith("1"):
            return outputs["client"]["r"] == client["x"] * server["y"]
        return outputs["client"]["r"] == (client["x"] + server["x"]) * (client["y"] + server["y"])


driver = Multiplications()


def protocol(client, server, params):
    way, bits = params["way"], params["l"]
    encrypted = Homomorphic if way.startswith("HE") else Garbled
    client.x = Unsigned(bitlen=bits).input(src=driver, desc="x")
    client.y = Unsigned(bitlen=bits).input(src=driver, desc="y")
    server.x = Unsigned(bitlen=bits).input(src=driver, desc="x")
    server.y = Unsigned(bitlen=bits).input(src=driver, desc="y")
    server.ex <<= encrypted(val=client.x)
    if way.endswith("1"):
        server.er = server.ex * server.y
    else:
        server.ey <<= encrypted(val=client.y)
        server.er = (server.ex + server.x) * (server.ey + server.y)
    client.er <<= server.er
    client.r = Unsigned(val=client.er)
    client.r.output(dest=driver, desc="r")
