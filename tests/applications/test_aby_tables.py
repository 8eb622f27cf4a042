"""The tables of the ABY paper beside what was measured."""

from __future__ import annotations

import pytest

from tacit.bench.aby_tables import sheets
from tacit.bench.rows import Row, Sheet


def lines(found: list[Sheet], title: str) -> dict[str, list[str]]:
    """The lines of a table by what they begin with."""
    sheet = next(sheet for sheet in found if sheet.title.startswith(title))
    assert all(len(line) == len(sheet.headings) for line in sheet.lines)
    return {line[0]: line[1:] for line in sheet.lines}


@pytest.fixture
def found() -> list[Sheet]:
    rows = {
        "run of A MUL x1000, setup": 8e-3,
        "run of A MUL x1000, cloud, setup": 0.5,
        "run of A MUL x1000, setup bytes": 380_000,
        "run of A MUL x1000, setup rounds": 2,
        "run of A MUL, 1000 in sequence, online": 0.05,
        "run of A MUL, 10 in sequence, cloud, online": 1.7,
        "run of A2Y x1000, setup and online bytes": 5_984_000,
        "A2Y, symmetric operations": 500,
        "run of Y2A x1000, setup and online bytes": 1_000_000,
        "run of share Y, garbler x1000, setup and online bytes": 512_000,
        "run of B2Y x1000, setup and online bytes": 400_000,
        "run of A MUL x100000 of 8 bits, silent, setup": 0.2,
        "PSI 4096 x 32 bit, sorted, B+Y, setup": 1.5,
        "PSI 4096 x 32 bit, sorted, B+Y, cloud, online": 4,
        "PSI 4096 x 32 bit, sorted, unpinned, setup": 1,
    }
    return sheets([Row(name, value, "") for name, value in rows.items()])


def test_operations(found: list[Sheet]) -> None:
    assert lines(found, "Figure 2")["A MUL"] == ["8 | 17", "500 | 1712", "380 | 1152", "-", "2"]
    online = lines(found, "Figure 3")
    assert online["A MUL"] == ["50 | 138", "- | 2", "170000 | 237411", "- | 209", "- | 4", "-"]
    assert online["A2Y, Y2B, B2A"][0] == "- | 45"


def test_conversions_and_triples(found: list[Sheet]) -> None:
    conversions = lines(found, "Table I:")
    assert conversions["A2Y"] == ["500 | 384", "47872 | 24576", "- | 2"]
    assert conversions["Y2A"] == ["- | 192", "704 | 4624", "- | 2"]
    assert conversions["Y2B"] == ["- | 0", "- | 0", "- | 0"]
    assert lines(found, "Table II:")["8 bits"][1] == "2 | 3"


def test_programs(found: list[Sheet]) -> None:
    programs = lines(found, "Table V:")
    assert programs["B+Y"] == ["1.5 | 2.6", "- | 0.7", "- | 23.4", "4 | 7.1", "- | 182", "- | 27"]
    assert programs["unpinned"][0] == "1"
