"""Floats as inputs and outputs, C++ and Rust, bounds and widths from the command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from conftest import Parties, Tacit

FLOATS = """
struct sample { float weight; double at[2]; };
struct sample INPUT_A_samples[2];
double INPUT_B_scale;
struct sample OUTPUT_scaled[2];
float OUTPUT_B_first;
double f(void) {
    for (int i = 0; i < 2; i++) {
        OUTPUT_scaled[i].weight = INPUT_A_samples[i].weight;
        for (int k = 0; k < 2; k++)
            OUTPUT_scaled[i].at[k] = INPUT_A_samples[i].at[k] * INPUT_B_scale;
    }
    OUTPUT_B_first = (float)INPUT_A_samples[0].at[0];
    return INPUT_B_scale;
}
"""


def test_floats_between_two_parties(tacit: Tacit, parties: Callable[..., Parties]) -> None:
    tacit.write("floats.c", FLOATS)
    samples = [
        {"weight": 0.1, "at": [1.5, -0.0]},
        {"weight": "-NaN(0x400001)", "at": ["Infinity", 1e-310]},
    ]
    first, second = parties().run(
        "floats.c", json.dumps({"samples": samples}), json.dumps({"scale": 0.3333333333333333})
    )
    scaled = first.outputs["scaled"]
    assert [one["weight"] for one in scaled] == [0.1, "-NaN(0x400001)"]
    assert scaled[0]["at"] == [1.5 * 0.3333333333333333, 0.0]
    assert scaled[1]["at"] == ["Infinity", 1e-310 * 0.3333333333333333]
    assert "-0.0" in first.stdout
    assert first.outputs["return"] == 0.3333333333333333
    assert second.outputs == {**first.outputs, "first": 1.5}


def test_what_is_printed_can_be_given_again(tacit: Tacit) -> None:
    tacit.write("same.c", "float f(float INPUT_A_x) { return INPUT_A_x; }")
    for value in ["1e-45", "3.4028235e38", "-0.0", '"NaN"', '"-NaN(0x1)"', '"-Infinity"', "16777217"]:
        given = f'A={{"x": {value}}}'
        printed = tacit("run", "same.c", "--clear", "--input", given)
        text = json.dumps({"x": printed.outputs["return"]})
        again = tacit("run", "same.c", "--clear", "--input", f"A={text}")
        assert again.stdout == printed.stdout
    large = tacit("run", "same.c", "--clear", "--input", 'A={"x": 1e39}')
    large.failed(4, "x: 1e+39 is beyond the range of a float of 32 bits")
    tacit("run", "same.c", "--clear", "--input", 'A={"x": "nan"}').failed(4, "x", "float of 32 bits")


def test_floats_from_a_table(tacit: Tacit) -> None:
    tacit.write(
        "sum.c", "double INPUT_A_x[4]; double f(void) { return INPUT_A_x[0] + INPUT_A_x[1] * INPUT_A_x[2]; }"
    )
    tacit.write("x.csv", "x\n0.1\n2e-3\n100\ninf\n")
    done = tacit("run", "sum.c", "--clear", "--input", "A=x.csv")
    assert done.outputs == {"return": 0.1 + 2e-3 * 100}


def test_floats_are_checked_and_verified(tacit: Tacit) -> None:
    tacit.write("whole.c", "int f(double INPUT_A_x) { return INPUT_A_x < 1e9 ? (int)INPUT_A_x : 0; }")
    found = tacit("check", "whole.c")
    assert found.code == 7
    assert "float conversion" in found.stdout
    line = next(line for line in found.stdout.splitlines() if line.startswith("violated"))
    value = json.loads(line.split("by A=", 1)[1])["x"]
    assert value in ("-Infinity", "NaN", "-NaN") or isinstance(value, str) or value <= -(2.0**31)
    verified = tacit("compile", "whole.c", "--verify")
    assert verified.code == 0, verified.stderr
    assert "random runs agree" in verified.stderr


def test_bounds_from_the_command_line(tacit: Tacit, parties: Callable[..., Parties]) -> None:
    tacit.write(
        "loop.c",
        "unsigned f(unsigned INPUT_A_n, unsigned INPUT_B_x) {\n    unsigned s = 0;\n"
        "    for (unsigned i = 0; i != INPUT_A_n; i++)\n        s = s * 3 ^ INPUT_B_x;\n    return s;\n}\n",
    )
    tacit("compile", "loop.c", "--stats").failed(3, "loop.c:3", "--unwind f.0=N")
    done = tacit("compile", "loop.c", "--stats", "--unwind", "f.0=5")
    assert done.code == 0
    assert "loop.c:3" in done.stderr
    first, second = parties().run("loop.c", '{"n": 5}', '{"x": 7}', "--unwind", "5")
    bounded = 0
    for _ in range(5):
        bounded = bounded * 3 ^ 7
    assert first.outputs == second.outputs == {"return": bounded}
    tacit("compile", "loop.c", "--stats", "--unwind", "five").failed(2, "--unwind five")


def test_the_width_of_int(tacit: Tacit) -> None:
    tacit.write("product.c", "int f(int INPUT_A_x, int INPUT_B_y) { return INPUT_A_x * INPUT_B_y; }")
    inputs = ["--input", 'A={"x": 300}', "--input", 'B={"y": 300}']
    wide = ["--input", 'A={"x": 3000000000}', "--input", 'B={"y": 3000000000}']
    for width, given, product in (("16", inputs, 24464), ("32", inputs, 90000), ("64", wide, 9 * 10**18)):
        done = tacit("run", "product.c", "--clear", "--int-width", width, *given)
        assert done.outputs == {"return": product}
    tacit("run", "product.c", "--clear", *wide).failed(4, "does not fit in 32 bits")
    verified = tacit("compile", "product.c", "--verify", "--int-width", "16")
    assert verified.code == 0, verified.stderr
    assert "native" not in verified.stderr
    tacit("check", "product.c", "--int-width", "64", "--emit-test", "t.c").failed(2, "--int-width")


CPP = """
template <typename T> struct pair { T a, b; T larger() const { return a < b ? b : a; } };
struct twice { int factor; twice() : factor(2) {} int operator()(int x) const { return factor * x; } };
static twice doubled;
pair<int> INPUT_A_p;
int larger(int INPUT_B_x) {
    auto plus = [&](int y) { return y + INPUT_B_x; };
    return doubled(plus(INPUT_A_p.larger()));
}
"""


def test_cpp_between_two_parties(tacit: Tacit) -> None:
    tacit.write("larger.cpp", CPP)
    inputs = ["--input", 'A={"p": {"a": 5, "b": 9}}', "--input", 'B={"x": 100}']
    assert tacit("run", "larger.cpp", "--local", *inputs).outputs == {"return": 218}
    verified = tacit("compile", "larger.cpp", "--verify")
    assert verified.code == 0, verified.stderr
    assert "256 random runs agree" in verified.stderr


RUST = """
pub fn richer(INPUT_A_money: [u16; 3], INPUT_B_money: u32, INPUT_B_rate: f32) -> (bool, f32) {
    let mine: u32 = INPUT_A_money.iter().map(|coin| u32::from(*coin)).sum();
    (mine > INPUT_B_money, INPUT_B_rate * 2.0)
}
"""


@pytest.mark.skipif(shutil.which("rustc") is None, reason="needs rustc")
def test_rust_between_two_parties(tacit: Tacit) -> None:
    tacit.write("richer.rs", RUST)
    inputs = ["--input", 'A={"money": [1, 2, 300]}', "--input", 'B={"money": 302, "rate": 1.25}']
    outputs = tacit("run", "richer.rs", "--local", *inputs).outputs
    assert outputs == {"return": {"__0": 1, "__1": 2.5}}
    tacit.write("wrong.rs", "pub fn f(INPUT_A_x: u32) -> u32 { INPUT_A_y }")
    tacit("run", "wrong.rs", "--local").failed(3, "wrong.rs:1", "INPUT_A_y")
    tacit("check", "richer.rs").failed(2, "only C is checked")
