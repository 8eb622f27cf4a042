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


def opened(folder: Path, name: str) -> tuple[t.OpenSession, t.SecretKey]:
    text = (folder / "s.toml").read_text()
    text += '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'
    key = t.SecretKey.load(str(folder / f"{name}.key"))
    return t.OpenSession.open(t.Session.parse(text, str(folder / "s.toml")), name, key), key


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
