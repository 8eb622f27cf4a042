"""What is recorded of runs, whatever it is recorded with."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tacit._native import TacitError, UsageError

DONE = "done"
"""The outcome of a run that gave its outputs; of others it is the class of the error."""

INTERRUPTED = "interrupted"

OTHER = "other"
"""The outcome of a run that ended by an error that is not of Tacit, whose class could tell more."""

Report = str | Mapping[str, Any]
"""The report of one party: an object, or its JSON text."""


@dataclass(frozen=True)
class PhaseFigures:
    """What a phase of a run has cost one party."""

    phase: str
    seconds: float
    bytes_sent: int
    bytes_received: int
    rounds: int


def figures(report: Report) -> list[PhaseFigures]:
    """The figures of each phase of a report.

    Errors: `UsageError` for what is not a report.
    """
    try:
        value = json.loads(report) if isinstance(report, str) else report
        return [
            PhaseFigures(
                str(phase["phase"]),
                float(phase["seconds"]),
                int(phase["bytes_sent"]),
                int(phase["bytes_received"]),
                int(phase["rounds"]),
            )
            for phase in value["phases"]
        ]
    except (KeyError, TypeError, ValueError):
        raise UsageError("metrics are recorded from the report of a run, which this is not") from None


class Recorder:
    """Records the reports of one run."""

    def __init__(self, metrics: Metrics, program: str) -> None:
        self._metrics, self._program = metrics, program

    def record(self, report: Report) -> None:
        """Records the report of a party, as sessions and `OpenSession` give it."""
        for phase in figures(report):
            self._metrics.record_phase(self._program, phase)

    def record_all(self, reports: Mapping[str, Report]) -> None:
        """Records the reports of the parties that ran here: `outputs.reports`."""
        for report in reports.values():
            self.record(report)


class Metrics(ABC):
    """Where metrics of runs go."""

    @contextmanager
    def run(self, program: str) -> Iterator[Recorder]:
        """Counts the run within the `with` block, under this name, and how it ends.

        What is given to `record` and `record_all` of the result is recorded too.
        """
        outcome = OTHER
        try:
            yield Recorder(self, program)
            outcome = DONE
        except TacitError as error:
            outcome = _kind(error)
            raise
        except KeyboardInterrupt:
            outcome = INTERRUPTED
            raise
        finally:
            self.record_run(program, outcome)

    @abstractmethod
    def record_run(self, program: str, outcome: str) -> None:
        """Counts a run that has ended."""

    @abstractmethod
    def record_phase(self, program: str, phase: PhaseFigures) -> None:
        """Records what a phase has cost."""


def _kind(error: TacitError) -> str:
    """The class of Tacit that an error belongs to, so that there are only as many outcomes as classes."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__.partition(".")[0] == "tacit")


def missing(what: str, package: str, extra: str) -> UsageError:
    """The error where a package is not installed."""
    return UsageError(
        f"metrics for {what} need the package {package}, which is not installed: pip install 'tacit[{extra}]'"
    )
