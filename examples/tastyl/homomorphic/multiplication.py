"""The product of two unsigned values of the bitlengths that a driver goes through, under encryption.

    tacit bench multiplication.py --driver multiplication.py --repeat 1 -o runs.jsonl
    tacit plot runs.jsonl --x l --y online_s -o multiplication_time.pdf

Source: TASTY, appendix C.
"""

from random import randint

from tacit.tastyl import Driver, Homomorphic, Unsigned


class BenchmarkingDriver(Driver):
    """basic driver for benchmarking"""

    def next_data_in(self):
        """Yield bitlength for each protocol run: l = 1, 2, ..., 80"""
        for bitlen in range(1, 81):
            self.params = {"l": bitlen}
            self.client_inputs = {"x": randint(0, 2**bitlen - 1)}
            self.server_inputs = {"y": randint(0, 2**bitlen - 1)}
            yield

    def next_data_out(self, outputs):
        """Check the product"""
        return outputs["client"]["r"] == self.client_inputs["x"] * self.server_inputs["y"]


driver = BenchmarkingDriver()  # select driver


def protocol(client, server, params):
    """TASTYL program to multiply two unsigned values held by C and S using HE"""
    # use parameter yielded by next_data_in
    LENGTH = params["l"]
    client.x = Unsigned(bitlen=LENGTH).input(src=driver, desc="x")
    server.y = Unsigned(bitlen=LENGTH).input(src=driver, desc="y")
    client.hx = Homomorphic(val=client.x)
    server.hx <<= client.hx
    server.hr = server.hx * server.y
    client.hr <<= server.hr
    client.r = Unsigned(val=client.hr)
    client.r.output(dest=driver, desc="r")
