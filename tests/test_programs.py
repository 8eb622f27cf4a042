"""Programs that cannot be run, and programs in files of every form."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import EXAMPLES, Finished, Tacit

ADD = """
void add(unsigned INPUT_A_x, unsigned INPUT_B_y)
{
    unsigned OUTPUT_sum = INPUT_A_x + INPUT_B_y;
}
"""

# One bit from each role; the outputs are their conjunction and their exclusive or.
BRISTOL_FASHION = """2 4
2 1 1
2 1 1

2 1 0 1 2 AND
2 1 0 1 3 XOR
"""

BRISTOL = """2 4
1 1 2

2 1 0 1 2 AND
2 1 0 1 3 XOR
"""


def add(tacit: Tacit, program: str | Path, how: str = "--clear") -> Finished:
    return tacit("run", program, how, "--input", 'A={"x": 4294967295}', "--input", 'B={"y": 3}')


def test_a_syntax_error_shows_what_clang_says(tacit: Tacit) -> None:
    tacit.write("bad.c", "void bad(int INPUT_A_x)\n{\n    int OUTPUT_y = INPUT_A_x +;\n}\n")
    tacit("run", "bad.c", "--clear").failed(3, "bad.c:3", "expected expression")
    tacit("compile", "bad.c", "--stats").failed(3, "bad.c:3", "expected expression")


def test_an_unbounded_loop_is_named(tacit: Tacit) -> None:
    tacit.write(
        "loop.c",
        """void loop(unsigned INPUT_A_x, unsigned INPUT_B_y)
{
    unsigned OUTPUT_n = 0;
    while (INPUT_A_x != INPUT_B_y) {
        INPUT_A_x = INPUT_A_x * 5 + 1;
        OUTPUT_n++;
    }
}
""",
    )
    tacit("run", "loop.c", "--clear", "--input", 'A={"x": 1}', "--input", 'B={"y": 1}').failed(
        3, "loop.c", "loop"
    )


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("long double f = INPUT_A_x; OUTPUT_y = f * 0.3L;", ["3"]),
        ("OUTPUT_y = outside(INPUT_A_x);", ["outside"]),
        ("int *p = (int *)INPUT_A_x; OUTPUT_y = *p;", ["3"]),
    ],
)
def test_an_unsupported_construct_names_its_line(tacit: Tacit, statement: str, words: list[str]) -> None:
    text = f"int outside(int);\nvoid odd(long INPUT_A_x, long INPUT_B_z) {{ int OUTPUT_y;\n{statement}\n}}\n"
    tacit.write("odd.c", text)
    tacit("compile", "odd.c", "--stats").failed(3, "odd.c", *words)


def test_no_main_function(tacit: Tacit) -> None:
    tacit.write("none.c", "static int x;\n")
    tacit("compile", "none.c", "--stats").failed(3, "none.c")


def test_the_function_may_be_left_out_only_where_it_is_clear(tacit: Tacit) -> None:
    tacit.write("two.c", ADD + ADD.replace("add", "other").replace("+", "-"))
    tacit("run", "two.c", "--clear").failed(3, "add", "other", "--function")
    given = ["--clear", "--input", 'A={"x": 9}', "--input", 'B={"y": 3}']
    assert tacit("run", "two.c", "--function", "other", *given).outputs == {"sum": 6}
    assert tacit("run", "two.c", "--function", "add", *given).outputs == {"sum": 12}
    tacit("run", "two.c", "--function", "third", *given).failed(3, "third")


def test_stats(tacit: Tacit) -> None:
    tacit.write("add.c", ADD)
    stats = tacit("compile", "add.c", "--stats").outputs
    assert set(stats) >= {"and_count", "xor_count", "not_count", "and_depth", "inputs", "outputs"}
    assert (stats["and_count"], stats["inputs"], stats["outputs"]) == (31, 64, 32)


@pytest.mark.parametrize(
    ("operation", "and_count"),
    [("x + y", 31), ("x * y", 559), ("x < y", 32), ("x == y", 31), ("x ^ y", 0), ("~x & y", 32)],
)
def test_and_counts(tacit: Tacit, operation: str, and_count: int) -> None:
    expression = operation.replace("x", "INPUT_A_x").replace("y", "INPUT_B_y")
    tacit.write(
        "f.c", f"void f(unsigned INPUT_A_x, unsigned INPUT_B_y) {{ unsigned OUTPUT_z = {expression}; }}"
    )
    assert tacit("compile", "f.c", "--stats").outputs["and_count"] == and_count


@pytest.mark.parametrize("how", ["--clear", "--local"])
def test_a_compiled_program_runs_in_place_of_its_source(tacit: Tacit, how: str) -> None:
    tacit.write("add.c", ADD)
    result = tacit("compile", "add.c", "--emit", "program", "-o", "add.tacit")
    assert (result.code, result.stdout) == (0, "")
    assert add(tacit, "add.tacit", how).outputs == add(tacit, "add.c", how).outputs == {"sum": 2}
    assert tacit("compile", "add.tacit", "--stats").stdout == tacit("compile", "add.c", "--stats").stdout


def test_compiling_is_deterministic(tacit: Tacit) -> None:
    source = (EXAMPLES / "nearest.c").read_text()
    tacit.write("one.c", source)
    for name in ("first", "second"):
        assert tacit("compile", "one.c", "--emit", "program", "-o", name).code == 0
    assert (tacit.folder / "first").read_bytes() == (tacit.folder / "second").read_bytes()


@pytest.mark.parametrize("how", ["--clear", "--local"])
def test_an_emitted_circuit_runs_in_place_of_its_source(tacit: Tacit, how: str) -> None:
    tacit.write("add.c", ADD)
    assert tacit("compile", "add.c", "--emit", "bristol", "-o", "add.txt").code == 0
    result = tacit("run", "add.txt", how, "--input", 'A={"in0": 4294967295}', "--input", 'B={"in1": 3}')
    assert result.outputs == {"out0": 2}


@pytest.mark.parametrize("how", ["--clear", "--local"])
@pytest.mark.parametrize("circuit", [BRISTOL, BRISTOL_FASHION])
def test_circuit_files(tacit: Tacit, circuit: str, how: str) -> None:
    tacit.write("gates.txt", circuit)
    for a, b in ((0, 1), (1, 1)):
        result = tacit(
            "run", "gates.txt", how, "--input", f'A={{"in0": {a}}}', "--input", f'B={{"in1": {b}}}'
        )
        joined = {"out0": (a & b) | (a ^ b) << 1} if circuit == BRISTOL else {"out0": a & b, "out1": a ^ b}
        assert result.outputs == joined


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("hello\n", []),
        (BRISTOL_FASHION.replace("XOR", "NAND3"), ["NAND3"]),
        (BRISTOL_FASHION.replace("2 1 0 1 3 XOR", "2 1 0 9 3 XOR"), ["9"]),
        (BRISTOL_FASHION.replace("2 1 0 1 3 XOR\n", ""), []),
        ("4000000000 4000000001\n2 1 1\n1 1\n", []),
    ],
)
def test_damaged_circuits(tacit: Tacit, text: str, words: list[str]) -> None:
    tacit.write("bad.txt", text)
    tacit("run", "bad.txt", "--clear").failed(3, "bad", *words)


def test_damaged_compiled_programs(tacit: Tacit) -> None:
    tacit.write("add.c", ADD)
    assert tacit("compile", "add.c", "--emit", "program", "-o", "add.tacit").code == 0
    good = (tacit.folder / "add.tacit").read_bytes()
    for bad in (good[:-1], good + b"\0", good[:9], b"\xff" * 40):
        (tacit.folder / "bad.tacit").write_bytes(bad)
        tacit("run", "bad.tacit", "--clear").failed(3, "bad.tacit")


def test_three_roles_of_which_two_compute(tacit: Tacit) -> None:
    tacit.write("three.c", ADD.replace("unsigned INPUT_B_y", "unsigned INPUT_B_y, unsigned INPUT_C_z"))
    given = ["--input", 'A={"x": 1}', "--input", 'B={"y": 1}', "--input", 'C={"z": 1}']
    clear = tacit("run", "three.c", "--clear", *given).outputs
    assert tacit("run", "three.c", "--local", *given).outputs == clear


def test_outputs_for_one_role(tacit: Tacit) -> None:
    tacit.write(
        "split.c",
        """int split(int INPUT_A_x, int INPUT_B_y)
{
    int OUTPUT_A_mine = INPUT_A_x + 1, OUTPUT_B_mine = INPUT_B_y + 2, OUTPUT_B_other = INPUT_A_x;
    return INPUT_A_x * INPUT_B_y;
}
""",
    )
    for how in ("--clear", "--local"):
        result = tacit("run", "split.c", how, "--input", 'A={"x": 10}', "--input", 'B={"y": 20}')
        assert result.outputs == {"A.mine": 11, "B.mine": 22, "other": 10, "return": 200}
