"""A program's roles: what is meant for one never goes to all because a name is misspelt."""

from __future__ import annotations

import json

from conftest import Tacit
from tacit.exit_codes import ExitCode

SUM = """int OUTPUT_C_total;
void sum(int INPUT_A_x, int INPUT_B_y) { OUTPUT_C_total = INPUT_A_x + INPUT_B_y; }
"""
GIVEN = ("--input", 'A={"x": 1}', "--input", 'B={"y": 2}')


def test_an_output_of_an_unknown_role_is_refused_with_its_line(tacit: Tacit) -> None:
    tacit.write("sum.c", SUM)
    result = tacit("run", "sum.c", "--clear", *GIVEN)
    assert result.code == ExitCode.PROGRAM
    assert not result.stdout
    assert "sum.c:1: OUTPUT_C_total: there is no role C; the roles are A, B" in result.stderr
    assert "TACIT_ROLE(C);" in result.stderr


def test_an_output_of_a_declared_role_is_its_alone(tacit: Tacit) -> None:
    tacit.write("sum.c", "TACIT_ROLE(C);\n" + SUM)
    result = tacit("run", "sum.c", "--clear", *GIVEN)
    assert json.loads(result.stdout) == {"total": 3}, result.stderr
    among = tacit("compile", "sum.c", "--emit", "program", "-o", "sum.program")
    assert among.code == ExitCode.OK, among.stderr


def test_a_role_that_no_party_speaks_for_is_refused_by_name(tacit: Tacit) -> None:
    """An input whose role is misspelt makes a role of its own, which the session does not have."""
    tacit.write("sum.c", "int sum(int INPUT_A_x, int INPUT_BB_y) { return INPUT_A_x + INPUT_BB_y; }\n")
    for name in ("A", "B"):
        assert tacit("keygen", name).code == ExitCode.OK
    party = '[party.{0}]\naddress = "unix:{0}.sock"\nkey = "{0}.pub"\n'
    tacit.write("session.toml", party.format("A") + party.format("B"))
    options = ("--session", "session.toml", "--as", "A", "--key", "A.key", "--input", '{"x": 1}')
    result = tacit("run", "sum.c", *options)
    assert result.code == ExitCode.USAGE, result.stderr
    assert not result.stdout
    assert "no [party.BB], and no [role.BB]" in result.stderr
