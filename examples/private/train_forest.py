"""Trains the forest of `forest.py` with scikit-learn and writes it to `forest.json`.

    python train_forest.py

The patients are made up: their numbers are drawn, and their risk follows a rule with noise.
"""

import json

import forest
import numpy as np
from sklearn.ensemble import RandomForestClassifier

PATIENTS = 2000


def patients(seed=0):
    """Rows in the order of `forest.FEATURES`, and whether the risk of each is high."""
    rng = np.random.default_rng(seed)
    draw = [
        rng.integers(18, 95, PATIENTS),
        rng.normal(128, 18, PATIENTS).clip(80, 220).astype(int),
        rng.normal(27, 5, PATIENTS).clip(14, 60).astype(int),
        rng.normal(105, 25, PATIENTS).clip(50, 400).astype(int),
        rng.normal(200, 40, PATIENTS).clip(90, 500).astype(int),
        rng.integers(0, 2, PATIENTS),
    ]
    rows = np.stack(draw, axis=1)
    weights = np.array([0.06, 0.04, 0.05, 0.03, 0.01, 1.2])
    score = (rows - np.array([55, 130, 27, 105, 200, 0.5])) @ weights + rng.normal(0, 0.7, PATIENTS)
    return rows, (score > 0.5).astype(int)


def train():
    """A small forest."""
    rows, high = patients()
    return RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0).fit(rows, high)


def exported(model):
    """The trees as `forest.py` reads them. Features are whole, so that thresholds may be rounded down."""
    names = list(forest.FEATURES)
    trees = []
    for estimator in model.estimators_:
        tree = estimator.tree_
        nodes = []
        for node in range(tree.node_count):
            if tree.children_left[node] < 0:
                nodes.append({"vote": int(np.argmax(tree.value[node][0]))})
            else:
                nodes.append(
                    {
                        "feature": names[tree.feature[node]],
                        "threshold": int(np.floor(tree.threshold[node])),
                        "left": int(tree.children_left[node]),
                        "right": int(tree.children_right[node]),
                    }
                )
        trees.append(nodes)
    return trees


def main():
    """Writes the forest, and says how often it is right."""
    trees = exported(train())
    lines = ",\n".join(json.dumps(tree) for tree in trees)
    forest.FOREST.write_text('{"trees": [\n' + lines + "\n]}\n", "utf-8")
    rows, high = patients(seed=1)
    half = len(trees) // 2 + 1
    found = [forest.risk_in_clear(dict(zip(forest.FEATURES, row, strict=True)), trees, half) for row in rows]
    print(f"right for {np.mean(np.array(found) == high):.1%} of patients not trained on")


if __name__ == "__main__":
    main()
