"""Metrics of runs, in the registries of Prometheus and OpenTelemetry."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import pytest

import tacit as t
from tacit.metrics.otel import OpenTelemetryMetrics
from tacit.metrics.prometheus import PrometheusMetrics
from tacit.metrics.runs import Metrics, PhaseFigures

SECRET = 48_163_297
"""An input that must not turn up in any metric."""

PHASES = ("analysis", "setup", "online")


@t.function
def richer(alice: t.Role, bob: t.Role) -> None:
    t.output("richer", alice.input("fortune", t.u32) > bob.input("fortune", t.u32), alice, bob)


class Told(Metrics):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, str]] = []
        self.phases: list[PhaseFigures] = []

    def record_run(self, program: str, outcome: str) -> None:
        self.runs.append((program, outcome))

    def record_phase(self, program: str, phase: PhaseFigures) -> None:
        assert program == "richer"
        self.phases.append(phase)


def measured(metrics: Metrics) -> Mapping[str, Mapping[str, Any]]:
    """Two runs, of which the second fails; the reports of the first."""
    with metrics.run("richer") as run:
        outputs = richer(alice={"fortune": SECRET}, bob={"fortune": 7})
        outputs = richer.run(alice={"fortune": SECRET}, bob={"fortune": 7})
        run.record_all(outputs.reports)
    with pytest.raises(t.InputError, match="does not fit"), metrics.run("richer"):
        richer.run(alice={"fortune": SECRET << 32}, bob={"fortune": 7})
    return outputs.reports


def total(reports: Mapping[str, Mapping[str, Any]], field: str, phase: str) -> int:
    """A field of a phase, summed over the parties."""
    found = [each[field] for report in reports.values() for each in report["phases"]]
    names = [each["phase"] for report in reports.values() for each in report["phases"]]
    return sum(value for name, value in zip(names, found, strict=True) if name == phase)


def test_reports_are_recorded_by_phase_and_runs_by_outcome() -> None:
    told = Told()
    reports = measured(told)
    assert told.runs == [("richer", "done"), ("richer", "InputError")]
    assert [phase.phase for phase in told.phases] == [*PHASES, *PHASES]
    for phase in PHASES:
        sent = sum(each.bytes_sent for each in told.phases if each.phase == phase)
        assert sent == total(reports, "bytes_sent", phase)


def test_reports_may_be_text_and_nothing_else_is_a_report() -> None:
    told = Told()
    (report,) = [richer.run(alice={"fortune": 1}, bob={"fortune": 7}).reports["alice"]]
    with told.run("richer") as run:
        run.record(json.dumps(report))
        for wrong in ("", "[]", "{}", {"phases": [{"phase": "setup"}]}):
            with pytest.raises(t.UsageError, match="from the report of a run"):
                run.record(wrong)
    assert len(told.phases) == len(PHASES)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (t.PeerError("48163297"), "PeerError"),
        (t.RangeError("48163297"), "RangeError"),
        (KeyboardInterrupt(), "interrupted"),
        (ValueError(f"{SECRET}"), "other"),
        (type(f"Of{SECRET}", (t.AbortError,), {})("why"), "AbortError"),
    ],
)
def test_failures_are_counted_by_the_class_of_tacit(error: BaseException, outcome: str) -> None:
    told = Told()
    with pytest.raises(type(error)), told.run("richer"):
        raise error
    assert told.runs == [("richer", outcome)]


def test_prometheus() -> None:
    client = pytest.importorskip("prometheus_client", reason="the extra tacit[prometheus] is not installed")
    registry = client.CollectorRegistry()
    reports = measured(PrometheusMetrics(registry))
    runs = {
        outcome: registry.get_sample_value("tacit_runs_total", {"program": "richer", "outcome": outcome})
        for outcome in ("done", "InputError")
    }
    assert runs == {"done": 1, "InputError": 1}
    for phase in PHASES:
        labels = {"program": "richer", "phase": phase}
        for metric, field in (
            ("sent_bytes", "bytes_sent"),
            ("received_bytes", "bytes_received"),
            ("rounds",) * 2,
        ):
            assert registry.get_sample_value(f"tacit_{metric}_total", labels) == total(reports, field, phase)
        assert registry.get_sample_value("tacit_phase_seconds_count", labels) == len(reports)
        seconds = registry.get_sample_value("tacit_phase_seconds_sum", labels)
        assert seconds == pytest.approx(total(reports, "seconds", phase))
    assert str(SECRET) not in client.generate_latest(registry).decode()


def test_opentelemetry() -> None:
    metrics = pytest.importorskip("opentelemetry.sdk.metrics", reason="OpenTelemetry's SDK is not installed")
    export = pytest.importorskip("opentelemetry.sdk.metrics.export")
    reader = export.InMemoryMetricReader()
    provider = metrics.MeterProvider([reader])
    reports = measured(OpenTelemetryMetrics(provider))
    data = reader.get_metrics_data()
    provider.shutdown()
    found = {
        metric.name: metric
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    runs = {point.attributes["tacit.outcome"]: point.value for point in found["tacit.runs"].data.data_points}
    assert runs == {"done": 1, "InputError": 1}
    assert (found["tacit.phase.duration"].unit, found["tacit.network.io"].unit) == ("s", "By")
    moved = {
        (point.attributes["tacit.phase"], point.attributes["network.io.direction"]): point.value
        for point in found["tacit.network.io"].data.data_points
    }
    for phase in PHASES:
        assert moved[phase, "transmit"] == total(reports, "bytes_sent", phase)
        assert moved[phase, "receive"] == total(reports, "bytes_received", phase)
    assert str(SECRET) not in data.to_json()


@pytest.mark.parametrize(
    ("metrics", "package", "extra"),
    [(PrometheusMetrics, "prometheus_client", "prometheus"), (OpenTelemetryMetrics, "opentelemetry", "otel")],
)
def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, metrics: type[Metrics], package: str, extra: str
) -> None:
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(t.UsageError, match=rf"not installed: pip install 'tacit\[{extra}\]'"):
        metrics()
