"""Inputs from CSV and Parquet files, as spreadsheets and databases write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import tacit as t
from conftest import Tacit


@t.function
def paid(shop: t.Role, bank: t.Role, n: int = 3) -> None:
    """What customers paid."""
    prices, pieces = shop.input("prices", t.fixed(20, 4)[n]), shop.input("pieces", t.u16[n])
    shop.output("paid", prices * pieces)
    bank.output("pieces", pieces.sum())


WANTED = {"shop": {"paid": [3.0, 9.0, 100.0]}, "bank": {"pieces": 7}}
GOOD = "customer,prices,pieces\nAnn,1.5,2\nBob,2.25,4\nCem,100,1\n"


def given(tmp_path: Path, text: str | bytes, name: str = "shop.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.replace(",", " | "),
        GOOD.replace("customer", '"customer, with a name; of hers"'),
        "\n" + GOOD.replace("\n", "\n\n"),
        GOOD.replace("100,1\n", "1e2,1.0\n"),
        GOOD.replace("100,1\n", ' 100.00 ,"1."\n'),
        "note,prices,note,pieces\nx,1.5,,2\ny,2.25,,4\nz,100,,1\n",
    ],
)  # fmt: skip
def test_files_as_others_write_them(tmp_path: Path, text: str) -> None:
    path = given(tmp_path, text)
    assert paid(shop=path, bank={}) == WANTED
    assert paid(shop=t.table(path), bank={}) == WANTED


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2.25", "two", ["line 3", "column prices", "'two' is not a number"]),
        ("2.25", "", ["line 3", "column prices", "no value"]),
        ("2.25", '"2,25"', ["line 3", "column prices", "'2,25' is not a number"]),
        ("Bob,2.25,4", "Bob,2.25", ["line 3", "2 cells where line 1 has 3"]),
        ("Bob,2.25,4", "Bob", ["line 3", "1 cell where line 1 has 3"]),
        ("2.25,4", "2.25,4.5", ["line 3, column pieces: 4.5 has a fraction where u16"]),
        ("2.25,4", "2.25,70000", ["line 3, column pieces: 70000 does not fit in u16"]),
        ("pieces", "Pieces", ["has no column pieces; it has customer, prices, Pieces"]),
        ("customer", "pieces", ["has two columns pieces"]),
        (GOOD, "", ["is empty"]),
        (GOOD, "\n\n", ["is empty"]),
        ("2.25,4", "-inf,4", ["line 3, column prices: -inf is not a number"]),
        ("2.25,4", "-524288.5,4", ["line 3, column prices: -524288.5 does not fit in fixed(20, 4)"]),
        ("100,1", "100,1\nDan,1,1", ["4 elements where 3 are expected"]),
        ("Ann", '"Ann', ["not CSV"]),
        ("Ann", '"A"nn', ["line 2: not CSV"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    with pytest.raises(t.InputError) as caught:
        paid(shop=given(tmp_path, GOOD.replace(old, new)), bank={})
    for word in [*words, "shop"]:
        assert word in str(caught.value)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(t.InputError, match=r"shop\.csv is not text in UTF-8: .* at byte 0"):
        paid(shop=given(tmp_path, GOOD.encode("utf-16")), bank={})
    with pytest.raises(t.InputError, match=r"none\.csv: No such file"):
        paid(shop=tmp_path / "none.csv", bank={})


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = given(tmp_path, GOOD.replace("prices", "Price (EUR)").replace(",", ":"))
    columns = {"prices": "Price (EUR)"}
    assert paid(shop=t.table(path, columns, delimiter=":"), bank={}) == WANTED
    with pytest.raises(t.InputError, match="has no column Price; it has customer, Price"):
        paid(shop=t.table(path, {"prices": "Price"}, delimiter=":"), bank={})
    with pytest.raises(t.UsageError, match="a delimiter is one character"):
        t.table(path, delimiter="::")


def test_truth_values_and_floats(tmp_path: Path) -> None:
    @t.function
    def kept(a: t.Role, b: t.Role) -> None:
        b.output("kept", t.where(a.input("keep", t.bool[3]), a.input("x", t.i8[3]), 0))

    path = given(tmp_path, "keep,x\nTrue,-1\nfalse,2\n1,3.0\n")
    assert kept(a=path, b={})["b"]["kept"] == [-1, 0, 3]


def test_matrices_without_names(tmp_path: Path) -> None:
    @t.function
    def total(a: t.Role, b: t.Role) -> None:
        b.output("total", a.input("x", t.i16[2, 3]).sum())

    assert total(a={"x": given(tmp_path, "\ufeff1;2;3\n4;5;-6.0\n")}, b={})["b"] == {"total": 9}
    with pytest.raises(t.InputError, match=r"line 1, column 1: 'a' is not a number"):
        total(a={"x": given(tmp_path, "a;b;c\n1;2;3\n")}, b={})


def parquet(tmp_path: Path, **changed: Any) -> Path:
    columns = {"customer": ["Ann", "Bob", None], "prices": [1.5, 2.25, 100.0], "pieces": [2, 4, 1], **changed}
    path = tmp_path / "shop.parquet"
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def test_parquet(tmp_path: Path) -> None:
    path = parquet(tmp_path, pieces=[2, 4, 1])
    assert paid(shop=path, bank={}) == WANTED
    assert paid.run(shop=t.table(path), bank={}) == WANTED
    for change, words in (
        ({"pieces": [2, None, 1]}, r"shop\.parquet: column pieces has no value in row 1"),
        ({"prices": ["a", "b", "c"]}, r"shop\.parquet: column prices has the type string"),
        ({"pieces": [[1]] * 3}, r"pieces\[0\]: a list where"),
    ):
        with pytest.raises(t.InputError, match=words):
            paid(shop=parquet(tmp_path, **change), bank={})
    with pytest.raises(t.InputError, match=r"other\.parquet cannot be read"):
        paid(shop=given(tmp_path, "no table", "other.parquet"), bank={})


def test_sessions_read_the_columns_that_they_ask_for(tmp_path: Path) -> None:
    session = t.PartySession.pair("a", "b", a=given(tmp_path, GOOD))[0]
    assert list(session.inputs) == ["customer", "prices", "pieces"]
    assert session.inputs["pieces"] == [2, 4, 1] and session.inputs.get("more", 5) == 5
    with pytest.raises(t.InputError, match="line 2, column customer: 'Ann' is not a number"):
        session.inputs["customer"]


APP = """
import tacit as t

@t.function
def most(a, b, n: int = 3):
    b.output("most", a.input("pieces", t.u16[n]).max())
"""

C = "unsigned INPUT_A_pieces[3], OUTPUT_B_most; void most(void) { OUTPUT_B_most = INPUT_A_pieces[1]; }"


def test_on_the_command_line(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    tacit.write("most.c", C)
    tacit.write("shop.csv", "\ufeff" + GOOD.replace("4\n", "4.0\n"))
    tacit.write("other.tsv", GOOD.replace(",", "\t").replace("pieces", "How many"))
    parquet(tacit.folder)
    for name in ("shop.csv", "table:other.tsv pieces=How many", "shop.parquet"):
        assert tacit("run", "app.py:most", "--clear", f"--input=a={name}").outputs == {"most": 4}
    assert tacit("run", "most.c", "--clear", "--input=A=shop.csv").outputs == {"most": 4}
    tacit("run", "most.c", "--clear", "--input=A=other.tsv").failed(4, "other.tsv has no column pieces")
    tacit("run", "app.py:most", "--clear", "--input=a=table:other.tsv pieces").failed(2, "INPUT=COLUMN")
