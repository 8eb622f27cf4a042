"""Two files of runs side by side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_runs import line, write

from conftest import TIME_LIMIT_S
from tacit.measure import Record, Records
from tacit.measure.compare import Verdict, compare, regressions

STEADY = (0.99, 1.0, 1.0, 1.0, 1.01)


def _runs(seconds: tuple[float, ...] = STEADY, **choices: Any) -> Records:
    return Records(
        [Record(line(seconds=each, repeat=repeat, **choices)) for repeat, each in enumerate(seconds)]
    )


def _verdict(before: Records, after: Records, figure: str) -> Verdict:
    (row,) = compare(before, after, [figure])
    return row.verdict


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (STEADY, Verdict.SAME),
        (tuple(1.04 * each for each in STEADY), Verdict.SAME),
        (tuple(1.2 * each for each in STEADY), Verdict.WORSE),
        (tuple(0.8 * each for each in STEADY), Verdict.BETTER),
        ((0.8, 0.9, 1.15, 1.4, 1.5), Verdict.SAME),  # scatters by more than it has grown
        ((1.5, 1.5), Verdict.UNJUDGED),
    ],
)
def test_times_are_judged_by_their_scatter(after: tuple[float, ...], verdict: Verdict) -> None:
    assert _verdict(_runs(), _runs(after), "online_s") is verdict


def test_what_the_program_alone_decides_is_judged_exactly() -> None:
    one = _runs((1.0,))
    assert _verdict(one, _runs((1.0,), sent=1001), "setup_payload_bytes") is Verdict.WORSE
    assert _verdict(one, _runs((1.0,), sent=999), "setup_payload_bytes") is Verdict.BETTER
    assert _verdict(one, one, "and_count") is Verdict.SAME


def test_cases_are_told_apart() -> None:
    before = Records([*_runs(n=1), *_runs(n=2), *_runs(n=2, net="wan")])
    after = Records([*_runs(n=2), *_runs(n=2, net=None), *_runs(tuple(2 * each for each in STEADY), n=1)])
    rows = {row.case: row.verdict for row in compare(before, after, ["online_s"])}
    assert rows == {
        "closest.c n=1 lan": Verdict.WORSE,
        "closest.c n=2 lan": Verdict.SAME,
        "closest.c n=2 wan": Verdict.GONE,
        "closest.c n=2": Verdict.NEW,
    }
    assert len(regressions(compare(before, after, ["online_s"]))) == 2


def _compare(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tacit.measure.compare", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False)


def test_the_exit_code_tells(tmp_path: Path) -> None:
    a = write(tmp_path / "a", [dict(record.fields) for record in _runs()])
    b = write(tmp_path / "b", [dict(record.fields) for record in _runs(tuple(2 * each for each in STEADY))])
    same, worse, better = _compare(a, a), _compare(a, b), _compare(b, a)
    assert (same.returncode, worse.returncode, better.returncode) == (0, 1, 0)
    assert "0 of" in same.stdout
    assert "worse" in worse.stdout
    assert "2.000" in worse.stdout
    assert "better" in better.stdout


def test_wrong_usage(tmp_path: Path) -> None:
    finished = _compare(tmp_path / "none", tmp_path / "none")
    assert finished.returncode == 2
    assert "No such file" in finished.stderr
    assert _compare("a").returncode == 2
