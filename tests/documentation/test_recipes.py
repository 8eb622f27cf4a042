"""The recipes run as they stand, and compute what plain Python computes."""

from __future__ import annotations

import math
import random
import runpy
import sqlite3
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import DOCS, blocks, run_page

import tacit as t

PAGE = DOCS / "recipes.md"


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, t.Function]]:
    """The functions of the page's files, by name."""
    folder: Path = tmp_path_factory.mktemp("recipes")
    found: dict[str, t.Function] = {}
    for block in blocks(PAGE):
        if block.title is not None:
            (folder / block.title).write_text(block.text)
            names = runpy.run_path(str(folder / block.title))
            found |= {name: value for name, value in names.items() if isinstance(value, t.Function)}
    yield found


def test_the_page(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == 7


def test_statistics(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(1)
    for n, m in [(4, 3), (5, 5), (1, 1)]:
        x, y = ([numbers.randrange(1 << 16) for _ in range(length)] for length in (n, m))
        out = recipes["statistics_of_two"].run(n=n, m=m, a={"value": x}, b={"value": y})["b"]
        both = x + y
        assert out["mean"] == pytest.approx(statistics.mean(both), abs=2**-8)
        assert out["deviation"] == math.isqrt(round(statistics.pvariance(both) * len(both) ** 2)) // len(both)
        assert out["median"] == int(statistics.median(both))


def test_join(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(2)
    table = dict(zip(numbers.sample(range(20), 8), numbers.sample(range(1 << 16), 8), strict=True))
    wanted = numbers.sample(range(20), 6)
    given = {"account": list(table), "score": list(table.values())}
    out = recipes["join_scores"].run(n=8, m=6, server=given, client={"account": wanted})
    assert out["client"]["found"] == [account in table for account in wanted]
    assert out["client"]["score"] == [table.get(account, 0) for account in wanted]
    assert not out["server"]


def plain_sigmoid(x: float) -> float:
    size = abs(x)
    lines = [(1, 1 / 4, 0.5), (2.375, 1 / 8, 0.625), (5, 1 / 32, 0.84375), (math.inf, 0, 1)]
    y = next(slope * size + start for end, slope, start in lines if size < end)
    return 1 - y if x < 0 else y


def test_predictions(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(3)
    for _ in range(8):
        weights, features = ([numbers.uniform(-2, 2) for _ in range(4)] for _ in range(2))
        bias = numbers.uniform(-3, 3)
        given = {"bank": {"weights": weights, "bias": bias}, "applicant": {"features": features}}
        found = recipes["predict"].run(d=4, **given)["applicant"]["probability"]
        score = sum(map(float.__mul__, weights, features)) + bias
        assert found == pytest.approx(plain_sigmoid(score), abs=0.001)
        assert found == pytest.approx(1 / (1 + math.exp(-score)), abs=0.02)


def plain_training(
    x: list[list[float]], labels: list[bool], steps: int, rate: float
) -> tuple[list[float], float]:
    weights, bias = [0.0] * len(x[0]), 0.0
    for _ in range(steps):
        scores = [sum(map(float.__mul__, row, weights)) + bias for row in x]
        errors = [plain_sigmoid(score) - label for score, label in zip(scores, labels, strict=True)]
        columns = list(zip(*x, strict=True))
        slopes = [sum(map(float.__mul__, errors, column)) for column in columns]
        weights = [w - rate / len(x) * slope for w, slope in zip(weights, slopes, strict=True)]
        bias -= rate / len(x) * sum(errors)
    return weights, bias


def test_training(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(4)
    x = [[numbers.uniform(-2, 2) for _ in range(2)] for _ in range(12)]
    labels = [row[0] - row[1] > 0.25 for row in x]
    given = {"a": {"features": x}, "b": {"labels": labels}}
    out = recipes["train"].run(n=12, d=2, steps=8, rate=1.5, **given)["b"]
    weights, bias = plain_training(x, labels, 8, 1.5)
    assert out["weights"] == pytest.approx(weights, abs=0.005)
    assert out["bias"] == pytest.approx(bias, abs=0.005)
    right = [(sum(map(float.__mul__, row, out["weights"])) + out["bias"] > 0) for row in x]
    assert sum(map(bool.__eq__, right, labels)) >= 10


def test_tree(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(5)
    feature = [numbers.randrange(4) for _ in range(7)]
    threshold = [numbers.randrange(-100, 100) for _ in range(7)]
    leaf = [numbers.randrange(-1000, 1000) for _ in range(8)]
    clinic = {"feature": feature, "threshold": threshold, "leaf": leaf}
    for _ in range(6):
        x = [numbers.randrange(-120, 120) for _ in range(4)]
        node = 0
        while node < 7:
            node = 2 * node + 1 + (x[feature[node]] > threshold[node])
        out = recipes["tree"].run(depth=3, features=4, clinic=clinic, patient={"x": x})
        assert out["patient"] == {"value": leaf[node - 7]}


@pytest.mark.parametrize("bids", [[5, 9, 7, 1], [9, 9, 1, 1], [0, 0, 0, 0], [1, 2, 3, (1 << 32) - 1]])
def test_auction(recipes: dict[str, t.Function], bids: list[int]) -> None:
    names = ["alice", "bob", "carol", "dave"]
    given = {name: {"bid": bid} for name, bid in zip(names, bids, strict=True)}
    out = recipes["vickrey"](**given)
    wanted = {"winner": bids.index(max(bids)), "price": sorted(bids)[-2]}
    assert all(out[name] == wanted for name in names)


def test_query(recipes: dict[str, t.Function]) -> None:
    numbers = random.Random(6)
    orders = [(numbers.randrange(8), numbers.randrange(60, 300)) for _ in range(12)]
    customers = [(number, numbers.randrange(20, 40), numbers.randrange(3)) for number in range(6)]
    with sqlite3.connect(":memory:") as database:
        database.execute("create table orders (customer, amount)")
        database.execute("create table customers (customer, age, region)")
        database.executemany("insert into orders values (?, ?)", orders)
        database.executemany("insert into customers values (?, ?, ?)", customers)
        (text,) = [block.text for block in blocks(PAGE) if block.language == "sql"]
        rows = {region: (count, total) for region, count, total in database.execute(text)}
    shop = dict(zip(("customer", "amount"), map(list, zip(*orders, strict=True)), strict=True))
    bank = dict(zip(("customer", "age", "region"), map(list, zip(*customers, strict=True)), strict=True))
    static = {"orders": 12, "customers": 6, "regions": 3, "least": 1}
    out = recipes["query"].run(**static, shop=shop, bank=bank)["shop"]
    wanted = [rows.get(region, (0, 0)) for region in range(3)]
    assert out == {"count": [count for count, _ in wanted], "sum": [total for _, total in wanted]}
