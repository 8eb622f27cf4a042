"""A clinic's decision forest on a patient's row.

The clinic keeps its forest to itself, the patient the row, and the patient alone learns whether the risk is
high: whether as many trees say so as the clinic needs, which is the clinic's own input. `train_forest.py`
trains the forest; `forest.json` holds its trees.

    tacit pfe forest.py:risk --local --owner patient \
        --input patient=patient.json --input 'clinic={"needed": 4}' --gates 8000
"""

import json
from pathlib import Path

import tacit as t

FEATURES = {
    "age": t.u8,
    "pressure": t.u8,
    "bmi": t.u8,
    "glucose": t.u16,
    "cholesterol": t.u16,
    "smoker": t.u8,
}
"""What a row has, in order."""

FOREST = Path(__file__).with_name("forest.json")


def load(file=FOREST):
    """The trees: of each node a feature, a threshold and two further nodes, or a vote instead."""
    return json.loads(Path(file).read_text("utf-8"))["trees"]


def vote_in_clear(tree, row, node=0):
    """The vote of a tree on a row, a mapping from feature to number."""
    here = tree[node]
    if "vote" in here:
        return here["vote"]
    below = "left" if row[here["feature"]] <= here["threshold"] else "right"
    return vote_in_clear(tree, row, here[below])


def risk_in_clear(row, trees, needed):
    """Whether as many trees as needed vote for a high risk."""
    return sum(vote_in_clear(tree, row) for tree in trees) >= needed


def vote(tree, row, node=0):
    """The vote of a tree on a private row."""
    here = tree[node]
    if "vote" in here:
        return t.constant(bool(here["vote"]), t.bool)
    left, right = vote(tree, row, here["left"]), vote(tree, row, here["right"])
    return t.where(row[here["feature"]] <= here["threshold"], left, right)


@t.function
def risk(clinic: t.Role, patient: t.Role) -> None:
    """Whether the risk of a patient is high."""
    row = {name: patient.input(name, kind) for name, kind in FEATURES.items()}
    votes = sum(vote(tree, row).astype(t.u8) for tree in load())
    patient.output("high", votes >= clinic.input("needed", t.u8))
