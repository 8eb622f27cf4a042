"""The four plots of TASTY's section 5.1.2: time and bytes of setup and online phase over bitlengths.

python plot_multiplications.py runs.jsonl four.png
"""

import statistics
import sys
from collections import defaultdict

from tacit.measure import load

PLOTS = {
    "setup_s": ("Setup: time of the slower party", "s"),
    "online_s": ("Online: time of the slower party", "s"),
    "setup_payload_bytes": ("Setup: sent by both parties", "B"),
    "online_payload_bytes": ("Online: sent by both parties", "B"),
}
"""Figures of runs; of each what it is, and its unit."""

STYLES = {"HE1": "o-", "HE2": "s--", "GC1": "^-", "GC2": "v--"}
"""Lines differ in more than colour, since some lie on one another."""


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


def drawn(found):
    """Four plots, a line for each way."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    figure = Figure(figsize=(9, 7), layout="constrained")
    for axis, (name, (title, unit)) in zip(figure.subplots(2, 2).flat, PLOTS.items(), strict=True):
        for (what, way), lengths in found.items():
            if what == name:
                places = sorted(lengths)
                axis.plot(places, [lengths[bits] for bits in places], STYLES[way], markersize=4, label=way)
        axis.set_title(title)
        axis.set_xlabel("bitlength")
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(EngFormatter(unit))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.grid(True, axis="y", linewidth=0.3)
        axis.legend()
    return figure


def draw(found, path):
    """Writes the plots into a file."""
    drawn(found).savefig(path, dpi=120)


if __name__ == "__main__":
    draw(measured(load(sys.argv[1])), sys.argv[2])
