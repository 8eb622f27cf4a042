"""What to run: parameters, inputs and what should come out, from the command line or from a driver.

A driver is a Python function that yields cases, or a class whose objects can be iterated over:

    from random import randrange
    from tacit.measure import Case

    def driver():
        for n in (8, 16, 32):
            x, y = randrange(1 << n), randrange(1 << n)
            yield Case({"n": n}, {"A": {"x": x}, "B": {"y": y}}, {"product": x * y})

A class in the form of TASTY's drivers works too: its `next_data_in` yields once for each run, after it has
set `params` and `ROLE_inputs` for each role; its `next_data_out`, if it has one, sees the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit import UsageError
from tacit.measure.parameters import combinations
from tacit.measure.records import Parameter
from tacit.python_file import load_name, split_name

Expected = Mapping[str, Any] | Callable[[Mapping[str, Any]], bool] | None


@dataclass(frozen=True)
class Case:
    """One choice of parameters, with inputs by role. Roles that have none are given random ones."""

    params: Mapping[str, Parameter] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    outputs: Expected = None
    """What must come out: some outputs by name, or a function that says whether all outputs are right."""

    def mistake(self, outputs: Mapping[str, Any]) -> str | None:
        """What is wrong with the outputs, if anything."""
        if self.outputs is None:
            return None
        if not isinstance(self.outputs, Mapping):
            return None if self.outputs(outputs) else f"the driver refuses {dict(outputs)}"
        return _difference(outputs, self.outputs)


def plain(value: Any) -> Any:
    """Numbers, lists and mappings, from arrays too."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _difference(outputs: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """The first expected output that is missing or has another value. Outputs may be grouped by role."""
    for name, value in expected.items():
        if name not in outputs:
            return f"there is no output {name}"
        found = outputs[name]
        if isinstance(value, Mapping) and isinstance(found, Mapping):
            below = _difference(found, value)
            if below is not None:
                return f"{name}: {below}"
        elif plain(found) != plain(value):
            return f"{name} is {found}, the driver expects {value}"
    return None


def cases_of(parameters: Mapping[str, list[Parameter]], driver: str | None) -> list[Case]:
    """The cases of a driver for every combination of parameters; without driver, one for each combination.

    Parameters of the command line come on top of those of the driver.
    """
    choices = combinations(parameters)
    if driver is None:
        return [Case(params) for params in choices]
    found = [
        Case({**case.params, **params}, case.inputs, case.outputs)
        for case in _from_driver(driver)
        for params in choices
    ]
    if not found:
        raise UsageError(f"--driver {driver} yields no cases")
    return found


def _from_driver(spec: str) -> list[Case]:
    path, name = split_name(spec)
    found = load_name(path, name or "driver")
    made = found() if callable(found) else found
    cases = _as_tasty(made) if hasattr(made, "next_data_in") else made
    if not isinstance(cases, Iterable):
        raise UsageError(f"--driver {spec}: {type(made).__name__} yields no cases")
    return [_case(case, spec) for case in cases]


def _case(value: object, spec: str) -> Case:
    if isinstance(value, Case):
        return value
    if isinstance(value, Mapping) and value.keys() <= {"params", "inputs", "outputs"}:
        return Case(**value)
    raise UsageError(f"--driver {spec} yields {value!r}, which is not a tacit.measure.Case")


def _as_tasty(driver: Any) -> Iterator[Case]:
    """The cases of a driver that sets its attributes and yields nothing.

    Its `next_data_out`, if it has one, sees the outputs of each run; it returns False if they are wrong.
    """
    for _ in driver.next_data_in():
        now = dict(vars(driver))
        inputs = {
            name.removesuffix("_inputs"): dict(value)
            for name, value in now.items()
            if name.endswith("_inputs") and value is not None
        }
        yield Case(dict(now.get("params") or {}), inputs, _check_of(driver, now))


def _check_of(driver: Any, then: Mapping[str, Any]) -> Expected:
    """The check of a run by a driver, whose attributes are what they were when it yielded."""
    if not hasattr(driver, "next_data_out"):
        return None

    def is_right(outputs: Mapping[str, Any]) -> bool:
        vars(driver).update(then)
        return driver.next_data_out(outputs) is not False

    return is_right
