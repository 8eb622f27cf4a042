"""Handwritten digits, two networks that tell them apart, and their weights in whole numbers.

    python digits.py

trains both networks on 1400 pictures of `digits.txt`, chosen at random once and for all, and prints how
many of the other 397 each one gets right: in floating point, and in the whole numbers that `mlp.py` and
`convolution.py` compute with.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

TRAINED = 1400
"""Pictures that networks are trained on, the first ones; those that follow are for testing."""

FRACTION = 6
"""Bits of weights after the point; they have 8 bits in all."""

PIXEL = 4
"""A pixel of 16 is 1."""

CHANNELS = 8
"""Of the convolution."""


@cache
def load():
    """All pictures, 64 numbers each, and the digits that they show, in an order that was drawn once."""
    lines = Path(__file__).with_name("digits.txt").read_text("utf-8").splitlines()
    pairs = [line.split() for line in lines if not line.startswith("#")]
    order = np.random.default_rng(0).permutation(len(pairs))
    pictures = np.array([[int(pixel, 17) for pixel in picture] for picture, _ in pairs])
    return pictures[order], np.array([int(digit) for _, digit in pairs])[order]


def windows():
    """Of each of the 6 x 6 places of a window, the positions of its 3 x 3 pixels."""
    corners = [8 * row + column for row in range(6) for column in range(6)]
    return np.array(
        [[corner + 8 * row + column for row in range(3) for column in range(3)] for corner in corners]
    )


def pools():
    """Of each of the 3 x 3 results of pooling, the positions of the 2 x 2 places that are added up."""
    corners = [6 * row + column for row in range(0, 6, 2) for column in range(0, 6, 2)]
    return np.array([[corner, corner + 1, corner + 6, corner + 7] for corner in corners])


@dataclass(frozen=True)
class Network:
    """The weights and biases of two layers, of which the first may be a convolution."""

    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    convolves: bool

    def seen(self, pictures):
        """What the first layer's weights are multiplied by."""
        return pictures[:, windows()] if self.convolves else pictures

    def pooled(self, hidden):
        """What the second layer's weights are multiplied by."""
        if not self.convolves:
            return hidden
        return hidden[:, pools()].sum(axis=2).reshape(len(hidden), -1)

    def hidden(self, pictures):
        """The first layer, of which negative results count as 0."""
        return np.maximum(self.seen(pictures) @ self.weights[0] + self.biases[0], 0)

    def scores(self, pictures):
        """How much each picture looks like each digit."""
        return self.pooled(self.hidden(pictures)) @ self.weights[1] + self.biases[1]

    def quantised(self):
        """The same in whole numbers."""
        unit = 1 << FRACTION
        weights = tuple(np.clip(np.rint(each * unit), -128, 127).astype(int) for each in self.weights)
        # A product of a weight and a pixel, or what a hidden number is rounded to, has both fractions.
        biases = tuple(np.rint(each * (unit << PIXEL)).astype(int) for each in self.biases)
        return Quantised(weights, biases, self.convolves)

    def inputs(self):
        """What the server gives to the programs."""
        names = ("w1", "w2", "b1", "b2")
        return dict(zip(names, (each.tolist() for each in (*self.weights, *self.biases)), strict=True))


class Quantised(Network):
    """A network of whole numbers: pixels from 0 to 16, weights of 8 bits."""

    def hidden(self, pictures):
        return super().hidden(pictures) >> FRACTION


def train(convolves, steps=1500, batch=64, rate=3e-3):
    """A network that was trained on the first pictures, by Adam; the same one whenever it is trained."""
    random = np.random.default_rng(7)
    pictures, digits = load()
    pictures, targets = pictures[:TRAINED] / (1 << PIXEL), np.eye(10)[digits[:TRAINED]]
    shapes = [(9, CHANNELS), (9 * CHANNELS, 10)] if convolves else [(64, 128), (128, 10)]
    values = [random.normal(0, (2 / shape[0]) ** 0.5, shape) for shape in shapes]
    values += [np.zeros(shape[1]) for shape in shapes]
    means, squares = [np.zeros_like(each) for each in values], [np.zeros_like(each) for each in values]
    for step in range(1, steps + 1):
        chosen = random.integers(0, TRAINED, batch)
        network = Network(tuple(values[:2]), tuple(values[2:]), convolves)
        for place, slope in enumerate(slopes(network, pictures[chosen], targets[chosen])):
            slope = slope + 1e-3 * values[place]
            means[place] = 0.9 * means[place] + 0.1 * slope
            squares[place] = 0.999 * squares[place] + 0.001 * slope**2
            mean, square = means[place] / (1 - 0.9**step), squares[place] / (1 - 0.999**step)
            values[place] = values[place] - rate * mean / (square**0.5 + 1e-8)
    return Network(tuple(values[:2]), tuple(values[2:]), convolves)


def slopes(network, pictures, targets):
    """How the loss changes with both weights and both biases."""
    hidden = network.hidden(pictures)
    pooled = network.pooled(hidden)
    scores = pooled @ network.weights[1] + network.biases[1]
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = (likely / likely.sum(axis=1, keepdims=True) - targets) / len(targets)
    back = error @ network.weights[1].T
    if network.convolves:
        spread = np.zeros_like(hidden)
        spread[:, pools()] = back.reshape(len(back), 9, 1, CHANNELS)
        back = spread
    back = back * (hidden > 0)
    seen = network.seen(pictures)
    first = np.tensordot(seen, back, axes=(range(seen.ndim - 1), range(back.ndim - 1)))
    return first, pooled.T @ error, back.sum(axis=tuple(range(back.ndim - 1))), error.sum(axis=0)


def accuracy(network, is_whole):
    """The share of the pictures for testing that a network gets right."""
    pictures, digits = (each[TRAINED:] for each in load())
    scores = network.scores(pictures if is_whole else pictures / (1 << PIXEL))
    return float((scores.argmax(axis=1) == digits).mean())


def main():
    """Trains and tests both."""
    for name, convolves in (("64-128-10", False), ("convolution", True)):
        network = train(convolves)
        plain, fixed = accuracy(network, False), accuracy(network.quantised(), True)
        print(f"{name}: {plain:.1%} in floating point, {fixed:.1%} in whole numbers")


if __name__ == "__main__":
    main()
