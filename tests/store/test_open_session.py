"""Many runs over one connection, from Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

import tacit as t
from conftest import Parties

T = TypeVar("T")
TIME_LIMIT_S = 60


@t.function
def larger(a: t.Role, b: t.Role) -> None:
    x, y = a.input("x", t.u32), b.input("x", t.u32)
    for role in (a, b):
        role.output("larger", x > y)


def program() -> t.Program:
    return larger.trace().program


def both(work: Callable[[str], T]) -> tuple[T, T]:
    """Does the work of both parties at once."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(work, "A"), pool.submit(work, "B")
        return first.result(TIME_LIMIT_S), second.result(TIME_LIMIT_S)


def session_of(folder: Path) -> t.Session:
    text = (folder / "s.toml").read_text()
    text += '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'
    return t.Session.parse(text, str(folder / "s.toml"))


def opened(
    folder: Path, name: str, shares: Path | None = None, peer: str | None = None
) -> tuple[t.OpenSession, t.SecretKey]:
    key = t.SecretKey.load(str(folder / f"{name}.key"))
    kept = None if shares is None else str(shares)
    return t.OpenSession.open(session_of(folder), name, key, shares=kept, peer=peer), key


def given(name: str, value: int) -> dict[str, str]:
    return {name.lower(): json.dumps({"x": value})}


def test_many_runs_of_each_kind(parties: Callable[..., Parties]) -> None:
    folder, traced = parties().tacit.folder, program()

    def work(name: str) -> list[bool]:
        session, key = opened(folder, name)
        store = t.Store.open(str(folder / f"store-{name}"), key)
        found = []
        for value in (1, 2, 3):
            mine = given(name, {"A": value, "B": 2}[name])
            session.prepare(traced, store, 2)
            results = [session.run(traced, mine, mode=mode) for mode in ("streamed", "precomputed")]
            results.append(session.run_prepared(traced, mine, store))
            for outputs, _ in results:
                found.append(json.loads(outputs[name.lower()])["larger"])
        assert json.loads(store.list())[0]["ready"] == 3
        session.close(store)
        with pytest.raises(t.AbortError, match="closed"):
            session.run(traced, given(name, 1))
        return [bool(value) for value in found]

    expected = [False] * 6 + [True] * 3
    assert both(work) == (expected, expected)


@t.function
def lesser(a: t.Role, b: t.Role) -> None:
    x, y = t.bool_(a.input("x", t.u32[1000])), t.bool_(b.input("x", t.u32[1000]))
    t.output("lesser", t.where(x < y, x, y), a, b)


def test_runs_are_planned_for_the_link_of_the_session_file(parties: Callable[..., Parties]) -> None:
    folder, traced = parties().tacit.folder, lesser.trace().program
    file, rounds = folder / "s.toml", {}
    base = file.read_text()
    for link in ("lan", "wan"):
        file.write_text(f'{base}[link]\nplanned = "{link}"\n')

        def work(name: str) -> tuple[str, str]:
            session, _ = opened(folder, name)
            numbers = {"A": list(range(1000)), "B": [500] * 1000}[name]
            outputs, report = session.run(traced, {name.lower(): json.dumps({"x": numbers})})
            session.close()
            return outputs[name.lower()], report

        for outputs, report in both(work):
            assert json.loads(outputs)["lesser"] == [*range(500), *([500] * 500)]
            rounds[link] = json.loads(report)["phases"][2]["rounds"]
    assert rounds["wan"] < rounds["lan"]


def test_an_input_that_is_wrong_leaves_the_session_open(parties: Callable[..., Parties]) -> None:
    folder, traced = parties().tacit.folder, program()

    def work(name: str) -> int:
        session, _ = opened(folder, name)
        with pytest.raises(t.InputError):
            session.run(traced, {})
        outputs, _ = session.run(traced, given(name, 7))
        session.close()
        return int(json.loads(outputs[name.lower()])["larger"])

    assert both(work) == (0, 0)


@t.function
def deposit(a: t.Role, b: t.Role) -> None:  # noqa: ARG001
    t.keep("balance", a.input("x", t.u32))


@t.function
def add(a: t.Role, b: t.Role) -> None:
    balance = (t.kept("balance", t.u32) + b.input("x", t.u32)).astype(t.u32)
    t.keep("balance", balance)
    a.output("balance", balance)


def test_shares_are_kept_from_run_to_run(parties: Callable[..., Parties]) -> None:
    folder = parties().tacit.folder
    first, later = deposit.trace().program, add.trace().program

    def work(name: str) -> list[int]:
        found = []
        for round_ in range(2):
            session, _ = opened(folder, name, folder / f"shares-{name}")
            if round_ == 0:
                session.run(first, given("a", 1000) if name == "A" else {})
            for value in (1, 2):
                outputs, _ = session.run(later, given("b", value) if name == "B" else {})
                found.append(json.loads(outputs["a"])["balance"] if name == "A" else 0)
            session.close()
        return found

    assert both(work)[0] == [1001, 1003, 1004, 1006]


@t.function
def asked(a: t.Role, b: t.Role, c: t.Role) -> None:
    c.output("larger", a.input("x", t.u32) + b.input("x", t.u32) > c.input("x", t.u32))


def test_a_party_that_does_not_compute_comes_to_its_runs(parties: Callable[..., Parties]) -> None:
    made = parties()
    folder = made.tacit.folder
    made.tacit.make_keys("c")
    with (folder / "s.toml").open("a") as file:
        file.write(f'[party.c]\naddress = "{made.host}:7813"\nkey = "c.pub"\ncomputes = false\n')
    program = asked.trace().program

    def work(name: str) -> list[bool]:
        if name == "c":
            key = t.SecretKey.load(str(folder / "c.key"))
            runs = [
                t._native.run(program, session_of(folder), "c", key, given("c", value)) for value in (9, 11)
            ]
            return [bool(json.loads(outputs["c"])["larger"]) for outputs, _ in runs]
        session, _ = opened(folder, name)
        for _ in range(2):
            session.run(program, given(name, 5))
        session.close()
        return []

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, name) for name in ("A", "B", "c")]
        assert [each.result(TIME_LIMIT_S) for each in running] == [[], [], [True, False]]
