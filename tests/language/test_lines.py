"""Operations know the line of the user's file that wrote them, and reports and errors name it."""

from __future__ import annotations

import inspect
import json
from collections import Counter

import tacit as t
from conftest import Tacit


def helper(x: t.Array) -> t.Array:
    return x * x


@t.function
def lines(a: t.Role, b: t.Role, n: int = 4) -> None:
    x, y = a.input("x", t.u8[n]), b.input("y", t.u8[n])
    total = x + y
    least = t.minimum(total, 3 * y)
    total = helper(least)
    total = t.fori(5, lambda i, s: s ^ x[0] ^ i, t.wrapping(x[1]))
    b.output("z", total + least.sum())


def found(report: dict[str, object]) -> dict[tuple[int, str], int]:
    operations = report["operations"]
    assert isinstance(operations, list)
    return {(each["line"], each["kind"]): each["count"] for each in operations}


def test_reports_count_operations_by_line() -> None:
    outputs = lines.run(a={"x": [1, 2, 3, 4]}, b={"y": [5, 6, 7, 8]})
    assert outputs == lines(a={"x": [1, 2, 3, 4]}, b={"y": [5, 6, 7, 8]})
    first = inspect.getsourcelines(lines.__wrapped__)[1]  # type: ignore[attr-defined]
    square = inspect.getsourcelines(helper)[1] + 1
    for report in outputs.reports.values():
        assert report["version"] == 2
        assert report["source"] == "test_lines.py"
        assert {each["domain"] for each in report["operations"]} == {"yao"}
        counts = found(report)
        assert counts[first + 3, "add"] == 4
        assert counts[first + 4, "mul"] == counts[square, "mul"] == 4
        assert counts[first + 6, "xor"] == 10
        assert counts[first + 7, "segment_sum"] == 4
        assert 0 < report["work"]["and_depth"] <= report["work"]["and_count"]


def test_programs_are_the_same_wherever_their_lines_stand(tacit: Tacit) -> None:
    text = """
import tacit as t

@t.function
def double(a, b):
    b.output("z", a.input("x", t.u8) + b.input("y", t.u8))
"""
    tacit.write("one.py", text)
    tacit.write("two.py", "# A comment.\n\n" + text)
    reports = []
    for name in ("one", "two"):
        given = ['--input=a={"x": 1}', '--input=b={"y": 2}', f"--report={name}.json"]
        assert tacit("run", f"{name}.py:double", "--local", *given).outputs == {"z": 3}
        reports.append(json.loads((tacit.folder / f"{name}.json").read_text())["a"])
    assert reports[0]["plan_hash"] == reports[1]["plan_hash"]
    assert [report["source"] for report in reports] == ["one.py", "two.py"]
    kinds = [Counter(each["line"] for each in report["operations"]) for report in reports]
    assert kinds == [Counter({6: 1}), Counter({8: 1})]


def test_errors_of_planning_name_the_line(tacit: Tacit) -> None:
    tacit.write(
        "app.py",
        """
import tacit as t

@t.function
def large(a, b):
    x = a.input("x", t.uint(4096)[256])
    y = b.input("y", t.uint(4096)[256])
    b.output("z", t.wrapping(x).reshape(1, 256) @ t.wrapping(y))
""",
    )
    tacit("compile", "app.py:large", "--stats").failed(3, "app.py:8:", "`mul`")
