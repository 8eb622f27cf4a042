"""Circuit files of Fairplay and FairplayMP, on the command line and in the language."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as t
from conftest import Tacit

SHDL = """\
0 gate arity 0 table [ 0 ] inputs [ ]\t//CONST 0
1 input\t\t//output$input.bob$0
2 input\t\t//output$input.bob$1
3 input\t\t//output$input.alice$0
4 input\t\t//output$input.alice$1
5 output gate arity 2 table [ 0 1 1 0 ] inputs [ 3 1 ]\t//output$output.alice$0
6 gate arity 2 table [ 0 0 0 1 ] inputs [ 3 1 ]
7 output gate arity 3 table [ 0 1 1 0 1 0 0 1 ] inputs [ 4 2 6 ]\t//output$output.alice$1
8 output gate arity 3 table [ 0 0 0 1 0 1 1 1 ] inputs [ 4 2 6 ]\t//output$output.alice$2
9 output gate arity 3 table [ 0 1 0 1 0 0 1 1 ] inputs [ 2 4 8 ]\t//output$output.bob$0
"""
FMT = """\
Alice input integer "x=" [ 3 4 ]
Bob input integer "y=" [ 1 2 ]
Alice output integer "sum=" [ 5 7 8 0 ]
"""
CNV = """\
FMT - Input:
input,alice,input,0,1
input,bob,input,2,3
Gates:
gate,4,2,0 1 0 0,3,1
FMT - Output:
output,alice,output,4,-1
output,bob,output,4
"""


@pytest.mark.parametrize("how", ["--clear", "--local"])
def test_a_circuit_runs_between_its_players(tacit: Tacit, how: str) -> None:
    tacit.write("add.shdl", SHDL)
    given = ["--input", 'alice={"input.alice": 3}', "--input", 'bob={"input.bob": 2}']
    assert tacit("run", "add.shdl", how, *given).outputs == {"output.alice": 5, "output.bob": 1}
    tacit.write("add.fmt", FMT)
    given = ["--input", 'Alice={"x": 3}', "--input", 'Bob={"y": 1}']
    assert tacit("run", "add.shdl", how, *given).outputs == {"sum": 4}


def test_size_and_form(tacit: Tacit) -> None:
    tacit.write("add.shdl", SHDL)
    stats = tacit("compile", "add.shdl", "--stats", "--emit", "program", "-o", "add.tacit").outputs
    assert (stats["and_count"], stats["inputs"], stats["outputs"]) == (3, 4, 4)
    given = ["--input", 'alice={"input.alice": 1}', "--input", 'bob={"input.bob": 1}']
    assert tacit("run", "add.tacit", "--clear", *given).outputs == {"output.alice": 2, "output.bob": 0}


def test_players_with_outputs_of_one_name(tacit: Tacit) -> None:
    tacit.write("less.cnv", CNV)
    for x in range(4):
        given = ["--input", f'alice={{"input": {x}}}', "--input", 'bob={"input": 2}']
        below = int(x < 2)
        assert tacit("run", "less.cnv", "--clear", *given).outputs == {
            "alice.output": below + 2,
            "bob.output": below,
        }


def test_errors_name_file_and_line(tacit: Tacit) -> None:
    tacit.write("bad.shdl", SHDL.replace("inputs [ 3 1 ]", "inputs [ 3 77 ]"))
    tacit("run", "bad.shdl", "--clear").failed(3, "bad.shdl", "line 6", "77")
    tacit.write("add.shdl", SHDL)
    tacit.write("add.fmt", FMT.replace("integer", ""))
    tacit("run", "add.shdl", "--clear").failed(3, "add.shdl", "line 1", ".fmt")
    (tacit.folder / "add.fmt").write_bytes(b"\xff")
    tacit("run", "add.shdl", "--clear").failed(3, "add.fmt")
    tacit.write("add.fmt", "")
    tacit("run", "add.shdl", "--clear").failed(3, "wire 1")


def test_in_the_language(tmp_path: Path) -> None:
    (tmp_path / "add.shdl").write_text(SHDL)
    add = t.circuit(tmp_path / "add.shdl")
    assert (add.inputs, add.outputs) == (["input.bob", "input.alice"], ["output.alice", "output.bob"])
    (tmp_path / "less.cnv").write_text(CNV)
    less = t.circuit(tmp_path / "less.cnv")
    assert less.inputs == ["alice.input", "bob.input"]

    @t.function
    def use(a: t.Role, b: t.Role) -> None:
        x, y = a.input("x", t.uint(2)[3]), b.input("y", t.uint(2))
        total, chosen = add(y, **{"input.alice": x})
        t.output("sums", total + chosen, a, b)
        t.output("less", less(x, y)[1], a)

    outputs = use.run(a={"x": [0, 1, 3]}, b={"y": 2})
    assert outputs == use(a={"x": [0, 1, 3]}, b={"y": 2})
    assert outputs["a"] == {"sums": [3, 4, 6], "less": [1, 1, 0]}

    @t.function
    def unknown(a: t.Role, b: t.Role) -> None:
        t.output("z", add(a.input("x", t.uint(2)), alice=1)[0], b)

    with pytest.raises(t.ProgramError, match=r"takes input\.bob, input\.alice; given are 1, alice"):
        unknown.trace()
