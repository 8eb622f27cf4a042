"""Inputs from tables: Arrow through its PyCapsule interface, databases through ADBC; outputs as tables."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacit as t
from conftest import Tacit


@t.function
def spent(shop: t.Role, bank: t.Role, n: int = 3) -> None:
    """What customers spent, and who of them more than a limit."""
    prices, pieces = shop.input("prices", t.fixed(20, 4)[n]), shop.input("pieces", t.u16[n])
    limit = bank.input("limit", t.i32)
    total = prices * pieces
    shop.output("total", total)
    shop.output("above", total > limit)
    bank.output("pieces", pieces.sum())


COLUMNS: dict[str, Any] = {"prices": [1.5, 2.25, 100.0], "pieces": [2, 4, 1]}
WANTED = {"shop": {"total": [3.0, 9.0, 100.0], "above": [False, False, True]}, "bank": {"pieces": 7}}
BANK = {"limit": 10}


class OnlyCapsules:
    """A table of a library that is not pyarrow: it has the interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class OnlyArray:
    """A batch or array that has the interface and nothing else."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


def tables() -> list[Any]:
    table = pa.table(COLUMNS, schema=pa.schema({"prices": pa.float32(), "pieces": pa.uint8()}))
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    (batch,) = table.to_batches()
    return [table, chunked, batch, OnlyCapsules(chunked), OnlyArray(batch)]


@pytest.mark.parametrize("place", range(5))
def test_tables_and_batches(place: int) -> None:
    assert spent(shop=tables()[place], bank=BANK) == WANTED
    assert spent.run(shop=tables()[place], bank=pa.table({"limit": [10]})) == WANTED


def test_columns() -> None:
    pieces = pa.chunked_array([[2, 4], [1]], type=pa.int64())
    prices = OnlyArray(pa.array([Decimal("1.50"), Decimal("2.25"), Decimal(100)], type=pa.decimal128(9, 2)))
    assert spent(shop={"prices": prices, "pieces": pieces}, bank=BANK) == WANTED


def test_matrices_and_truth_values() -> None:
    @t.function
    def chosen(a: t.Role, b: t.Role) -> None:
        rows, keep = a.input("rows", t.u8[2, 3]), a.input("keep", t.bool[2])
        b.output("sum", t.where(keep[:, None], rows, 0).sum())

    for kind in (pa.list_(pa.uint8()), pa.list_(pa.uint8(), 3)):
        rows = pa.array([[1, 2, 3], [4, 5, 6]], type=kind)
        table = pa.table({"rows": rows, "keep": [False, True]})
        assert chosen(a=table)["b"] == {"sum": 15}


@pytest.mark.parametrize(
    ("name", "column", "words"),
    [
        ("pieces", [2, None, 1], ["column pieces", "no value in row 1"]),
        ("prices", [None, 2.25, 1.0], ["column prices", "row 0"]),
        ("pieces", ["2", "4", "1"], ["column pieces", "string"]),
        ("pieces", [2.0, 4.0, 1.0], ["shop.pieces", "fractions", "integers"]),
        ("pieces", [2, 4, 70000], ["pieces[2]", "70000"]),
        ("pieces", [[2], [4], [None]], ["column pieces", "row 2"]),
        ("pieces", [{"x": 1}] * 3, ["column pieces", "struct"]),
        ("prices", [1.5, float("nan"), 1.0], ["prices[1]", "nan"]),
        ("prices", [1.5, float("-inf"), 1.0], ["prices[1]", "inf"]),
    ],
)
def test_columns_that_hold_no_numbers(name: str, column: list[Any], words: list[str]) -> None:
    with pytest.raises(t.InputError) as caught:
        spent(shop=pa.table({**COLUMNS, name: column}), bank=BANK)
    for word in words:
        assert word in str(caught.value)


def test_tables_that_do_not_fit() -> None:
    def refused(table: Any) -> str:
        with pytest.raises(t.InputError) as caught:
            spent(shop=table, bank=BANK)
        return str(caught.value)

    assert "shop.size is unknown" in refused(pa.table({**COLUMNS, "size": [1, 2, 3]}))
    assert "pieces is missing" in refused(pa.table({"prices": COLUMNS["prices"]}))
    assert "2 elements" in refused(pa.table(COLUMNS).slice(1))
    assert "two columns pieces" in refused(
        pa.table([[1.5] * 3, [2] * 3, [3] * 3], ["prices", "pieces", "pieces"])
    )
    assert "cannot be read" in refused(OnlyCapsules(pa.array([1, 2])))


def test_outputs_as_a_table() -> None:
    outputs = spent(shop=COLUMNS, bank=BANK)
    table = outputs.to_arrow("shop")
    assert table.to_pydict() == WANTED["shop"]
    assert table.schema.types == [pa.float64(), pa.bool_()]
    assert outputs.to_arrow("bank").to_pydict() == {"pieces": [7]}
    # What one function gives another takes.
    again = pa.table({"prices": table["total"], "pieces": [1, 1, 1]})
    assert spent(shop=again, bank=BANK)["shop"]["total"] == [3.0, 9.0, 100.0]

    @t.function
    def uneven(a: t.Role) -> None:
        x = a.input("x", t.u8[3])
        a.output("all", x)
        a.output("two", x[:2])

    with pytest.raises(t.UsageError, match="3 and 2"):
        uneven(a={"x": [1, 2, 3]}).to_arrow("a")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop of? 100%.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        create table sales (customer text, price real, pieces integer, note text);
        insert into sales values ('c', 100.0, 1, null), ('a', 1.5, 2, 'x'), ('b', 2.25, 4, null);
        """
    )
    connection.close()
    return path


