"""Inputs as users give them: by position, of any kind of numbers and sequences, under names of any form."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

import tacit as t
from conftest import Tacit
from tacit.measure.units import counted


@t.function
def priced(shop: t.Role, buyer: t.Role, n: int = 3) -> None:
    prices, pieces = shop.input("größe", t.fixed(4, 4)[n]), buyer.input("pieces", t.u8[n])
    shop.output("paid", prices * pieces)


PRICES = {"größe": [1, 2, 3]}
PIECES = {"pieces": [1, 2, 3]}
PAID = [1.0, 4.0, 9.0]


def test_roles_in_their_order() -> None:
    for run in (priced, priced.run, priced.local):
        assert run(PRICES, PIECES)["shop"]["paid"] == PAID
    assert priced({"größe": [1, 2]}, buyer={"pieces": [3, 3]}, n=2)["shop"]["paid"] == [3.0, 6.0]
    with pytest.raises(t.UsageError, match="takes the inputs of shop, buyer; given are 3 arguments"):
        priced({}, {}, {})
    with pytest.raises(t.UsageError, match="the inputs of shop are given twice"):
        priced({}, shop={})


def test_a_parameter_without_a_default_is_a_role() -> None:
    @t.function
    def needs(a, b, n):  # type: ignore[no-untyped-def]
        t.output("x", a.input("x", t.u8), a, b, n)

    with pytest.raises(t.UsageError, match=r"n is a role of needs, .* have a default or come after \*"):
        needs.trace(n=3)


@pytest.mark.parametrize(
    "pieces",
    [
        range(1, 4),
        (number for number in (1, 2, 3)),
        map(int, "123"),
        {"a": 1, "b": 2, "c": 3}.values(),
        deque([1, 2, 3]),
        [Decimal(1), Decimal("2.0"), Fraction(6, 2)],
        b"\1\2\3",
    ],
    ids=["range", "generator", "map", "values", "deque", "Decimals and Fractions", "bytes"],
)
def test_whatever_gives_numbers_in_order(pieces: Any) -> None:
    assert priced(shop=PRICES, buyer={"pieces": pieces})["shop"]["paid"] == PAID


def test_rows_of_a_matrix() -> None:
    @t.function
    def total(a: t.Role) -> None:
        a.output("total", a.input("x", t.i16[2, 3]).sum())

    assert total({"x": (range(row, row + 3) for row in (1, 4))})["a"]["total"] == 21
    assert total({"x": [[Decimal(1)] * 3, range(3)]})["a"]["total"] == 6


@pytest.mark.parametrize(
    ("shop", "buyer", "words"),
    [
        (PRICES, {"pieces": [1, Decimal("1.5"), 3]}, r"buyer\.pieces\[1\]: 1\.5 has a fraction where u8"),
        (PRICES, {"pieces": [1, Decimal("NaN"), 3]}, r"buyer\.pieces\[1\]: NaN is not a number"),
        (PRICES, {"pieces": {1, 2, 3}}, r"buyer\.pieces: a set, which has no order"),
        (PRICES, {"pieces": [object(), 2, 3]}, r"buyer\.pieces\[0\]: <object .* where an integer"),
        ({"größe": [1, 2, 8]}, PIECES, r"größe\[2\]: 8 does not fit in fixed\(4, 4\), .* -8\.0 to 7\.9375"),
        ({"größe": [1.0, 7.99, 3.0]}, PIECES, r"shop\.größe\[1\]: 7\.99 does not fit"),
        ({"größe": [1.0, -8.5, 3.0]}, PIECES, r"shop\.größe\[1\]: -8\.5 does not fit"),
        ({"größe": [1, 2, Decimal("1e99")]}, PIECES, r"shop\.größe\[2\]: 1E\+99 does not fit"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(shop: Any, buyer: Any, words: str) -> None:
    with pytest.raises(t.InputError, match=words):
        priced(shop=shop, buyer=buyer)


@pytest.mark.parametrize("value", [7.97, -8.03, -8.0, 7.9375, 7.96875 - 1e-9])
def test_numbers_that_round_to_the_least_and_the_largest(value: float) -> None:
    inside = -8.03125 <= value < 7.96875
    given = {"größe": [value, 0.0, 0.0]}
    if inside:
        assert priced(given, PIECES)["shop"]["paid"][0] == max(-8, min(7.9375, round(value * 16) / 16))
    else:
        with pytest.raises(t.InputError, match="does not fit"):
            priced(given, PIECES)


FORMS: list[Literal["NFC", "NFD"]] = ["NFC", "NFD"]


@pytest.mark.parametrize("form", FORMS)
def test_names_in_every_form(form: Literal["NFC", "NFD"], tmp_path: Path) -> None:
    name = unicodedata.normalize(form, "größe")
    (tmp_path / "s.json").write_text(f'{{"{name}": [1, 2, 3]}}')
    (tmp_path / "s.csv").write_text(f"{name}\n1\n2\n3\n")
    for shop in ({name: [1, 2, 3]}, tmp_path / "s.json", tmp_path / "s.csv", t.table(tmp_path / "s.csv")):
        assert priced(shop, PIECES)["shop"]["paid"] == PAID

    @t.function
    def same(käufer: t.Role) -> None:
        käufer.output("x", käufer.input("x", t.u8))

    assert same(**{unicodedata.normalize(form, "käufer"): {"x": 3}})["käufer"] == {"x": 3}


def test_a_name_in_two_forms() -> None:
    twice = {unicodedata.normalize(form, "größe"): [1, 2, 3] for form in FORMS}
    with pytest.raises(t.InputError, match="two of its inputs have the same name"):
        priced(twice, PIECES)


def test_roles_of_the_command_line(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    role = unicodedata.normalize("NFD", "käufer")
    assert tacit("run", "app.py:same", "--clear", "--input", f'{role}={{"x": 3}}').outputs == {"x": 3}


APP = """
import tacit as t

@t.function
def same(käufer, shop):
    käufer.output("x", käufer.input("x", t.u8))
"""


@pytest.mark.parametrize(("number", "told"), [(0, "0 rounds"), (1, "1 round"), (1200, "1,200 rounds")])
def test_counts(number: int, told: str) -> None:
    assert counted(number, "round") == told


@pytest.mark.parametrize("run", [priced, priced.run], ids=["in the clear", "run"])
def test_a_secret_array_is_no_input(run: Callable[..., Any]) -> None:
    @t.function
    def other(a: t.Role) -> None:
        x = a.input("x", t.u8[3])
        with pytest.raises(t.InputError, match="a secret array, which cannot be an input"):
            run(PRICES, {"pieces": x})
        a.output("x", x)

    other.trace()
