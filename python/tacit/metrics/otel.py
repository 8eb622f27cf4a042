"""Metrics of runs for OpenTelemetry, by its API: the extra `tacit[otel]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit._native import __version__
from tacit.metrics.runs import Metrics, PhaseFigures, missing

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider


class OpenTelemetryMetrics(Metrics):
    """Records runs with a meter of OpenTelemetry.

    | instrument | kind, unit | attributes |
    |---|---|---|
    | `tacit.runs` | counter | `tacit.program`, `tacit.outcome`: `done` or the class of the error |
    | `tacit.phase.duration` | histogram, `s` | `tacit.program`, `tacit.phase` |
    | `tacit.network.io` | counter, `By` | the same, and `network.io.direction`: `transmit` or `receive` |
    | `tacit.rounds` | counter | `tacit.program`, `tacit.phase` |
    """

    def __init__(self, provider: MeterProvider | None = None) -> None:
        """`provider` is that of the process unless given.

        Errors: `UsageError` if OpenTelemetry's API is not installed.
        """
        try:
            from opentelemetry.metrics import get_meter
        except ImportError:
            raise missing("OpenTelemetry", "opentelemetry-api", "otel") from None
        meter = get_meter("tacit", __version__, provider)
        self._runs = meter.create_counter("tacit.runs", "{run}", "Runs that have ended")
        self._seconds = meter.create_histogram("tacit.phase.duration", "s", "Time of phases of runs")
        self._bytes = meter.create_counter("tacit.network.io", "By", "Bytes sent and received in runs")
        self._rounds = meter.create_counter("tacit.rounds", "{round}", "Changes from sending to receiving")

    def record_run(self, program: str, outcome: str) -> None:
        self._runs.add(1, {"tacit.program": program, "tacit.outcome": outcome})

    def record_phase(self, program: str, phase: PhaseFigures) -> None:
        attributes = {"tacit.program": program, "tacit.phase": phase.phase}
        self._seconds.record(phase.seconds, attributes)
        self._rounds.add(phase.rounds, attributes)
        ways = {"transmit": phase.bytes_sent, "receive": phase.bytes_received}
        for direction, count in ways.items():
            self._bytes.add(count, {**attributes, "network.io.direction": direction})
