"""Metrics of runs for Prometheus, by the package prometheus_client: the extra `tacit[prometheus]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.metrics.runs import Metrics, PhaseFigures, missing

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

BUCKETS_S = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Upper bounds of the histogram of seconds, if no others are given."""


class PrometheusMetrics(Metrics):
    """Records runs in a registry of Prometheus.

    | metric | kind | labels |
    |---|---|---|
    | `tacit_runs_total` | counter | `program`, `outcome`: `done` or the class of the error |
    | `tacit_phase_seconds` | histogram | `program`, `phase` |
    | `tacit_sent_bytes_total`, `tacit_received_bytes_total` | counter | `program`, `phase` |
    | `tacit_rounds_total` | counter | `program`, `phase` |
    """

    def __init__(
        self, registry: CollectorRegistry | None = None, *, buckets: tuple[float, ...] = BUCKETS_S
    ) -> None:
        """`registry` is that of the process unless given; `buckets` are bounds for seconds of phases.

        Errors: `UsageError` if prometheus_client is not installed.
        """
        try:
            from prometheus_client import REGISTRY, Counter, Histogram
        except ImportError:
            raise missing("Prometheus", "prometheus_client", "prometheus") from None
        to = REGISTRY if registry is None else registry
        by_phase = ["program", "phase"]
        self._runs = Counter("tacit_runs", "Runs that have ended", ["program", "outcome"], registry=to)
        self._seconds = Histogram(
            "tacit_phase_seconds", "Seconds of phases of runs", by_phase, registry=to, buckets=buckets
        )
        self._sent = Counter("tacit_sent_bytes", "Bytes sent in runs", by_phase, registry=to)
        self._received = Counter("tacit_received_bytes", "Bytes received in runs", by_phase, registry=to)
        self._rounds = Counter("tacit_rounds", "Changes from sending to receiving", by_phase, registry=to)

    def record_run(self, program: str, outcome: str) -> None:
        self._runs.labels(program, outcome).inc()

    def record_phase(self, program: str, phase: PhaseFigures) -> None:
        labels = (program, phase.phase)
        self._seconds.labels(*labels).observe(phase.seconds)
        self._sent.labels(*labels).inc(phase.bytes_sent)
        self._received.labels(*labels).inc(phase.bytes_received)
        self._rounds.labels(*labels).inc(phase.rounds)
