"""Plots."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import line, write

from conftest import Tacit
from tacit import UsageError
from tacit.measure import Record, Records
from tacit.measure.plot import Style, _figure, lines_of
from tacit.measure.quartiles import Quartiles


def _runs() -> Records:
    return Records(
        [
            Record(line(n, net, seconds * n, repeat))
            for n in (10, 9, 100)
            for net in ("lan", "wan")
            for repeat, seconds in enumerate((1.0, 2.0, 4.0))
        ]
    )


def test_quartiles() -> None:
    assert Quartiles.of([5]) == Quartiles(5, 5, 5, 1)
    assert Quartiles.of([4, 1, 2, 3, 5]) == Quartiles(2, 3, 4, 5)
    assert Quartiles.of([1, 2]).median == 1.5
    assert Quartiles.of([0, 0]).scatter == 0
    assert Quartiles.of([8, 10, 12]).scatter == pytest.approx(0.2)


def test_a_line_for_each_link_in_numeric_order() -> None:
    lines = lines_of(_runs(), "n", ["online_s"])
    assert [line.label for line in lines] == ["lan", "wan"]
    assert [place for place, _ in lines[0].points] == [9, 10, 100]
    found = lines[0].points[1][1]
    assert (found.low, found.median, found.high) == pytest.approx((9.0, 12.0, 18.0))


def test_two_figures_are_named_in_the_legend() -> None:
    lines = lines_of(_runs(), "net", ["online_s", "B.setup_s", "sent_bytes"])
    assert lines[0].label == "time online, n = 10"
    assert lines[3].label == "time in setup, B, n = 10"
    assert lines[6].label == "n = 10"
    assert [place for place, _ in lines[0].points] == ["lan", "wan"]


def test_axes_have_names_and_units() -> None:
    figure = _figure(lines_of(_runs(), "n", ["online_s", "sent_bytes", "and_count"]), "n", Style())
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "time online (s)",
        "bytes sent in all phases (B)",
        "AND gates",
    ]
    assert figure.axes[-1].get_xlabel() == "n"
    assert len(figure.axes[0].collections) == 2  # a band for each line


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [("m", "online_s", "has no m; it has n, net"), ("n", "speed", "--list-costs"), ("n", "C.online_s", "C.")],
)
def test_what_cannot_be_plotted(x: str, y: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        lines_of(_runs(), x, [y])
    with pytest.raises(UsageError, match="no runs"):
        lines_of(Records([]), "n", ["online_s"])


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_files(tacit: Tacit, ending: str, magic: bytes) -> None:
    write(tacit.folder / "b.jsonl", [dict(record.fields) for record in _runs()])
    arguments = ["plot", "b.jsonl", "--x", "n", "--y", "online_s", "--y", "A.sent_bytes", "--log-x"]
    result = tacit(*arguments, "--title", "Closest", "-o", f"p.{ending}")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    assert (tacit.folder / f"p.{ending}").read_bytes().startswith(magic)


def test_a_plot_of_figures_over_a_figure(tmp_path: Path) -> None:
    lines = lines_of(_runs(), "and_count", ["online_s"])
    assert [place for place, _ in lines[0].points] == [1234]
    _figure(lines, "and_count", Style(log_y=True)).savefig(tmp_path / "p.png")


def test_wrong_usage(tacit: Tacit) -> None:
    write(tacit.folder / "b.jsonl", [line()])
    arguments = ["plot", "b.jsonl", "--x", "n", "--y", "online_s", "-o"]
    tacit(*arguments, "p.gif").failed(2, ".png, .pdf, .svg")
    tacit(*arguments, "no/p.png").failed(2, "No such file")
    tacit("plot", "b.jsonl", "--y", "online_s", "-o", "p.png").failed(2, "--x")
