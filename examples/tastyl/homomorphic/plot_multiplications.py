"""The four plots of TASTY's section 5.1.2: time and bytes of setup and online phase over bitlengths.

python plot_multiplications.py runs.jsonl four.png
"""

import statistics
import sys
from collections import defaultdict

from tacit.measure import load

PLOTS = ("setup_s", "online_s", "setup_payload_bytes", "online_payload_bytes")


def measured(records):
    """Of each figure and way, the median at each bitlength: seconds of the slower party, bytes of both."""
    found: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for name in PLOTS:
            found[name, record.params["way"]][record.params["l"]].append(record.cost(name))
    return {
        key: {bits: statistics.median(values) for bits, values in lengths.items()}
        for key, lengths in found.items()
    }


def draw(found, path):
    """Four plots, a line for each way."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7))
    for place, name in enumerate(PLOTS):
        axis = figure.add_subplot(2, 2, place + 1)
        for (what, way), lengths in found.items():
            if what == name:
                axis.plot(*zip(*sorted(lengths.items()), strict=True), marker=".", label=way)
        axis.set_xlabel("bitlength")
        axis.set_yscale("log")
        axis.set_title(name)
        axis.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    draw(measured(load(sys.argv[1])), sys.argv[2])
