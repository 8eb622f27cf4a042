"""Tells which digit a client's picture shows, by a server's network of 64, 128 and 10 numbers.

The client sees the digit and nothing else of the network; the server sees nothing. `digits.py` trains the
network. All numbers are whole; see `digits.py` for their fractions.

    python mlp.py

recognises some pictures that the network was not trained on.
"""

import digits

import tacit as t


def rectified(sums):
    """Negative numbers as 0, the others without the bits of a product that are not kept."""
    bits = t.bool_(sums)
    return t.arith(t.where(bits > 0, bits, 0).astype(t.uint(sums.kind.bits - 1)) >> digits.FRACTION)


@t.function
def classify(server: t.Role, client: t.Role, *, count: int = 1) -> None:
    """The digit of each picture."""
    pictures = t.arith(client.input("pictures", t.uint(5)[count, 64]))
    w1, b1 = t.arith(server.input("w1", t.i8[64, 128])), t.arith(server.input("b1", t.i16[128]))
    w2, b2 = t.arith(server.input("w2", t.i8[128, 10])), t.arith(server.input("b2", t.i16[10]))
    hidden = rectified(pictures @ w1 + b1)
    scores = hidden @ w2 + b2
    client.output("digits", t.bool_(scores).argmax(axis=1))


def recognise(function, convolves, count=5):
    """What the program finds of so many pictures for testing, what whole numbers give, and what is right."""
    pictures, right = (each[digits.TRAINED :][:count] for each in digits.load())
    network = digits.train(convolves).quantised()
    outputs = function.run(
        client={"pictures": pictures.tolist()}, server=network.inputs(), count=count, matrices="lattice"
    )
    return outputs["client"]["digits"], network.scores(pictures).argmax(axis=1).tolist(), right.tolist()


def main():
    """Recognises five pictures."""
    found, _, right = recognise(classify, False)
    print(f"found {found}; right is {right}")


if __name__ == "__main__":
    main()
