"""The examples of programs among many parties, in this process and from the command line."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Tacit
from tacit.python_file import load_module

FOLDER = EXAMPLES / "parties"

LIMIT_S = 100


def example(name: str) -> ModuleType:
    return load_module(FOLDER / f"{name}.py")


def results(module: ModuleType, parties: int, threshold: int | None = None) -> dict[str, Any]:
    return asyncio.run(asyncio.wait_for(t.together(module.main, parties, threshold), LIMIT_S))


@pytest.mark.parametrize("parties", [3, 4])
def test_the_auction_finds_the_price_where_supply_meets_demand(parties: int) -> None:
    auction = example("double_auction")
    prices = results(auction, parties)
    curves = [auction.bids(party) for party in prices]
    supply = [sum(amounts) for amounts in zip(*(sell for sell, _ in curves), strict=True)]
    demand = [sum(amounts) for amounts in zip(*(buy for _, buy in curves), strict=True)]
    pairs = zip(auction.PRICES, supply, demand, strict=True)
    expected = next(price for price, offered, wanted in pairs if offered >= wanted)
    assert set(prices.values()) == {expected}


def test_the_survey_tells_the_statistics_of_all_answers() -> None:
    survey = example("survey")
    told = results(survey, 3)
    years, pay = (
        [number for party in told for number in survey.answers(party)[column]] for column in range(2)
    )
    found = told["p1"]
    assert all(other == found for other in told.values())
    assert found["answers"] == len(pay)
    assert found["mean"]["pay"] == pytest.approx(statistics.mean(pay))
    assert found["deviation"]["years"] == pytest.approx(statistics.pstdev(years))
    assert found["correlation"] == pytest.approx(statistics.correlation(years, pay))
    assert found["median pay"] == statistics.median_low(pay)
    edges = [0, *survey.BRACKETS, max(pay) + 1]
    pairs = itertools.pairwise(edges)
    assert found["in brackets"] == [sum(low <= number < high for number in pay) for low, high in pairs]


def test_each_firm_learns_its_own_rank(tacit: Tacit) -> None:
    figures = [(900, 450), (100, 25), (7, 7), (500, 100), (10, 1)]
    given = [
        f"--input=p{i}={json.dumps({'made': made, 'spent': spent})}"
        for i, (made, spent) in enumerate(figures, 1)
    ]
    program = FOLDER / "benchmark_firms.py"
    run = tacit("run", program, "--local", "--parties", 5, "--threshold", 2, *given)
    ranks = {f"p{i}": rank for i, rank in enumerate([4, 3, 5, 2, 1], 1)}
    expected = {firm: {"rank": rank, "better half": rank <= 3} for firm, rank in ranks.items()}
    assert run.outputs == expected


def test_the_richest_of_many_is_named(tacit: Tacit) -> None:
    fortunes = {"p1": 3, "p2": 10**12, "p3": 0, "p4": 10**12}
    given = [f"--input={party}={json.dumps({'fortune': fortune})}" for party, fortune in fortunes.items()]
    run = tacit(
        "run", FOLDER / "millionaires.py", "--local", "--parties", 4, "--report", "report.json", *given
    )
    assert run.outputs == dict.fromkeys(fortunes, "p2")
    reports = json.loads(Path(tacit.folder / "report.json").read_text())
    assert all(reports[party]["bytes_sent"] > 0 for party in fortunes)
