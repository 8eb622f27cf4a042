"""The examples of programs among many parties, in this process and from the command line."""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import math
import operator
import random
import statistics
from collections.abc import Sequence
from fractions import Fraction
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


def best_worth(uses: list[list[int]], capacities: list[int], gains: list[int]) -> Fraction:
    """The greatest worth over all corners, where as many bounds meet as there are products."""
    count = len(gains)
    bounds = [(row, capacity) for row, capacity in zip(uses, capacities, strict=True)]
    bounds += [([-int(i == j) for j in range(count)], 0) for i in range(count)]
    worths = []
    for chosen in itertools.combinations(bounds, count):
        corner = solved([[Fraction(x) for x in (*row, right)] for row, right in chosen])
        if corner is not None and all(dot(row, corner) <= right for row, right in bounds):
            worths.append(dot(gains, corner))
    return max(worths)


def dot(xs: Sequence[int], ys: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(xs, ys, strict=True)), Fraction(0))


def solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of equations, by Gauss and Jordan."""
    for i in range(len(rows)):
        pivot = next((row for row in rows[i:] if row[i] != 0), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        rows.insert(i, [x / pivot[i] for x in pivot])
        for j, row in enumerate(rows):
            if j != i:
                rows[j] = [x - row[i] * y for x, y in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]


def planned(uses: list[list[int]], capacities: list[int], gains: list[list[int]]) -> Any:
    simplex = example("simplex")

    async def firm(rt: t.PartySession) -> Any:
        number = rt.parties.index(rt.party)
        return await simplex.plan(rt, uses[number], capacities[number], gains[number])

    results = asyncio.run(asyncio.wait_for(t.together(firm, len(uses), modulus=2**127 - 1), LIMIT_S))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def linear_programs() -> list[tuple[list[list[int]], list[int], list[list[int]]]]:
    numbers = random.Random(5)
    largest = ([[63, 62, 61], [61, 63, 62], [62, 61, 63]], [1023, 1022, 1021], [[63, 63, 63]] * 3)
    # Ties all over: several bounds meet in one corner, and the origin is one.
    ties = ([[1, 1], [1, 2], [2, 1], [1, 0], [0, 1]], [0, 0, 0, 5, 5], [[1, 1]] * 5)
    worthless = ([[1, 2], [3, 4], [5, 6]], [7, 8, 9], [[0, 0]] * 3)
    found = [largest, ties, worthless]
    for parties, products in ((3, 1), (3, 3), (5, 2), (5, 3)):
        figure = [[numbers.randrange(1, 64) for _ in range(products)] for _ in range(parties)]
        gains = [[numbers.randrange(64) for _ in range(products)] for _ in range(parties)]
        found.append((figure, [numbers.randrange(1024) for _ in range(parties)], gains))
    return found


@pytest.mark.parametrize(("uses", "capacities", "gains"), linear_programs())
def test_the_best_plan_of_a_linear_program(
    uses: list[list[int]], capacities: list[int], gains: list[list[int]]
) -> None:
    made, worth, _ = planned(uses, capacities, gains)
    total = [sum(column) for column in zip(*gains, strict=True)]
    assert worth == dot(total, made) == best_worth(uses, capacities, total)
    assert all(amount >= 0 for amount in made)
    assert all(dot(row, made) <= capacity for row, capacity in zip(uses, capacities, strict=True))


def test_a_linear_program_without_a_best_plan() -> None:
    with pytest.raises(t.InputError, match="no best plan"):
        planned([[0, 1], [0, 3], [0, 2]], [5, 5, 5], [[1, 0]] * 3)


def test_five_firms_plan_from_the_command_line(tacit: Tacit) -> None:
    program = FOLDER / "simplex.py"
    few = ["--local", "--parties", 5, "--threshold", 2]
    run = tacit("run", program, *few, "--modulus", 2**127 - 1)
    assert len(run.outputs) == 5
    assert len({json.dumps(plan) for plan in run.outputs.values()}) == 1
    tacit("run", program, *few, "--modulus", 2**61 - 1).failed(3, "bits, and the field of this session")


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (5, 2), (7, 1)])
def test_everybody_has_a_present_for_another(parties: int, threshold: int) -> None:
    santa = example("secret_santa")
    found = results(santa, parties, threshold)
    assert set(found.values()) == set(found)
    assert all(party != other for party, other in found.items())


def summed(numbers: list[float]) -> float:
    """One after the other; Python's `sum` keeps more bits, from version 3.12."""
    return functools.reduce(operator.add, numbers)


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (5, 2)])
def test_three_hospitals_pool_estimates_in_floating_point(tacit: Tacit, parties: int, threshold: int) -> None:
    effects, errors = [0.21, 0.35, -0.02], [0.08, 0.11, 0.19]
    given = [
        f"--input=p{number}={json.dumps({'effect': effect, 'error': error})}"
        for number, (effect, error) in enumerate(zip(effects, errors, strict=True), 1)
    ]
    program = f"{FOLDER / 'pooled_effect.py'}:pooled"
    run = tacit("run", program, "--local", "--parties", parties, "--threshold", threshold, *given)
    weights = [1 / (error * error) for error in errors]
    total = summed(weights)
    effect = summed([weight * own for weight, own in zip(weights, effects, strict=True)]) / total
    apart = [weight * (own - effect) * (own - effect) for weight, own in zip(weights, effects, strict=True)]
    # Not about: every operation is rounded as in Python.
    assert run.outputs == {"effect": effect, "error": math.sqrt(1 / total), "q": summed(apart)}


def test_the_richest_of_many_is_named(tacit: Tacit) -> None:
    fortunes = {"p1": 3, "p2": 10**12, "p3": 0, "p4": 10**12}
    given = [f"--input={party}={json.dumps({'fortune': fortune})}" for party, fortune in fortunes.items()]
    run = tacit(
        "run", FOLDER / "millionaires.py", "--local", "--parties", 4, "--report", "report.json", *given
    )
    assert run.outputs == dict.fromkeys(fortunes, "p2")
    reports = json.loads(Path(tacit.folder / "report.json").read_text())
    assert all(reports[party]["bytes_sent"] > 0 for party in fortunes)
