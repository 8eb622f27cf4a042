"""Postprocessing scripts as TASTY's figure 12 has them, on runs that were measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import EXAMPLES, Tacit
from tacit import UsageError
from tacit.measure import load
from tacit.tastyl.postprocessing import extract_costs, process

PROGRAMS = EXAMPLES / "tastyl" / "homomorphic"

DRIVER = """\
from pathlib import Path

from tacit.python_file import load_module


class Few(type(load_module(Path({!r})).driver)):
    def next_data_in(self):
        for one in super().next_data_in():
            if self.params["l"] in (1, 9):
                yield one


driver = Few()
"""


WRITES = """\
import json
from pathlib import Path


def process_costs(cost_objs):
    Path({!r}).write_text(json.dumps(cost_objs))
"""


@pytest.fixture
def runs(tacit: Tacit) -> Path:
    """Two repetitions of appendix C at two bitlengths."""
    program = PROGRAMS / "multiplication.py"
    tacit.write("few.py", DRIVER.format(str(program)))
    result = tacit(
        "bench", program, "--driver", "few.py", "--repeat", "2", "--insecure-bench", "short",
        "-o", "runs.jsonl",
    )  # fmt: skip
    assert result.code == 0, result.stderr
    return tacit.folder / "runs.jsonl"


def test_figure_12(tacit: Tacit, runs: Path) -> None:
    result = tacit("plot", "runs.jsonl", "--script", PROGRAMS / "analyze.py")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    assert (tacit.folder / "multiplication_time.pdf").read_bytes().startswith(b"%PDF")


def test_what_scripts_are_given(tacit: Tacit, runs: Path) -> None:
    seen = tacit.folder / "seen.json"
    script = tacit.folder / "writes.py"
    script.write_text(WRITES.format(str(seen)))
    process(script, [runs, runs])
    cost_objs = json.loads(seen.read_text())
    assert [len(file) for file in cost_objs] == [2, 2]
    assert [run["params"]["l"] for run in cost_objs[0][0]] == [1, 9]
    records = load(runs)
    paths = {"duration": "client.online_s", "sent": "client.online_sent_bytes"}
    for name, figure in paths.items():
        found = extract_costs(cost_objs[0], ("found", f"client>real>online>{name}"))["found"]
        scale = 1000 if name == "duration" else 1
        for value, bits in zip(found, (1, 9), strict=True):
            measured = [record.cost(figure) or 0 for record in records if record.params["l"] == bits]
            assert value == pytest.approx(sum(measured) / 2 * scale)


RUN = {"params": {"l": 1}, "client": {"real": {"online": {"duration": 5.0, "sent": None}}}}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("client>real>offline>duration", "client>real has online, and no offline"),
        ("alice>real>online>duration", "a run has params, client, and no alice"),
        ("client>real>online>sent", "is not a figure of a run"),
        ("client>real>online", "is not a figure of a run"),
        ("client>real>online>duration>more", "has nothing, and no more"),
    ],
)
def test_paths_that_lead_nowhere_are_refused(path: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        extract_costs([[RUN]], ("label", path))


def test_medians_of_repetitions() -> None:
    runs = [[{"client": {"online": value}}] for value in (1, 10, 2)]
    assert extract_costs(runs, ("C", "client>online")) == {"C": [2]}


def test_mistakes_on_the_command_line(tacit: Tacit) -> None:
    tacit.write("empty.py", "")
    tacit("plot", "runs.jsonl", "--script", "empty.py").failed(2, "empty.py", "process_costs(cost_objs)")
    tacit("plot", "runs.jsonl", "--script", "empty.py", "--x", "l").failed(2, "--x", "with --script")
    tacit("plot", "runs.jsonl").failed(2, "--x and --y and --output", "--script")
