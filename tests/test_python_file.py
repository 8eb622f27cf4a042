"""A user's file is run once, whatever is asked of it."""

from __future__ import annotations

from conftest import Tacit

APP = """
import pathlib
import tacit as t

with pathlib.Path("runs.txt").open("a") as file:
    file.write("run\\n")

@t.function
def larger(a, b):
    t.output("larger", a.input("x", t.u32) > b.input("y", t.u32), a, b)
"""

DRIVER = """
from tacit.measure import Case

def driver():
    for x in range(3):
        yield Case({}, {"a": {"x": x}, "b": {"y": 1}}, {role: {"larger": x > 1} for role in "ab"})
"""


def test_a_file_is_run_once(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    tacit.write("driver.py", DRIVER)
    given = ["--input", 'a={"x": 7}', "--input", 'b={"y": 5}']
    for arguments in (["--local", "--threshold", "1", *given], ["--clear", "--driver", "driver.py"]):
        finished = tacit("run", "app.py:larger", *arguments)
        assert finished.code == 0, finished.stderr
    assert (tacit.folder / "runs.txt").read_text() == "run\n" * 2
