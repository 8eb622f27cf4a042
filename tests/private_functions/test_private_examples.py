"""The examples of private functions, each against what it computes in the clear."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLES
from tacit import pfe
from tacit.sources import load_program

PRIVATE = EXAMPLES / "private"
FEATURES = {"age": 95, "pressure": 220, "bmi": 60, "glucose": 400, "cholesterol": 500, "smoker": 1}


def module(name: str) -> Any:
    """An example that is not in a package, as one imports it beside the others."""
    sys.path.insert(0, str(PRIVATE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(PRIVATE))


def in_clear(program: Path, data: dict[str, Any], role: str) -> Any:
    return json.loads(load_program(program).clear({role: json.dumps(data)}))


@pytest.mark.parametrize("data", [(42000, 9000, 31, 0), (30000, 4999, 25, 0), (90000, 0, 60, 1)])
def test_credit_rules(data: tuple[int, ...]) -> None:
    given = dict(zip(("income", "debt", "age", "defaults"), data, strict=True))
    program = EXAMPLES / "credit_policy.c"
    found = pfe.local(program, "APPLICANT", inputs={"APPLICANT": given}, gates=1000)
    assert found == in_clear(program, given, "APPLICANT")


@pytest.mark.parametrize(
    ("changed", "alerts"),
    [
        ({}, 1),
        ({"port": 443}, 0),
        ({"payload": [0x90] * 32}, 4),
        ({"payload": [0] * 28 + list(b"() {")}, 2),
        ({"protocol": 17, "port": 11211, "length": 1001}, 8),
        ({"protocol": 17, "port": 11211, "length": 1000}, 0),
    ],
)
def test_signatures_on_a_packet(changed: dict[str, Any], alerts: int) -> None:
    packet = json.loads((PRIVATE / "packet.json").read_text()) | changed
    program = PRIVATE / "signatures.c"
    assert pfe.local(program, "NETWORK", inputs={"NETWORK": packet}, gates=8000) == {"alerts": alerts}
    assert in_clear(program, packet, "NETWORK") == {"alerts": alerts}


@pytest.mark.parametrize("needed", [1, 4, 7])
def test_a_forest_on_patients(needed: int) -> None:
    forest, draw = module("forest"), random.Random(needed)
    rows = [json.loads((PRIVATE / "patient.json").read_text())]
    rows += [{name: draw.randint(0, most) for name, most in FEATURES.items()} for _ in range(2)]
    rows += [{"age": 30, "pressure": 110, "bmi": 22, "glucose": 85, "cholesterol": 170, "smoker": 0}]
    for row in rows:
        inputs = {"patient": row, "clinic": {"needed": needed}}
        high = forest.risk_in_clear(row, forest.load(), needed)
        assert pfe.local(forest.risk, "patient", inputs=inputs, gates=8000) == {"high": high}


def test_the_forest_tells_patients_apart() -> None:
    forest = module("forest")
    ill = json.loads((PRIVATE / "patient.json").read_text())
    well = {"age": 30, "pressure": 110, "bmi": 22, "glucose": 85, "cholesterol": 170, "smoker": 0}
    assert [forest.risk_in_clear(row, forest.load(), 4) for row in (ill, well)] == [True, False]


def test_the_forest_is_one_of_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    forest, training = module("forest"), module("train_forest")
    model = training.train()
    rows, _ = training.patients(seed=2)
    votes = [[int(vote) for vote in tree.predict(rows[:200])] for tree in model.estimators_]
    trees = training.exported(model)
    for index, row in enumerate(rows[:200]):
        named = dict(zip(forest.FEATURES, map(int, row), strict=True))
        assert [forest.vote_in_clear(tree, named) for tree in trees] == [each[index] for each in votes]
