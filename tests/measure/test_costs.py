"""The registry of figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_runs import record

from conftest import EXAMPLES, Tacit
from tacit import UsageError
from tacit.measure import COSTS, cost_of, load


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("online_s", 0.6),
        ("A.online_s", 0.3),
        ("total_s", 2.0),
        ("sent_bytes", 9000),
        ("B.sent_bytes", 6000),
        ("setup_payload_bytes", 2920),
        ("predicted_setup_bytes", 2920),
        ("online_compute_s", 0.45),
        ("rounds", 6),
        ("and_count", 1234),
        ("and_depth", 17),
        ("scheduled_and_depth", 21),
        ("operations", 3082),
        ("additions", 519),
        ("B.multiplications", 2048),
        ("comparisons", 0),
        ("circuit_gates", 3),
        ("wall_s", 2.0),
        ("peak_memory_bytes", 17_000_000),
        ("C.online_s", None),
    ],
)
def test_figures_of_a_run_and_of_a_party(name: str, value: float | None) -> None:
    assert record().cost(name) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize("name", ["", "offline_s", "A.", ".online_s", "A.offline_s"])
def test_an_unknown_figure(name: str) -> None:
    with pytest.raises(UsageError, match="list-costs"):
        cost_of(name)


def test_a_figure_of_the_run_belongs_to_no_party() -> None:
    with pytest.raises(UsageError, match="figure of the run"):
        cost_of("A.and_depth")


def test_a_figure_that_one_party_lacks_is_unknown() -> None:
    made = record()
    del made.fields["reports"]["B"]["peak_memory_bytes"]
    assert made.cost("peak_memory_bytes") is None
    assert made.cost("A.peak_memory_bytes") == 17_000_000


def test_list_costs_names_all(tacit: Tacit) -> None:
    result = tacit("bench", "--list-costs")
    assert result.code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(COSTS)


def test_every_figure_but_those_of_bench_is_in_a_real_report(tacit: Tacit) -> None:
    arguments = ["--local", "--input", 'A={"mil": 12}', "--input", 'B={"mil": 7}', "--report", "r.json"]
    assert tacit("run", EXAMPLES / "millionaires.c", *arguments).code == 0
    (run,) = load(tacit.folder / "r.json")
    missing = {name for name in COSTS if run.cost(name) is None}
    assert missing == {"and_depth", "compile_s", "clear_s", "wall_s"}
    assert run.cost("payload_bytes") == sum(
        run.cost(f"predicted_{phase}_bytes") or 0 for phase in ("setup", "online")
    )


def test_a_report_of_one_party_is_a_record(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(record().reports["A"], indent=2))
    (run,) = load(path)
    assert run.program == "closest"
    assert run.cost("sent_bytes") == 3000
