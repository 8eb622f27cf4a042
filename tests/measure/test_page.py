"""The page of a run: its structure always, and in a browser with the long tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_runs import line, record, report, write

from conftest import Tacit
from tacit.measure import Record
from tacit.measure.page import page_of
from tacit.measure.page.svg import ticks
from tacit.measure.units import readable

VOID = {"meta", "br", "link", "img", "input"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_TIME_LIMIT_S = 120


class Page(HTMLParser):
    """What a page is made of; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def values(self, name: str, tag: str | None = None) -> list[str]:
        """The values of an attribute."""
        return [value for of, at, value in self.attributes if at == name and tag in (None, of)]


def test_the_page_is_complete_in_itself() -> None:
    text = page_of(record())
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert not page.tags.keys() & {"script", "link", "img", "iframe", "object", "use"}
    assert not page.values("src")
    assert not page.values("href")
    assert not re.search(r"https?:|url\(|@import", text)
    (policy,) = (value for value in page.values("content") if "default-src" in value)
    assert "default-src 'none'" in policy


def test_the_page_can_be_told() -> None:
    page = Page(page_of(record()))
    assert page.values("lang", "html") == ["en"]
    assert page.tags["h1"] == page.tags["main"] == 1
    assert page.tags["svg"] == 6
    assert page.values("role", "svg") == ["img"] * 6
    assert page.tags["desc"] == 6
    assert page.tags["caption"] == page.tags["table"] == 4
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    named = {name for value in page.values("aria-labelledby") for name in value.split()}
    assert named <= set(ids)
    assert all(value in ("col", "row") for value in page.values("scope", "th"))
    assert page.tags["th"] == len(page.values("scope", "th"))


def test_the_page_shows_the_figures() -> None:
    words = " ".join(Page(page_of(record(n=7))).words)
    for text in (
        "closest",
        "n = 7",
        "A (garbler) and B (evaluator)",
        "A → B",
        "600 ms",
        "AND gates",
        "ab" * 32,
        "arg_min_u",
        "app.py:12, app.py:13",
    ):
        assert text in words


def test_the_page_of_one_party_knows_what_came_from_the_other() -> None:
    words = Page(page_of(Record({"program": "closest", "reports": {"A": report("A", "B")}}))).words
    assert "setup, A → B: 1\N{NARROW NO-BREAK SPACE}000 bytes" in words
    assert "setup, B → A: 2\N{NARROW NO-BREAK SPACE}000 bytes" in words
    assert "A (garbler) and B (no report)" in " ".join(words)


def test_names_are_text_and_nothing_else() -> None:
    evil = '<script>alert("1")</script>&amp;'
    made = line()
    reports = {evil: report(evil, "B"), "B": report("B", evil)}
    for each in reports.values():
        each["program"] = evil
        each["phases"][0]["phase"] = evil
    page = Page(page_of(Record({**made, "reports": reports, "net": evil, "params": {"n": evil}})))
    assert page.tags["script"] == 0
    assert any(evil in words for words in page.words)


def test_a_run_in_which_nothing_happened() -> None:
    Page(page_of(Record({"reports": {"A": report("A", "B", 0.0, 40, 40)}})))
    Page(page_of(Record({"reports": {"A": {"phases": []}}})))


@pytest.mark.parametrize(
    ("limit", "found"), [(47, [0, 10, 20, 30, 40]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, [0]), (3e-6, None)]
)
def test_ticks_are_round(limit: float, found: list[float] | None) -> None:
    if found is not None:
        assert ticks(limit) == pytest.approx(found)
    assert 0 <= ticks(limit)[-1] <= limit * 1.001
    assert len(ticks(limit)) <= 7


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0000123, "s", "12.3 µs"),
        (1.5, "s", "1.5 s"),
        (123.4, "s", "123 s"),
        (0, "s", "0 s"),
        (999, "B", "999 B"),
        (1500, "B", "1.5 kB"),
        (2e9, "B", "2 GB"),
        (1234567, "", "1\u202f234\u202f567"),
        (None, "s", "\N{EN DASH}"),
    ],
)
def test_numbers_as_people_read_them(value: float | None, unit: str, text: str) -> None:
    assert readable(value, unit) == text


