"""What a postprocessing script of TASTY needs: costs of measured runs, picked out and drawn.

Such a script defines `process_costs(cost_objs)`, and `tacit plot runs.jsonl --script analyze.py` calls it.
`cost_objs` has an item for each file of runs; that is a list of repetitions, each a list of runs. A run is a
dictionary with `params`, and what its parties cost, as `run["client"]["real"]["online"]["duration"]`.

Source: TASTY, section 4.2 and figure 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tacit._native import UsageError
from tacit.measure.costs import PHASES
from tacit.measure.plot import Line, Style, write_plot
from tacit.measure.quartiles import Quartiles
from tacit.measure.records import Record, Records, load
from tacit.python_file import load_module

__all__ = ["extract_costs", "process", "tasty_plot"]

Run = Mapping[str, Any]
Repetitions = Sequence[Sequence[Run]]

SECOND_MS = 1000
"""Durations are in milliseconds, as TASTY's are."""

QUANTITIES = {"duration": "s", "sent": "sent_bytes", "received": "received_bytes", "payload": "payload_bytes"}
"""What a phase cost a party, and how its figure ends."""


def process(script: Path, files: Sequence[Path]) -> None:
    """Calls a script's `process_costs` on the runs in files.

    Raises `UsageError` where the script has no such function, or a file no runs.
    """
    function: Callable[[list[Repetitions]], None] | None
    function = getattr(load_module(script), "process_costs", None)
    if not callable(function):
        raise UsageError(f"{script} defines no function process_costs(cost_objs)")
    function([_repetitions(load(file), file) for file in files])


def extract_costs(cost_objs: Repetitions, *named: tuple[str, str]) -> dict[str, list[float]]:
    """Figures of each run by label: medians of the repetitions.

    Each of `named` is a label and a path, as `("C Online", "client>real>online>duration")`.
    """
    return {
        label: [median(_at(run, path) for run in runs) for runs in zip(*cost_objs, strict=True)]
        for label, path in named
    }


def tasty_plot(
    graph_name: str,
    xlabel: str,
    ylabel: str,
    x_values: Sequence[float],
    y_values: Mapping[str, Sequence[float]],
    legend: str = "inside",
    outfile: str = "plot.pdf",
) -> None:
    """Draws a line for each label into a file that ends in .pdf, .png or .svg.

    There is a legend if `legend` is `inside`.
    """
    lines = [
        Line(ylabel, label, "", [(x, Quartiles.of([y])) for x, y in zip(x_values, values, strict=True)])
        for label, values in y_values.items()
    ]
    if not lines:
        raise UsageError(f"{outfile}: there is nothing to plot")
    style = Style(title=graph_name, y_label=ylabel, has_legend=legend == "inside")
    write_plot(lines, xlabel, Path(outfile), style)


def _repetitions(records: Records, file: Path) -> Repetitions:
    """The runs of a file by repetition, which all have the same ones."""
    found: dict[int, list[Run]] = {}
    for record in records:
        found.setdefault(record.fields.get("repeat") or 0, []).append(_run(record))
    lengths = {len(runs) for runs in found.values()}
    if len(lengths) != 1:
        raise UsageError(f"{file}: its repetitions do not have the same number of runs: {sorted(lengths)}")
    return list(found.values())


def _run(record: Record) -> Run:
    parties = {role: {"real": _phases(record, role)} for role in record.reports}
    return {"params": dict(record.params), **parties}


def _phases(record: Record, role: str) -> dict[str, dict[str, float | None]]:
    return {
        phase: {name: _figure(record, role, phase, name) for name in QUANTITIES if _is_known(phase, name)}
        for phase in PHASES
    }


def _is_known(phase: str, name: str) -> bool:
    return name != "payload" or phase != "analysis"


def _figure(record: Record, role: str, phase: str, name: str) -> float | None:
    found = record.cost(f"{role}.{phase}_{QUANTITIES[name]}")
    return found * SECOND_MS if found is not None and name == "duration" else found


def _at(run: Run, path: str) -> float:
    """The figure at the end of a path."""
    found: Any = run
    for place, name in enumerate(path.split(">")):
        if not isinstance(found, Mapping) or name not in found:
            known = ", ".join(found) if isinstance(found, Mapping) else "nothing"
            before = ">".join(path.split(">")[:place]) or "a run"
            raise UsageError(f"{path}: {before} has {known}, and no {name}")
        found = found[name]
    if not isinstance(found, (int, float)):
        raise UsageError(f"{path} is not a figure of a run")
    return found
