"""The sum of two signed values, by a circuit from a file in the form of the FairplayMP compiler.

Source: TASTY, section 4.1.2, circuits from file.
"""

from tacit.tastyl import FairplayCircuit, Garbled, GarbledCircuit, Signed, protocol_path


def protocol(client, server):
    gc = GarbledCircuit(
        FairplayCircuit(protocol_path("add.shdl")), ["alice.input", "bob.input"], ["alice.output"]
    )

    # Plain inputs
    client.x = Signed(bitlen=4).input(desc="a")
    server.y = Signed(bitlen=4).input(desc="b")

    # Convert plain to garbled inputs
    client.gx = Garbled(val=client.x)
    client.gy <<= Garbled(val=server.y)

    # Evaluate the circuit
    (client.gz,) = gc([client.gx, client.gy])

    # Convert garbled to plain outputs
    client.z = Signed(val=client.gz)
    client.z.output(desc="sum")