def test_report_writes_beside_the_report(tacit: Tacit) -> None:
    tacit.write("run.json", json.dumps({"A": report("A", "B"), "B": report("B", "A")}))
    result = tacit("report", "run.json")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    Page((tacit.folder / "run.html").read_text("utf-8"))


def test_report_of_one_of_several_runs(tacit: Tacit) -> None:
    write(tacit.folder / "b.jsonl", [line(1), line(2)])
    tacit("report", "b.jsonl").failed(2, "2 runs", "--run")
    tacit("report", "b.jsonl", "--run", "3").failed(2, "2 runs")
    assert tacit("report", "b.jsonl", "--run", "2", "-o", "p.html").code == 0
    assert "n = 2" in (tacit.folder / "p.html").read_text("utf-8")
    tacit("report", "b.jsonl", "--run", "1", "-o", "no/p.html").failed(2, "No such file")
    tacit.write("empty", "")
    tacit("report", "empty").failed(2, "no runs")


def _browser(*arguments: str | Path) -> str:
    """Runs Chromium without a screen and returns what it prints."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail(f"the long tests of the page need one of {', '.join(BROWSERS)} (Debian: chromium)")
    command = [found, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *arguments]
    finished = subprocess.run(
        command, capture_output=True, text=True, timeout=BROWSER_TIME_LIMIT_S, check=True
    )
    return finished.stdout


PROBE = """<script>
const outside = [];
for (const text of document.querySelectorAll("svg text")) {
  const box = text.getBBox(), view = text.ownerSVGElement.viewBox.baseVal;
  if (box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1)
    outside.push(text.textContent);
}
const overlaps = [];
for (const svg of document.querySelectorAll("svg")) {
  const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBBox()]);
  boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([two, b]) => {
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 2 < b.y + b.height && b.y + 2 < a.y + a.height)
      overlaps.push([one, two]);
  }));
}
const drawn = [...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect().height);
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.body.dataset.probe = JSON.stringify({outside, overlaps, drawn, wide});
</script></body>"""


@pytest.mark.long
@pytest.mark.parametrize("width", [420, 1100])
@pytest.mark.parametrize("names", [("A", "B"), ("the-assisting-server", "client")])
def test_a_browser_lays_the_page_out(tmp_path: Path, width: int, names: tuple[str, str]) -> None:
    one, two = names
    made = {**line(), "reports": {one: report(one, two, 0.123, 12_345_678), two: report(two, one, 0.117)}}
    text = page_of(Record(made)).replace("Content-Security-Policy", "x-no-policy")
    path = tmp_path / "run.html"
    path.write_text(text.replace("</body>", PROBE), "utf-8")
    dom = _browser(f"--window-size={width},900", "--dump-dom", path.as_uri())
    ((probe),) = [json.loads(value) for value in Page(dom).values("data-probe")]
    assert probe["outside"] == []
    assert probe["overlaps"] == []
    assert probe["wide"] <= 0
    assert len(probe["drawn"]) == 6
    assert min(probe["drawn"]) > 20


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "light"), [("1", True), ("0", False)])
def test_a_browser_shows_the_page_in_both_schemes(tmp_path: Path, scheme: str, light: bool) -> None:
    from matplotlib.image import imread

    path, picture = tmp_path / "run.html", tmp_path / "run.png"
    path.write_text(page_of(record()), "utf-8")
    _browser(
        f"--blink-settings=preferredColorScheme={scheme}",
        "--window-size=1100,2200",
        f"--screenshot={picture}",
        path.as_uri(),
    )
    pixels = imread(picture)[:, :, :3]
    corner = float(pixels[2, 2].mean())
    assert corner > 0.9 if light else corner < 0.2
    assert len({tuple(pixel) for pixel in pixels[::7, ::7].reshape(-1, 3).tolist()}) > 10
