"""Tells which digit a client's picture shows, by a server's convolutional network.

Windows of 3 x 3 pixels and 8 channels, of which 2 x 2 are added up each, and 10 sums of these. What is seen,
and the numbers, are as in `mlp.py`. Windows and sums take no communication.

    python convolution.py
"""

import digits
from mlp import recognise, rectified

import tacit as t


@t.function
def classify(server: t.Role, client: t.Role, *, count: int = 1) -> None:
    """The digit of each picture."""
    channels = digits.CHANNELS
    pictures = t.arith(client.input("pictures", t.uint(5)[count, 64]))
    w1, b1 = t.arith(server.input("w1", t.i8[9, channels])), t.arith(server.input("b1", t.i16[channels]))
    w2, b2 = t.arith(server.input("w2", t.i8[9 * channels, 10])), t.arith(server.input("b2", t.i16[10]))
    windows = pictures[:, digits.windows().ravel().tolist()].reshape(count * 36, 9)
    hidden = rectified(windows @ w1 + b1).reshape(count, 36, channels)
    pooled = hidden[:, digits.pools().ravel().tolist()].reshape(count, 9, 4, channels).sum(axis=2)
    scores = pooled.reshape(count, 9 * channels) @ w2 + b2
    client.output("digits", t.bool_(scores).argmax(axis=1))


def main():
    """Recognises five pictures."""
    found, _, right = recognise(classify, True)
    print(f"found {found}; right is {right}")


if __name__ == "__main__":
    main()
