"""Parameters of a sweep, as the command line gives them: `n=64,128,256`, `n=1..80`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping

from tacit import UsageError
from tacit.measure.records import Parameter

MAX_COMBINATIONS = 100_000

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def parse_parameters(given: Iterable[str]) -> dict[str, list[Parameter]]:
    """The values of each parameter."""
    found: dict[str, list[Parameter]] = {}
    for item in given:
        name, equals, values = item.partition("=")
        if not equals or not name.isidentifier() or not values:
            raise UsageError(f"--param {item}: write NAME=VALUE,VALUE,… or NAME=FIRST..LAST")
        if name in found:
            raise UsageError(f"--param: {name} is given twice")
        found[name] = [value for part in values.split(",") for value in _values(part, item)]
    return found


def combinations(values: Mapping[str, list[Parameter]]) -> list[dict[str, Parameter]]:
    """Every choice of one value for each parameter; the last parameter changes fastest."""
    count = 1
    for each in values.values():
        count *= len(each)
    if count > MAX_COMBINATIONS:
        raise UsageError(f"--param: {count} combinations are more than {MAX_COMBINATIONS}")
    return [dict(zip(values, choice, strict=True)) for choice in itertools.product(*values.values())]


def _values(text: str, item: str) -> Iterable[Parameter]:
    if not text:
        raise UsageError(f"--param {item}: a value is empty")
    bounds = _RANGE.fullmatch(text)
    if bounds is None:
        return [_value(text)]
    first, last = int(bounds[1]), int(bounds[2])
    if not first <= last < first + MAX_COMBINATIONS:
        raise UsageError(f"--param {item}: {text} is empty or has more than {MAX_COMBINATIONS} values")
    return range(first, last + 1)


def _value(text: str) -> Parameter:
    """An integer, a number, True or False; anything else is text."""
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
