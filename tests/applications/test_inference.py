"""Networks on handwritten digits, and faces by sums: what is found is what whole numbers give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tacit.python_file import load_module

EXAMPLES = Path(__file__).parents[2] / "examples"
HOMOMORPHIC = EXAMPLES / "tastyl" / "homomorphic"
digits, mlp, convolution = (
    load_module(EXAMPLES / "inference" / f"{name}.py") for name in ("digits", "mlp", "convolution")
)


def test_networks_find_what_whole_numbers_give() -> None:
    for program, convolves in ((mlp, False), (convolution, True)):
        found, expected, _ = mlp.recognise(program.classify, convolves, 3)
        assert found == expected
        network = digits.train(convolves)
        plain, whole = digits.accuracy(network, False), digits.accuracy(network.quantised(), True)
        assert plain > 0.95 and abs(plain - whole) < 0.02


def test_the_page_names_what_there_is() -> None:
    """The command of the page runs, and its accuracies are those of the networks, within a percent."""
    page = (EXAMPLES.parent / "docs" / "private-inference.md").read_text("utf-8")
    for line in page.splitlines():
        if line.startswith("    python "):
            program = EXAMPLES.parent / line.split()[1]
            subprocess.run([sys.executable, str(program)], check=True, capture_output=True, timeout=120)
    for name, convolves in (("64-128-10", False), ("convolution", True)):
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        plain, whole = (float(cell.strip(" %")) / 100 for cell in row.split("|")[2:4])
        network = digits.train(convolves)
        assert abs(digits.accuracy(network, False) - plain) < 0.01
        assert abs(digits.accuracy(network.quantised(), True) - whole) < 0.01


def test_faces_by_sums() -> None:
    faces, face_recognition_sums = (
        load_module(HOMOMORPHIC / f"{name}.py") for name in ("faces", "face_recognition_sums")
    )
    made = faces.make(20, 5)
    given = face_recognition_sums.inputs(made.client, made.server)
    sizes = {"M": 20, "K": 5, "N": 28 * 23}
    assert face_recognition_sums.recognise.run(**given, **sizes)["client"] == {"index": 10}
    given["server"]["tau"] = 0
    assert face_recognition_sums.recognise.run(**given, **sizes)["client"] == {"index": 20}
