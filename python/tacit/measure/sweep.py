"""Runs a program over its parameters, links and modes, again and again, and checks what comes out."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tacit import ProgramError, TacitError, __version__
from tacit.bench.machine import describe
from tacit.inputs import read_inputs
from tacit.local import PartyResult, run_local
from tacit.measure.cases import Case
from tacit.measure.random_inputs import random_inputs
from tacit.measure.records import VERSION, Record
from tacit.measure.targets import Drawing, Made, Target
from tacit.options import USUAL, RunOptions

T = TypeVar("T")

MAX_DEPTH_GATES = 1 << 20
"""The largest program, in AND gates, that is laid out as one circuit to find its depth."""


@dataclass(frozen=True)
class Terms:
    """How each case is run."""

    nets: Sequence[str | None] = (None,)
    modes: Sequence[str | None] = (None,)
    repeat: int = 5
    seed: str = "0"
    given: Sequence[str] = ()
    """Inputs as on the command line, for every run."""
    options: RunOptions = USUAL
    """The options of every run, but for its link and mode."""


@dataclass(frozen=True)
class Plan:
    """One run to be made."""

    case: Case
    net: str | None
    mode: str | None
    repeat: int


@dataclass
class _Made:
    """A program for one choice of parameters."""

    form: Made
    compile_s: float
    depth: int | None = None
    depth_known: bool = False

    def and_depth(self, and_count: int) -> int | None:
        """The AND depth, for programs that are not too large."""
        if not self.depth_known:
            self.depth_known = True
            if and_count <= MAX_DEPTH_GATES:
                self.depth = json.loads(self.form.program.stats())["and_depth"]
        return self.depth


@dataclass
class Sweep:
    """All runs of one command."""

    target: Target
    cases: Sequence[Case]
    terms: Terms
    _made: dict[str, _Made] = field(default_factory=dict)

    def plans(self) -> list[Plan]:
        """The runs in their order. A repetition goes through everything, so that drift meets all alike."""
        return [
            Plan(case, net, mode, repeat)
            for repeat in range(self.terms.repeat)
            for case in self.cases
            for net in self.terms.nets
            for mode in self.terms.modes
        ]

    def run(self) -> Iterator[Record]:
        """Makes the runs.

        Errors: those of running; `TacitError` where a run's outputs are not those of the clear interpreter;
        `ProgramError` where they are not those of the driver.
        """
        machine = {key: value for key, value in describe().items() if key != "date"}
        for plan in self.plans():
            yield Record({**self._measure(plan), **machine})

    def _measure(self, plan: Plan) -> dict[str, Any]:
        made = self._make(plan.case)
        program = made.form.program
        inputs = self._inputs(made.form, plan)
        clear, clear_s = _timed(lambda: program.clear(inputs))
        results, wall_s = _timed(lambda: self._run(made.form, inputs, plan))
        reports = {result.party: json.loads(result.report) for result in results}
        work = next(iter(reports.values()))["work"]
        texts = {role: text for result in results for role, text in result.outputs.items()}
        random = work["random_bits"] > 0
        if not random:
            _compare(plan, json.loads(program.merge_outputs(texts)), json.loads(clear))
        mistake = plan.case.mistake(made.form.decode(texts))
        if mistake is not None:
            raise ProgramError(f"wrong result with {_where(plan)}: {mistake}")
        return {
            "version": VERSION,
            "tacit": __version__,
            "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "program": self.target.name,
            "params": dict(plan.case.params),
            "net": plan.net,
            "mode": plan.mode,
            "repeat": plan.repeat,
            "checked": not random or plan.case.outputs is not None,
            "compile_s": made.compile_s,
            "clear_s": clear_s,
            "wall_s": wall_s,
            "and_depth": made.and_depth(work["and_count"]),
            "reports": reports,
        }

    def _run(self, form: Made, inputs: Mapping[str, str], plan: Plan) -> list[PartyResult]:
        options = self.terms.options.or_else(form.usual)
        planned = options.planned_link or plan.net
        return run_local(
            form.program, inputs, replace(options, mode=plan.mode, net=plan.net, planned_link=planned)
        )

    def _make(self, case: Case) -> _Made:
        key = json.dumps(dict(case.params), sort_keys=True)
        if key not in self._made:
            form, seconds = _timed(lambda: self.target.make(case.params))
            self._made[key] = _Made(form, seconds)
        return self._made[key]

    def _inputs(self, form: Made, plan: Plan) -> dict[str, str]:
        """The inputs of each role: of the driver, else of the command line, else random."""
        roles = form.program.roles
        texts = read_inputs(self.terms.given, roles) if self.terms.given else {}
        values = {**{role: json.loads(text) for role, text in texts.items()}, **plan.case.inputs}
        seed = f"{self.terms.seed}/{json.dumps(dict(plan.case.params), sort_keys=True)}/{plan.repeat}"
        if isinstance(form, Drawing):
            return form.encode({**form.draw(seed, values), **values})
        given = form.encode(values)
        drawn = random_inputs(form.program, seed, given) if given.keys() < set(roles) else {}
        return {**given, **{role: json.dumps(values) for role, values in drawn.items()}}


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def _compare(plan: Plan, outputs: Mapping[str, Any], clear: Mapping[str, Any]) -> None:
    """Refuses outputs that are not those of the clear interpreter."""
    wrong = [name for name in clear if outputs.get(name) != clear[name]]
    if wrong:
        shown = "; ".join(f"{name} is {outputs.get(name)}, in the clear {clear[name]}" for name in wrong[:3])
        raise TacitError(f"wrong result with {_where(plan)}: {shown}")


def _where(plan: Plan) -> str:
    return ", ".join(f"{name}={value}" for name, value in plan.case.params.items()) or "these inputs"
