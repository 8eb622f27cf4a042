"""Roles that do not compute, and values that are kept as shares from run to run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from conftest import Finished, Parties, Tacit
from tacit import InputError, ProgramError, UsageError

SURVEY = """
import tacit as t

@t.function
def survey(a, b, c, d, *, pinned="-"):
    pin = {"-": lambda x: x, "A": t.arith, "B": t.bool_}[pinned]
    total = sum((pin(role.input("x", t.u16[3])) for role in (b, c, d)), pin(a.input("x", t.u16[3])))
    t.output("total", total, a, d)
    c.output("large", t.yao(total) > 100_000)
"""

LEDGER = """
import tacit as t

@t.function
def deposit(a, b, *, pinned="B"):
    pin = {"A": t.arith, "B": t.bool_, "Y": t.yao}[pinned]
    t.keep("balance", pin(a.input("x", t.u32)))

@t.function
def add(a, b, *, pinned="B", kind=32):
    pin = {"A": t.arith, "B": t.bool_, "Y": t.yao}[pinned]
    old = t.wrapping(pin(t.kept("balance", t.uint(kind))))
    new = t.exact(old + pin(b.input("y", t.u32)).astype(t.uint(kind)))
    t.keep("balance", new)
    a.output("balance", new)
"""


def given(values: dict[str, dict[str, object]]) -> list[str]:
    return [f"--input={role}={json.dumps(value)}" for role, value in values.items()]


XS: dict[str, dict[str, object]] = {
    "a": {"x": [1, 2, 3]},
    "b": {"x": [10, 20, 65535]},
    "c": {"x": [100, 200, 65535]},
    "d": {"x": [1000, 2000, 65535]},
}


@pytest.mark.parametrize("domain", ["-", "A", "B"])
def test_four_roles_on_this_machine_of_which_two_compute(tacit: Tacit, domain: str) -> None:
    tacit.write("app.py", SURVEY)
    program = ["app.py:survey", "--param", f"pinned={domain}"]
    clear = tacit("run", *program, "--clear", *given(XS)).outputs
    assert clear["total"] == [1111, 2222, 196608]
    assert clear["large"] == [False, False, True]
    assert tacit("run", *program, "--local", *given(XS)).outputs == clear


def test_four_parties_of_a_session_of_which_two_others_compute(parties: Callable[..., Parties]) -> None:
    made = parties()
    made.tacit.write("app.py", SURVEY)
    session = made.tacit.folder / "s.toml"
    text = session.read_text()
    made.tacit.make_keys(*"abcd")
    for number, role in enumerate("abcd"):
        text += (
            f'[party.{role}]\naddress = "{made.host}:{7810 + number}"\nkey = "{role}.pub"\ncomputes = false\n'
        )
    session.write_text(text)
    common = ["run", "app.py:survey", "--session", "s.toml"]
    running = {
        party: made.tacit.start(
            *common,
            "--as",
            party,
            "--key",
            f"{party}.key",
            *([f"--input={json.dumps(XS[party])}"] if party in XS else []),
            f"--report={party}.json",
        )
        for party in "ABabcd"
    }
    outputs = {party: process.wait().outputs for party, process in running.items()}
    assert outputs["a"] == outputs["d"] == {"total": [1111, 2222, 196608]}
    assert outputs["c"] == {"large": [False, False, True]}
    assert outputs["A"] == outputs["B"] == outputs["b"] == {}
    report = json.loads((made.tacit.folder / "b.json").read_text())
    assert (report["party"], report["computing"]) == ("b", ["A", "B"])
    # b gives and leaves.
    assert report["phases"][2]["bytes_received"] < 1000


def test_too_few_or_too_many_that_compute(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=5)
    made.tacit.write("app.py", SURVEY)
    session = made.tacit.folder / "s.toml"
    text = session.read_text()
    session.write_text(text.replace('key = "B.pub"', 'key = "B.pub"\ncomputes = false'))
    made.start("A", "app.py:survey", "{}").wait().failed(2, "parties compute")
    extra = "".join(f'[role.{role}]\nparty = "{party}"\n' for role, party in zip("abcd", "ABAC", strict=True))
    third = f'[party.C]\naddress = "{made.host}:7803"\nkey = "C.pub"\n'
    made.tacit.make_keys("C")
    session.write_text(text + third + extra)
    more = '--input=c={"x": [1, 2, 3]}'
    finished = made.start("A", "app.py:survey", 'a={"x": [1, 2, 3]}', more).wait()
    finished.failed(2, "exactly two", "computes = false")


def ledger(made: Parties, program: str, a: str, b: str, *more: str) -> tuple[Finished, Finished]:
    """Runs both parties, each with a folder of shares."""
    first = made.start("A", program, a, *more, "--shares", "shares-A")
    second = made.start("B", program, b, *more, "--shares", "shares-B")
    return first.wait(), second.wait()


ROLES = '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'


@pytest.mark.parametrize("domain", ["A", "B", "Y"])
def test_a_balance_lives_from_run_to_run(parties: Callable[..., Parties], domain: str) -> None:
    made = parties(extra=ROLES)
    made.tacit.write("ledger.py", LEDGER)
    params = ["--param", f"pinned={domain}"]
    for finished in ledger(made, "ledger.py:deposit", '{"x": 5}', "{}", "--param", "pinned=B"):
        assert finished.outputs == {}
    if domain == "A":
        first, second = ledger(made, "ledger.py:add", "{}", '{"y": 7}', *params)
        assert "kept as" in first.stderr + second.stderr
        return
    for total, y in ((12, 7), (2**32 - 1, 2**32 - 13), (0, 1)):
        first, second = ledger(made, "ledger.py:add", "{}", json.dumps({"y": y}), *params)
        assert first.outputs == {"balance": total}
        assert second.outputs == {}


def test_what_is_not_there_or_of_another_type_is_named(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10, extra=ROLES)
    made.tacit.write("ledger.py", LEDGER)
    first, second = ledger(made, "ledger.py:add", "{}", '{"y": 7}')
    assert first.code != 0 != second.code
    assert "nothing is kept as balance" in first.stderr + second.stderr
    ledger(made, "ledger.py:deposit", '{"x": 5}', "{}")
    both = ledger(made, "ledger.py:add", "{}", '{"y": 7}', "--param", "kind=31")
    assert any("balance was kept as u32" in one.stderr for one in both)
    made.start("A", "ledger.py:add", "{}")
    made.start("B", "ledger.py:add", '{"y": 1}').wait().failed(2, "--shares")


def test_kept_values_in_the_clear_and_where_nothing_is_kept(tacit: Tacit) -> None:
    tacit.write("ledger.py", LEDGER)
    values: dict[str, dict[str, object]] = {"a": {}, "b": {"y": 4}, "kept": {"balance": 38}}
    outputs = tacit("run", "ledger.py:add", "--clear", *given(values)).outputs
    assert outputs["balance" if "balance" in outputs else "a.balance"] == 42
    tacit("run", "ledger.py:add", "--local", *given(values)).failed(2, "keeps shares")


def test_functions_keep_in_python() -> None:
    @t.function
    def add(a: t.Role, b: t.Role) -> None:
        total = t.kept("total", t.i16[2]) + a.input("x", t.i8[2]) + b.input("x", t.i8[2])
        t.keep("total", total.astype(t.i16))

    values: dict[str, Any] = {"a": {"x": [-1, 2]}, "b": {"x": [-100, 3]}, "kept": {"total": [-30, 1000]}}
    assert add(**values)["kept"]["total"] == [-131, 1005]
    for domain in ("yao", "bool", "arith"):
        assert add.using(domain=domain).run(**values)["kept"]["total"] == [-131, 1005]
    with pytest.raises(InputError):
        add(a={"x": [0, 0]}, b={"x": [0, 0]})
    with pytest.raises(UsageError):
        add.local(**values)["kept"]


def test_kept_is_no_name_for_a_role() -> None:
    with pytest.raises(ProgramError, match="kept"):

        @t.function
        def wrong(a: t.Role, kept: t.Role) -> None:
            a.output("x", kept.input("x", t.u8))

    with pytest.raises(ProgramError):
        t.kept("x", t.u8)


def test_a_role_more_in_one_process() -> None:
    @t.function
    def mean(a: t.Role, b: t.Role, c: t.Role) -> None:
        total = a.input("x", t.i32) + b.input("x", t.i32) + t.arith(c.input("x", t.i32))
        c.output("mean", total)

    assert mean.run(a={"x": -5}, b={"x": 7}, c={"x": -(2**31)})["c"]["mean"] == 2 - 2**31
