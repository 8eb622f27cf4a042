"""Parameters, drivers, links: what a sweep is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit import UsageError
from tacit.measure import Case
from tacit.measure.cases import cases_of
from tacit.measure.networks import split_modes, split_nets
from tacit.measure.parameters import combinations, parse_parameters


def test_values_of_parameters() -> None:
    values = parse_parameters(["n=64,128", "l=1..3,10", "x=0.5,True,fast"])
    assert values == {"n": [64, 128], "l": [1, 2, 3, 10], "x": [0.5, True, "fast"]}


@pytest.mark.parametrize(
    "given",
    [["n"], ["n="], ["=5"], ["n=1,,2"], ["n=1", "n=2"], ["2n=1"], ["n=5..1"], ["n=0..100000000000"]],
)
def test_parameters_that_mean_nothing(given: list[str]) -> None:
    with pytest.raises(UsageError, match="--param"):
        parse_parameters(given)


def test_combinations_change_the_last_fastest() -> None:
    assert combinations({"a": [1, 2], "b": ["x", "y"]}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]
    assert combinations({}) == [{}]


def test_too_many_combinations() -> None:
    with pytest.raises(UsageError, match="1000000 combinations"):
        combinations({name: list(range(100)) for name in "abc"})


@pytest.mark.parametrize(
    ("text", "nets"),
    [
        (None, [None]),
        ("lan", ["lan"]),
        ("none,lan,wan", [None, "lan", "wan"]),
        ("100mbit,100ms", ["100mbit,100ms"]),
        ("lan,1gbit,0.5ms,wan,2.5mbit,20ms", ["lan", "1gbit,0.5ms", "wan", "2.5mbit,20ms"]),
    ],
)
def test_links(text: str | None, nets: list[str | None]) -> None:
    assert split_nets(text) == nets


def test_links_and_modes_that_mean_nothing() -> None:
    with pytest.raises(UsageError, match="empty"):
        split_nets("lan,,wan")
    with pytest.raises(UsageError, match="slow"):
        split_modes("streamed,slow")


DRIVER = """
from tacit.measure import Case

def driver():
    yield Case({"n": 1}, {"A": {"x": 5}}, {"y": 6})
    yield {"params": {"n": 2}, "outputs": lambda outputs: outputs["y"] > 5}

class Class:
    def __iter__(self):
        yield Case({"n": 3})

class Tasty:
    def next_data_in(self):
        for n in (1, 2):
            self.params = {"l": n}
            self.client_inputs = {"x": n}
            self.server_inputs = {"y": 2 * n}
            yield

def wrong():
    yield 5

def nothing():
    return []

number = 5
"""


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    path = tmp_path / "drive.py"
    path.write_text(DRIVER)
    return path


def test_a_driver_that_yields(driver: Path) -> None:
    first, second = cases_of({}, str(driver))
    assert first == Case({"n": 1}, {"A": {"x": 5}}, {"y": 6})
    assert first.mistake({"y": 6, "z": 1}) is None
    assert first.mistake({"y": 7}) == "y is 7, the driver expects 6"
    assert first.mistake({}) == "there is no output y"
    assert second.mistake({"y": 9}) is None
    assert "refuses" in (second.mistake({"y": 1}) or "")


def test_parameters_come_on_top_of_a_driver(driver: Path) -> None:
    cases = cases_of({"m": [7, 8]}, f"{driver}:Class")
    assert [case.params for case in cases] == [{"n": 3, "m": 7}, {"n": 3, "m": 8}]


def test_a_driver_in_the_form_of_tasty(driver: Path) -> None:
    cases = cases_of({}, f"{driver}:Tasty")
    assert [case.params for case in cases] == [{"l": 1}, {"l": 2}]
    assert cases[1].inputs == {"client": {"x": 2}, "server": {"y": 4}}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong", "not a tacit.measure.Case"),
        ("nothing", "no cases"),
        ("number", "int"),
        ("none", "has no none"),
    ],
)
def test_drivers_that_are_none(driver: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        cases_of({}, f"{driver}:{name}")


def test_a_driver_that_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "drive.py").write_text("1 / 0")
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        cases_of({}, str(tmp_path / "drive.py"))
    with pytest.raises(UsageError, match="no such file"):
        cases_of({}, str(tmp_path / "none.py"))


class _Array:
    """What an array of NumPy has in common with others."""

    def tolist(self) -> list[int]:
        return [1, 2]


def test_outputs_by_role_and_as_arrays() -> None:
    case = Case(outputs={"client": {"index": 3, "row": (1, 2)}})
    assert case.mistake({"client": {"index": 3, "row": _Array(), "more": 1}, "server": {}}) is None
    assert (
        case.mistake({"client": {"index": 4, "row": _Array()}}) == "client: index is 4, the driver expects 3"
    )
