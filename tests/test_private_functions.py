"""`tacit pfe`: a lender's rules stay secret, and decide as in the clear."""

from __future__ import annotations

import json

import pytest

from conftest import EXAMPLES, Tacit
from tacit.exit_codes import ExitCode

POLICY = EXAMPLES / "credit_policy.c"
PYTHON = """
import tacit as t

@t.function
def policy(lender, applicant):
    limit = lender.input("limit", t.u32)
    income = applicant.input("income", t.u32)
    debt = applicant.input("debt", t.u32)
    applicant.output("granted", (income > limit) & (debt < 5000))
    applicant.output("spare", income - limit)
"""


def applicant(income: int, debt: int, age: int, defaults: int) -> str:
    return f"APPLICANT={json.dumps({'income': income, 'debt': debt, 'age': age, 'defaults': defaults})}"


def granted(tacit: Tacit, *arguments: object) -> object:
    private = tacit("pfe", *arguments, "--local", "--owner", "APPLICANT")
    assert private.code == ExitCode.OK, private.stderr
    return private.outputs


@pytest.mark.parametrize("data", [(42000, 9000, 31, 0), (42000, 9000, 24, 0), (42000, 100, 31, 1)])
def test_a_policy_in_c_decides_as_in_the_clear(tacit: Tacit, data: tuple[int, int, int, int]) -> None:
    given = ("--input", applicant(*data))
    assert granted(tacit, POLICY, *given) == tacit("run", POLICY, "--clear", *given).outputs


@pytest.mark.parametrize(("income", "debt"), [(50000, 1), (40000, 1), (39999, 1), (50000, 5000)])
def test_a_policy_in_python_with_a_secret_limit(tacit: Tacit, income: int, debt: int) -> None:
    tacit.write("policy.py", PYTHON)
    data = json.dumps({"income": income, "debt": debt})
    given = ("--input", 'lender={"limit": 40000}', "--input", f"applicant={data}")
    private = tacit("pfe", "policy.py:policy", "--local", "--owner", "applicant", *given)
    assert private.code == ExitCode.OK, private.stderr
    assert private.outputs == tacit("run", "policy.py:policy", "--clear", *given).outputs
    assert private.outputs["granted"] == (income > 40000 and debt < 5000)


def test_a_compiled_policy_is_padded_to_the_announced_size(tacit: Tacit) -> None:
    compiled = tacit("compile", POLICY, "--emit", "netlist", "-o", "policy.netlist")
    assert compiled.code == ExitCode.OK, compiled.stderr
    given = ("--local", "--owner", "APPLICANT", "--input", applicant(42000, 9000, 31, 0))
    private = tacit("pfe", "policy.netlist", "--gates", 3000, *given)
    assert private.code == ExitCode.OK, private.stderr
    assert "3000 NAND gates are announced" in private.stderr
    assert private.outputs == {"granted": 1}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--gates", "20"), ExitCode.USAGE, "20 were announced; announce more"),
        (("--gates", "0"), ExitCode.USAGE, "at least one gate"),
        (("--owner", "BANK"), ExitCode.USAGE, "no role BANK"),
        (("--owner", "LENDER"), ExitCode.PROGRAM, "output granted is not for role LENDER"),
        (("--input", 'LENDER={"limit": 1}'), ExitCode.INPUT, "limit"),
    ],
)
def test_what_does_not_fit_is_refused(
    tacit: Tacit, arguments: tuple[str, ...], code: ExitCode, said: str
) -> None:
    owner = () if "--owner" in arguments else ("--owner", "APPLICANT")
    given = ("--input", applicant(42000, 9000, 31, 0))
    result = tacit("pfe", POLICY, "--local", *owner, *given, *arguments)
    assert (result.code, result.stdout) == (code, ""), result.stderr
    assert said in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((POLICY, "--local"), ExitCode.USAGE, "--owner is missing"),
        ((POLICY, "--owner", "APPLICANT"), ExitCode.USAGE, "--as, --session, --key missing"),
        (("nowhere.c", "--local", "--owner", "A"), ExitCode.USAGE, "nowhere.c: no such file"),
        ((POLICY, "--local", "--owner", "APPLICANT"), ExitCode.INPUT, "income"),
        (
            (POLICY, "--local", "--owner", "APPLICANT", "--input", applicant(1, 1, 256, 1)),
            ExitCode.INPUT,
            "age",
        ),
    ],
)
def test_what_is_missing_or_too_large_is_refused(
    tacit: Tacit, arguments: tuple[object, ...], code: ExitCode, said: str
) -> None:
    result = tacit("pfe", *arguments)
    assert (result.code, result.stdout) == (code, ""), result.stderr
    assert said in result.stderr
