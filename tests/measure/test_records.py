"""Reading files of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import line, report, write

from tacit import UsageError
from tacit.measure import COSTS, load


def test_columns_are_equally_long_and_complete(tmp_path: Path) -> None:
    path = write(tmp_path / "b.jsonl", [line(1), line(2, net=None, repeat=1)])
    columns = load(path).to_columns()
    assert {len(column) for column in columns.values()} == {2}
    assert set(COSTS) < set(columns)
    assert columns["n"] == [1, 2]
    assert columns["net"] == ["lan", None]
    assert columns["repeat"] == [0, 1]
    assert columns["A.online_s"] == [pytest.approx(0.3)] * 2
    assert "A.wall_s" not in columns


def test_a_parameter_with_the_name_of_a_column(tmp_path: Path) -> None:
    made = line()
    made["params"] = {"online_s": 5}
    columns = load(write(tmp_path / "b.jsonl", [made])).to_columns()
    assert columns["param.online_s"] == [5]
    assert columns["online_s"] == [pytest.approx(0.6)]


def test_several_files_follow_one_another(tmp_path: Path) -> None:
    first, second = write(tmp_path / "1", [line(1)]), write(tmp_path / "2", [line(2), line(3)])
    records = load(first, second)
    assert [record.params["n"] for record in records] == [1, 2, 3]
    assert len(records[1:]) == 2
    assert records.params == ["n"]
    assert records.roles == ["A", "B"]


def test_an_empty_file_has_no_runs(tmp_path: Path) -> None:
    assert len(load(write(tmp_path / "b.jsonl", []))) == 0


def _broken(change: dict[str, Any]) -> str:
    return json.dumps({**line(), **change})


def _phases(**change: Any) -> str:
    made = report("A", "B")
    made["phases"][1].update(change)
    return json.dumps(made)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "b.jsonl:1 is not a line of JSON"),
        ("[1, 2]", "no reports"),
        ("{}", "no reports"),
        ('{"A": 5}', "A has no report"),
        ('{"A": {"phases": 5}}', "A has no report"),
        ('{"A": {"phases": [{"phase": "setup"}]}}', "A has no report"),
        (_phases(seconds=-1), "no report"),
        (_phases(seconds="1"), "no report"),
        (_phases(rounds=True), "no report"),
        (_phases(bytes_sent=10**400), "no report"),
        (_phases(seconds=float("nan")), "no report"),
        (_broken({"version": 99}), "version 99"),
        (_broken({"params": [1]}), "no parameters"),
        (_broken({"reports": {}}), "no reports"),
        (json.dumps({**report("A", "B"), "work": [1]}), "work of A"),
        (json.dumps({**report("A", "B"), "operations": {}}), "operations of A"),
        (json.dumps({**report("A", "B"), "operations": [{"kind": "add"}]}), "operations of A"),
        (json.dumps(line()) + "\n{\n", "b.jsonl:2"),
        ("[" * 100_000, "not a line of JSON"),
    ],
)
def test_what_is_no_file_of_runs(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "b.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=words):
        load(path)


def test_a_file_that_is_missing_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "none")
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        load(tmp_path / "b")
