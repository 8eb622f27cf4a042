"""The other programs of `examples/tastyl/homomorphic`: faces, sets in bins, records, and what is drawn."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Tacit
from tacit import tastyl
from tacit.measure import load
from tacit.python_file import load_module

PROGRAMS = EXAMPLES / "tastyl" / "homomorphic"
PNG = b"\x89PNG\r\n\x1a\n"


def module(name: str) -> ModuleType:
    return load_module(PROGRAMS / name)


# Set intersection in bins


@pytest.fixture(scope="module")
def bins() -> ModuleType:
    return module("bins.py")


def test_set_intersection_in_bins(bins: ModuleType) -> None:
    random_ = random.Random(4)
    mine, theirs = (random_.sample(range(1 << 32), 120) for _ in range(2))
    theirs[:3] = mine[5:8]
    given = bins.inputs(mine, theirs)
    assert (given["B"], given["P"]) == (2, 2**60 - 93)
    assert bins.intersect(mine, theirs) == sorted(mine[5:8])
    with pytest.raises(ValueError, match="below 2"):
        bins.intersect([1 << 59], [1])


def tail(elements: int, bins: int, room: int) -> Fraction:
    """The probability that more than `room` of the elements fall into the first bin, in full."""
    ways = (
        math.comb(elements, count) * (bins - 1) ** (elements - count)
        for count in range(room + 1, elements + 1)
    )
    return Fraction(sum(ways), bins**elements)


@pytest.mark.parametrize("elements", [1, 2, 54, 110, 164, 500, 1000, 3000])
def test_bins_overflow_or_chance_misleads_with_probability_2_to_the_minus_40(
    bins: ModuleType, elements: int
) -> None:
    sizes = bins.Sizes.of(elements)
    overflows = 2 * sizes.bins * tail(elements, sizes.bins, sizes.room)
    chance = Fraction(sizes.bins * sizes.room**2, sizes.modulus)
    assert overflows + chance <= Fraction(1, 2**40)
    assert overflows <= 2 * sizes.bins * bins.overflow(elements, sizes.bins, sizes.room) <= 2.0**-41
    # One less would not do, but for sets that fit whole.
    assert sizes.bins == 1 or 2 * sizes.bins * bins.overflow(elements, sizes.bins, sizes.room - 1) > 2.0**-41


def test_moduli_of_bins_are_primes_above_all_elements(bins: ModuleType) -> None:
    for prime in bins.PRIMES:
        t.field(prime)  # refuses others
        assert prime > bins.LIMIT + 2 * bins.Sizes.of(10**6).room
    assert [bins.Sizes.of(count).modulus for count in (1000, 10**6)] == list(bins.PRIMES)
    with pytest.raises(bins.TooManyElementsError, match="intersect parts") as caught:
        bins.Sizes.of(10**7)
    assert (caught.value.elements, isinstance(caught.value, t.InputError)) == (10**7, True)


def test_a_bin_that_overflows_is_refused(bins: ModuleType) -> None:
    sizes = bins.Sizes(bins=2, room=3, modulus=bins.PRIMES[0])
    with pytest.raises(bins.BinOverflowError, match="take another key") as caught:
        bins.fill(list(range(100)), bytes(16), sizes, 0)
    assert caught.value.room == 3
    assert caught.value.elements > 3
    assert caught.value.bin in (0, 1)
    assert isinstance(caught.value, t.InputError)
    # Of a set, an element counts once.
    assert sum(row.count(7) for row in bins.fill([7] * 100, bytes(16), sizes, 0)) == 1


def test_rows_that_are_longer_than_a_bin_are_refused_before_anything_is_sent() -> None:
    protocol = tastyl.load(PROGRAMS / "set_intersection_bins.py")
    sizes = {"B": 1, "C": 2, "D": 2}
    for given in ([[1, 2, 3]], [[1]], [[1, 2], [3, 4]]):
        with pytest.raises((t.InputError, t.ShapeError), match="X"):
            protocol.trace(**sizes).encode({"client": {"X": given}})
    with pytest.raises(t.InputError, match="X"):
        protocol.trace(**sizes).encode({"client": {"X": [[1, 2**60 - 93]]}})


def test_a_modulus_that_leaves_too_much_to_chance_is_refused() -> None:
    protocol = tastyl.load(PROGRAMS / "set_intersection_bins.py")
    assert protocol.trace(B=1, C=1 << 10, D=1 << 9)
    for sizes in ({"B": 2, "C": 1 << 10, "D": 1 << 10}, {"B": 1, "C": 2, "D": 2, "P": 2**31 - 1}):
        with pytest.raises(t.ProgramError, match="take a modulus above"):
            protocol.trace(**sizes)
    with pytest.raises(t.KindError, match="not a prime"):
        protocol.trace(P=2**60 - 1)


# Faces as bits


@pytest.fixture(scope="module")
def scifi() -> ModuleType:
    return module("scifi.py")


def test_faces_of_scifi_are_found(scifi: ModuleType) -> None:
    protocol, random_ = tastyl.load(PROGRAMS / "scifi.py"), random.Random(5)
    client, server = scifi.make(6, 90, random_)
    distances = [scifi.distance(client["face"], one) for one in server["faces"]]
    server["thresholds"] = [
        distance - (place in (0, 2)) for place, distance in enumerate(distances[:4])
    ] + [0, 90]  # fmt: skip
    outputs = protocol.run(client=client, server=server, N=6, L=90)
    assert {role: dict(one) for role, one in outputs.items()} == {
        "client": {"match": [1, 3, 5]},
        "server": {},
    }
    assert scifi.near(client, server) == [1, 3, 5]


def test_a_face_that_scifi_does_not_know_is_not_found(scifi: ModuleType) -> None:
    protocol, random_ = tastyl.load(PROGRAMS / "scifi.py"), random.Random(6)
    client, server = scifi.make(2, 60, random_)
    server["thresholds"] = [scifi.distance(client["face"], one) - 1 for one in server["faces"]]
    assert protocol.run(client=client, server=server, N=2, L=60)["client"] == {}


def test_the_driver_of_scifi_checks_what_is_found_at_its_size(tacit: Tacit) -> None:
    program = PROGRAMS / "scifi.py"
    result = tacit("run", program, "--clear", "--driver", program)
    assert result.code == 0, result.stderr
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert 50 in (first["match"] if isinstance(first["match"], list) else [first["match"]])
    assert second == {}


@pytest.mark.long
def test_scifi_at_its_size(scifi: ModuleType) -> None:
    client, server = scifi.make(100, 900, random.Random(7))
    found = tastyl.load(PROGRAMS / "scifi.py").run(client=client, server=server)["client"]["match"]
    assert (found if isinstance(found, list) else [found]) == scifi.near(client, server)


# What is drawn


DRIVER = """\
from pathlib import Path

