"""Networks on handwritten digits, and faces by sums: what is found is what whole numbers give."""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path[:0] = [str(EXAMPLES / "inference"), str(EXAMPLES / "tastyl" / "homomorphic")]

import convolution
import digits
import face_recognition_sums
import faces
import mlp


def test_networks_find_what_whole_numbers_give() -> None:
    for program, convolves in ((mlp, False), (convolution, True)):
        found, expected, _ = mlp.recognise(program.classify, convolves, 3)
        assert found == expected
        network = digits.train(convolves)
        plain, whole = digits.accuracy(network, False), digits.accuracy(network.quantised(), True)
        assert plain > 0.95 and abs(plain - whole) < 0.02


def test_faces_by_sums() -> None:
    made = faces.make(20, 5)
    given = face_recognition_sums.inputs(made.client, made.server)
    sizes = {"M": 20, "K": 5, "N": 28 * 23}
    assert face_recognition_sums.recognise.run(**given, **sizes)["client"] == {"index": 10}
    given["server"]["tau"] = 0
    assert face_recognition_sums.recognise.run(**given, **sizes)["client"] == {"index": 20}
