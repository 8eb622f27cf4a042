"""The papers' numbers beside ours: which rows there are, how they come about, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_page import Page

from conftest import EXAMPLES, Tacit
from tacit import UsageError
from tacit.bench.papers.aby import ABY
from tacit.bench.papers.cbmc import CBMC
from tacit.bench.papers.page import page_of
from tacit.bench.papers.pfe import PFE
from tacit.bench.papers.report import PAPERS, Report, chosen, load
from tacit.bench.papers.rows import Found, Paper, PaperRow, State
from tacit.bench.papers.tasty import TASTY
from tacit.bench.papers.texts import figure, markdown
from tacit.bench.papers.viff import VIFF
from tacit.bench.programs import BenchError
from tacit.bench.published import aby, cbmc, pfe, tasty
from tacit.bench.rows import Row

ROOT = EXAMPLES.parent
STORED = ROOT / "benches" / "papers.json"

NAMED = {
    "TASTY": [f"Table {n}" for n in (2, 3, 5, 6, 7)] + [f"Figure {n}" for n in (3, 4, 8, 9, 10, 13)],
    "ABY": [f"Table {n}" for n in ("I", "II", "III", "IV", "V", "VI", "VII")] + ["Figure 2", "Figure 3"],
    "VIFF": [f"Figure 3.{n}" for n in range(4, 9)],
    "DGK": ["Table 2.1", "Figure 2.3"],
    "PFE": [
        f"{kind} {n}" for kind, numbers in (("Table", (1, 2, 3)), ("Figure", (3, 4, 5))) for n in numbers
    ],
    "CBMC-GC": ["Table 1"],
}
"""The tables and figures with numbers of all papers."""


def rows_of(paper: Paper, values: dict[str, float]) -> dict[str, PaperRow]:
    """The rows of a paper, if this was measured."""
    found = Found()
    found.take(Row(name, value, "") for name, value in values.items())
    return {row.name: row for row in paper.rows(found)}


def report_of(*papers: Paper) -> Report:
    """A report of nothing measured."""
    rows = [row for paper in papers for row in rows_of(paper, {}).values()]
    return Report("a machine", 2, "abc", "2026-11-25", True, 1.0, rows)


def test_every_table_and_figure_has_rows() -> None:
    told: dict[str, list[str]] = {}
    for row in report_of(*PAPERS.values()).rows:
        tables = told.setdefault(row.paper, [])
        if row.table not in tables:
            tables.append(row.table)
    assert {paper: sorted(tables) for paper, tables in told.items()} == {
        paper: sorted(tables) for paper, tables in NAMED.items()
    }


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: str(paper.name))
def test_no_row_is_without_number_or_reason(paper: Paper) -> None:
    rows = list(rows_of(paper, {}).values())
    assert len(rows) == sum(len(list(table.cells())) for table in paper.tables)
    assert all(row.published is not None or row.published_note for row in rows)
    assert all(row.state is State.SKIPPED and row.note and row.value is None for row in rows)


def test_numbers_of_the_papers_agree_with_one_another() -> None:
    for bits, (textbook, karatsuba, improvement) in tasty.TABLE_5.rows.items():
        assert textbook == tasty.textbook(int(bits))
        assert textbook is not None and karatsuba is not None and improvement is not None
        assert 100 * (1 - karatsuba / textbook) == pytest.approx(improvement, abs=0.06)
    for table in (aby.TABLE_4, aby.TABLE_5, aby.TABLE_6):
        for row in table.rows:
            for link in ("local", "cloud"):
                phases = table.value(row, f"{link} setup") + table.value(row, f"{link} online")
                assert phases == pytest.approx(table.value(row, f"{link} total"), rel=0.02, abs=0.11)
    for protocol in pfe.PROTOCOLS:
        sums = [sum(column) for column in zip(*_phases(protocol), strict=True)]
        assert sums == pytest.approx(pfe.TABLE_1.row(f"{protocol}, total"), rel=0.002, abs=0.011)
    assert all((total or 0) > (others or 0) for total, others, *_ in cbmc.TABLE_1.rows.values())


def _phases(protocol: str) -> list[tuple[float, ...]]:
    return [pfe.TABLE_1.row(f"{protocol}, {phase}") for phase in pfe.PHASES[:-1]]


def test_a_measured_row_has_the_papers_unit_and_a_ratio() -> None:
    rows = rows_of(ABY, {"run of A MUL x1000, setup": 8.5e-3, "run of A MUL x1000, cloud, setup": 1.712})
    local = rows["ABY, Figure 2: A MUL, local"]
    assert (local.state, local.unit, local.published) == (State.MEASURED, "µs", 17)
    assert local.value == pytest.approx(8.5)
    assert local.ratio == pytest.approx(0.5)
    assert rows["ABY, Figure 2: A MUL, cloud"].ratio == pytest.approx(1.0)


def test_a_shrunk_row_says_its_size_and_how_it_is_scaled() -> None:
    row = rows_of(TASTY, {"circuit of 2^15 gates, setup": 0.01})["TASTY, Table 7: 20, setup"]
    assert (row.state, row.note) == (State.SHRUNK, "of 2^15 gates, times 2^5")
    assert row.value == pytest.approx(0.32)
    assert row.ratio == pytest.approx(0.32 / 177)
    universal = rows_of(PFE, {"universal circuit, N = 10000, total, time": 0.5})
    whole = universal["PFE, Table 2: UC [Liu+20], total, 10000"]
    large = universal["PFE, Table 2: UC [Liu+20], total, 1000000"]
    assert (whole.state, large.state, large.ratio) == (State.MEASURED, State.SHRUNK, None)
    assert "not scaled" in large.note


def test_a_bar_is_the_papers_number_where_that_is_promised() -> None:
    ands = {"addition, ANDs": 33.0, "comparison, ANDs": 32.0}
    rows = rows_of(CBMC, ands)
    assert rows["CBMC-GC, Table 1: addition, non-XOR"].ok is False
    assert rows["CBMC-GC, Table 1: comparison, non-XOR"].ok is True
    assert rows["CBMC-GC, Table 1: comparison, total"].bar is None
    assert rows["CBMC-GC, Table 1: multiplication, non-XOR"].bar is None
    report = replace(report_of(), rows=list(rows.values()))
    assert [row.row for row in report.missed] == ["addition"]
    assert "above its bar" in markdown(report)


def test_what_fails_is_the_reason_of_rows_that_need_it() -> None:
    found = Found()
    found.fail("sums", BenchError("no cargo\nhere"))
    found.take([Row("a", 1.0, "")])
    assert found.measured("a").value == 1.0
    assert found.measured("b").note == "sums failed: no cargo"


def test_a_file_holds_all_that_a_report_has(tmp_path: Path) -> None:
    rows = rows_of(VIFF, {"parallel, 1000, three countries": 0.1})
    report = replace(report_of(ABY), rows=[*report_of(ABY).rows, *rows.values()])
    path = tmp_path / "papers.json"
    path.write_text(report.text(), "utf-8")
    assert load(path) == report
    head = json.loads(report.text())
    assert (head["bench"], head["machine"], head["quick"]) == ("papers", "a machine", True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a report"),
        ('{"rows": 7}', "not a report"),
        ('{"rows": [{"paper": "ABY"}]}', "no field 'table'"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "papers.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=words):
        load(path)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("value", float("nan"), "nan is not a number"),
        ("ratio", True, "True is not a number"),
        ("state", "guessed", "guessed"),
        ("row", 3, "3 is not a text"),
        ("table", "Table 99", "not a table of the papers"),
        ("paper", "Yao", "not a table of the papers"),
    ],
)
def test_wrong_rows_are_refused(tmp_path: Path, key: str, value: object, words: str) -> None:
    told = json.loads(report_of(VIFF).text())
    told["rows"][1][key] = value
    path = tmp_path / "papers.json"
    path.write_text(json.dumps(told))
    with pytest.raises(UsageError, match=words):
        load(path)


def test_papers_are_named_in_any_case() -> None:
    assert [paper.name for paper in chosen("viff, cbmc-gc")] == ["VIFF", "CBMC-GC"]
    assert chosen(None) == list(PAPERS.values())
    with pytest.raises(UsageError, match="--only Fairplay: there is no such paper; there are TASTY, ABY"):
        chosen("TASTY,Fairplay")


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0, "0"), (1234.5, "1,234"), (0.0123, "0.0123"), (2.5e-5, "2.50e-05")]
)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert figure(value) == text


def test_the_page_is_complete_in_itself() -> None:
    rows = rows_of(PFE, {f"half-ElGamal, N = {10**n}, total, time": 0.1 * n for n in range(2, 5)})
    text = page_of(replace(report_of(), rows=[*report_of(*PAPERS.values()).rows, *rows.values()]))
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
    assert page.tags["polyline"] > 10 and page.tags["circle"] > 1000
    assert not [value for value in page.values("href") + page.values("src") if value]
    assert "prefers-color-scheme: dark" in text
    names = page.values("id")
    assert len(names) == len(set(names))


def test_the_page_of_benchmarks_is_that_of_the_stored_run() -> None:
    report = load(STORED)
    assert (ROOT / "BENCHMARKS.md").read_text("utf-8") == markdown(report)
    assert {(row.paper, row.table) for row in report.rows} == {
        (paper, table) for paper, tables in NAMED.items() for table in tables
    }
    names = [row.name for row in report.rows]
    assert names == [row.name for row in report_of(*PAPERS.values()).rows]
    assert report.missed == []


def test_a_quick_run_writes_file_page_and_markdown(tacit: Tacit) -> None:
    done = tacit("bench", "papers", "--quick", "--only", "viff", "-o", "out", "--markdown", "B.md")
    assert done.code in (0, 7), done.stderr
    assert "VIFF, Figure 3.8" in done.stdout
    report = load(tacit.folder / "out/papers.json")
    assert {row.table for row in report.rows} == set(NAMED["VIFF"])
    assert report.count(State.SKIPPED) == 0
    assert (tacit.folder / "B.md").read_text() == markdown(report)
    written = (tacit.folder / "out/papers.html").read_text()
    assert written == page_of(report)
    again = tacit("bench", "papers", "--from", "out/papers.json", "-o", "out", "--markdown", "C.md")
    assert again.code == done.code
    assert (tacit.folder / "C.md").read_text() == markdown(report)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["papers", "--only", "Yao"], "--only Yao: there is no such paper"),
        (["papers", "--net", "lan"], "--net cannot be used with papers"),
        (["papers", "--domain", "yao"], "--domain cannot be used with papers"),
        (["papers", "--from", "none.json"], "none.json: No such file"),
        (["papers", "--quick", "-o", "a-file"], "--output a-file"),
        (["papers", "--quick", "-o", "/proc/none"], "name a folder that can be written"),
        (["app.py:f", "--quick"], "--quick cannot be used with a program"),
        (["app.py:f", "--only", "ABY"], "--only cannot be used with a program"),
    ],
)
def test_wrong_usage(tacit: Tacit, arguments: list[str], words: str) -> None:
    tacit.write("a-file", "")
    tacit("bench", *arguments).failed(2, words)


def test_markdown_that_cannot_be_written(tacit: Tacit) -> None:
    tacit.write("papers.json", report_of(VIFF).text())
    tacit("bench", "papers", "--from", "papers.json", "--markdown", "no/such/B.md").failed(2, "No such file")