QUERY = "select price as prices, pieces from sales order by customer"


def test_queries(shop: Path) -> None:
    for database in (str(shop), f"sqlite:///{shop}"):
        query = t.sql(database, QUERY)
        limit = t.sql(database, 'select 5 * 2 as "limit"')
        assert spent(shop=query, bank=limit)["shop"]["total"] == [3.0, 9.0, 100.0]
        assert spent.run(shop=query, bank=limit) == WANTED


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("select customer as prices, pieces from sales", ["column prices", "string"]),
        ("select note as prices, pieces from sales", ["column prices"]),
        ("select price as prices, price as pieces from sales", ["shop.pieces", "fractions"]),
        ("select price as prices from sales", ["pieces is missing"]),
        ("select nothing from sales", ["nothing"]),
        ("selec", ["syntax"]),
        ("delete from sales", ["readonly"]),
        ("select price as prices, pieces from sales where pieces > 1", ["2 elements"]),
        ("select price as prices, pieces from sales where pieces > 9", []),
    ],
)
def test_queries_that_fail(shop: Path, query: str, words: list[str]) -> None:
    with pytest.raises(t.InputError) as caught:
        spent(shop=t.sql(str(shop), query), bank=BANK)
    for word in words:
        assert word in str(caught.value)


def test_databases_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(t.UsageError, match=r"none\.db"):
        spent(shop=t.sql(str(tmp_path / "none.db"), QUERY), bank=BANK)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(t.UsageError, match="no driver for oracle"):
        spent(shop=t.sql("oracle://x", QUERY), bank=BANK)


APP = """
import tacit as t

@t.function
def most(a, b, n: int = 3):
    b.output("most", a.input("pieces", t.u16[n]).max() + b.input("more", t.u8))
"""

C = """
unsigned INPUT_A_pieces[3], INPUT_B_more, OUTPUT_B_most;
void most(void) { OUTPUT_B_most = INPUT_A_pieces[0] + INPUT_B_more; }
"""


def test_tables_on_the_command_line(tacit: Tacit, shop: Path) -> None:
    shop.rename(tacit.folder / "shop.db")
    tacit.write("app.py", APP)
    tacit.write("most.c", C)
    tacit.write("pieces.csv", "pieces\n9\n2\n4\n")
    query = "sql:shop.db select pieces from sales order by customer"
    one = "sql:sqlite:///shop.db select 3 as more"
    ways = ["--clear"], ["--local"]
    for way in ways:
        result = tacit("run", "app.py:most", *way, f"--input=a={query}", f"--input=b={one}")
        assert result.outputs == {"most": 7}, result.stderr
        result = tacit("run", "app.py:most", *way, "--input=a=pieces.csv", '--input=b={"more": 1}')
        assert result.outputs == {"most": 10}, result.stderr
    result = tacit("run", "most.c", "--clear", f"--input=A={query}", '--input=B={"more": 1}')
    assert result.outputs == {"most": 3}
    tacit("run", "app.py:most", "--clear", "--input=a=sql:shop.db").failed(2, "DATABASE QUERY")
    tacit("run", "app.py:most", "--clear", "--input=a=sql:none.db select 1 as pieces").failed(2, "none.db")
    tacit("run", "app.py:most", "--clear", "--input=a=sql:shop.db select note as pieces from sales").failed(
        4, "pieces"
    )
