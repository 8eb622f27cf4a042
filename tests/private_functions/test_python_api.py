"""`tacit.pfe`: what the command line does, from Python, over two processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tacit as t
from conftest import EXAMPLES, Parties
from tacit import InputError, PeerError, UsageError, pfe

POLICY = EXAMPLES / "credit_policy.c"
DATA = {"income": 42000, "debt": 9000, "age": 31, "defaults": 0}

ELGAMAL_BYTES = 3 * 32 + 64 * 3000 + 64 + 130 * 3000 + 32 * 80 + 32 * 8
"""Both sizes and a seed, points, the run and its key, gates, keys of inputs and labels of outputs."""

HOLDER = """
import sys
from tacit import pfe
program, session = sys.argv[1:]
print(pfe.hold(program, session, "A", owner="APPLICANT", gates=2000)["gates"])
"""


@t.function
def policy(lender: t.Role, applicant: t.Role) -> None:
    """Decides by a secret limit."""
    limit = lender.input("limit", t.u16)
    applicant.output("granted", applicant.input("income", t.u16) > limit)


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDER, str(POLICY), str(folder / "s.toml")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_holder_and_owner_in_two_processes(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    published = pfe.interface(POLICY, "APPLICANT", 2000)
    pfe.check(published, DATA)
    with start(folder) as holder:
        announced = pfe.meet(folder / "s.toml", "B", interface=published)
        assert announced.interface == published
        found = announced.run(DATA)
        assert (holder.communicate(timeout=60)[0], holder.returncode) == ("2000\n", 0)
    assert found.outputs == {"granted": 1}
    assert found.report["side"] == "owner"
    with pytest.raises(UsageError, match="run or declined already"):
        announced.run(DATA)


def test_an_owner_may_decline(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    with start(folder) as holder:
        pfe.meet(folder / "s.toml", "B").decline()
        said = holder.communicate(timeout=60)[1]
    assert "declined to give its data" in said


def test_an_owner_refuses_what_is_too_large(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    with start(folder) as holder:
        with pytest.raises(PeerError, match="at most 1999 are accepted"):
            pfe.meet(folder / "s.toml", "B", max_gates=1999)
        assert "accepts only smaller functions" in holder.communicate(timeout=60)[1]


def test_data_are_checked_against_an_interface() -> None:
    published = pfe.interface(policy, "applicant")
    assert published["holder_bits"] == 16
    pfe.check(published, {"income": 65535})
    with pytest.raises(InputError, match="income"):
        pfe.check(published, {"income": 65536})
    with pytest.raises(UsageError, match="gates is missing"):
        pfe.check({name: published[name] for name in published if name != "gates"}, {})
    with pytest.raises(UsageError, match="is not a type"):
        pfe.check(json.loads(json.dumps(published).replace('"u16"', '"v16"')), {"income": 1})


def test_both_parties_here() -> None:
    inputs = {"lender": {"limit": 500}, "applicant": {"income": 501}}
    assert pfe.local(policy, "applicant", inputs=inputs, gates=400) == {"granted": True}


def test_plans_say_what_runs_send() -> None:
    plans = pfe.plan(POLICY, "APPLICANT", gates=3000, link="wan")
    assert {plan.protocol for plan in plans} == set(pfe.PROTOCOLS)
    seconds = [plan.setup_seconds + plan.online_seconds for plan in plans]
    assert seconds == sorted(seconds)
    assert min(seconds) > 0.05
    elgamal = next(plan for plan in plans if plan.protocol == "half-elgamal")
    assert (elgamal.gates, elgamal.bytes) == (3000, ELGAMAL_BYTES)
    with pytest.raises(UsageError, match="expected lan, wan"):
        pfe.plan(POLICY, "APPLICANT", link="slow")


@pytest.mark.parametrize("protocol", ["auto", *pfe.PROTOCOLS])
def test_functions_of_the_language_by_any_protocol(protocol: str) -> None:
    inputs = {"lender": {"limit": 700}, "applicant": {"income": 701}}
    assert pfe.local(policy, "applicant", protocol=protocol, inputs=inputs) == {"granted": True}


PREPARING = """
import sys
from tacit import pfe
program, session, store = sys.argv[1:]
pfe.prepare(program, session, "A", owner="APPLICANT", gates=2000, store=store, count=2)
report = pfe.hold(program, session, "A", owner="APPLICANT", gates=2000, store=store)
print(report["task"], report["store_entry"])
"""


def test_runs_are_prepared_and_spent(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    command = [sys.executable, "-c", PREPARING, str(POLICY), str(folder / "s.toml"), str(folder / "A.store")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as holder:
        store = folder / "B.store"
        announced, report = pfe.prepare_for(folder / "s.toml", "B", store=store, count=2)
        assert (announced, report["task"]) == (pfe.interface(POLICY, "APPLICANT", 2000), "preparing 2 runs")
        found = pfe.meet(folder / "s.toml", "B", interface=announced, store=store).run(DATA)
        assert holder.communicate(timeout=60)[0] == "a run that was prepared 0\n"
    assert found.outputs == {"granted": 1}
    with pytest.raises(UsageError, match="prepare at least one run"):
        pfe.prepare_for(folder / "s.toml", "B", store=store, count=0)