from tacit.python_file import load_module

four = load_module(Path({!r}))
four.LENGTHS = (1, 8)
driver = four.Multiplications()
"""


@pytest.fixture
def runs(tacit: Tacit) -> Iterator[Path]:
    """Measured runs of all four multiplications at two bitlengths."""
    program = PROGRAMS / "four_multiplications.py"
    tacit.write("few.py", DRIVER.format(str(program)))
    result = tacit(
        "bench", program, "--driver", "few.py", "--repeat", "1", "--insecure-bench", "short",
        "-o", "runs.jsonl",
    )  # fmt: skip
    assert result.code == 0, result.stderr
    yield tacit.folder / "runs.jsonl"


def test_four_plots_of_four_multiplications(runs: Path, tmp_path: Path) -> None:
    plots = module("plot_multiplications.py")
    found = plots.measured(load(runs))
    figure = plots.drawn(found)
    assert len(figure.axes) == len(plots.PLOTS) == 4
    for axes, (name, (title, _)) in zip(figure.axes, plots.PLOTS.items(), strict=True):
        assert (axes.get_title(), axes.get_xlabel(), axes.get_yscale()) == (title, "bitlength", "log")
        assert [line.get_label() for line in axes.get_lines()] == ["HE1", "HE2", "GC1", "GC2"]
        for line in axes.get_lines():
            assert list(line.get_xdata()) == [1, 8]
            assert list(line.get_ydata()) == [found[name, line.get_label()][bits] for bits in (1, 8)]
    # As the paper says: with encryption the number of bytes is independent of the bitlength.
    encrypted = found["online_payload_bytes", "HE2"]
    garbled = found["online_payload_bytes", "GC2"]
    assert encrypted[8] - encrypted[1] < 8
    assert garbled[8] > 2 * garbled[1]
    plots.draw(found, tmp_path / "four.png")
    assert (tmp_path / "four.png").read_bytes().startswith(PNG)


def test_what_both_parties_see_of_faces(tmp_path: Path) -> None:
    made = module("faces.py")
    faces = made.make(8, 3)
    assert faces.query.shape == faces.pictures[0].shape == faces.mean.shape == (28, 23)
    distances = [((faces.query - one) ** 2).sum() for one in faces.pictures]
    assert distances.index(min(distances)) == 4
    figure = made.drawn(faces, {"matched index in DB": 4}, 12345)
    titles: dict[str, Any] = {axes.get_title(): axes for axes in figure.axes if axes.get_title()}
    server = [*(f"face {index}" for index in range(6)), "mean", *(f"eigenface {index}" for index in range(3))]
    assert list(titles) == [*server, "client: its query"]
    assert (titles["client: its query"].images[0].get_array() == faces.query).all()
    assert all(len(axes.images) == 1 for axes in titles.values())
    (text,) = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "client sees: matched index in DB 4\n" in text
    assert "server sees of the query: 12345 bytes of ciphertexts" in text
    figure.savefig(tmp_path / "faces.png")
    assert (tmp_path / "faces.png").read_bytes().startswith(PNG)
