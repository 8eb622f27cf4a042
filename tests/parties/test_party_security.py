"""Security parameters among any number of parties: kept or refused, and compared."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import tacit as t
from tacit._native import Listener

LARGE = 2**255 - 19
NAMES = ["p1", "p2", "p3"]


def joined(texts: Sequence[str], *, modulus: int = LARGE) -> list[Any]:
    """What each of three parties gets whose session files end with these texts: a result or an error."""
    keys = {name: t.SecretKey.generate() for name in NAMES}
    listeners = {name: Listener.bind("127.0.0.1:0") for name in NAMES}
    tables = [
        f"[party.{name}]\naddress = {json.dumps(listeners[name].address)}\nkey = {json.dumps(key.public)}"
        for name, key in keys.items()
    ]

    async def run(name: str, text: str) -> Any:
        session = t.Session.parse("\n".join(["[limits]\ntimeout_s = 10", *tables, text]), "session")
        terms: dict[str, Any] = {"modulus": modulus, "listener": listeners[name]}
        async with t.Runtime(session, name, keys[name], **terms) as rt:
            x = rt.share(-1234567 if name == "p1" else None, by="p1")
            return await asyncio.gather(rt.open(x.truncate(4, bits=32)), rt.open(x < 5))

    async def every() -> list[Any]:
        runs = [run(name, text) for name, text in zip(NAMES, texts, strict=True)]
        return await asyncio.gather(*runs, return_exceptions=True)

    return asyncio.run(asyncio.wait_for(every(), 60))


@pytest.mark.parametrize("bits", [40, 80, 128])
def test_statistical_security_is_kept(bits: int) -> None:
    assert joined([f"[security]\nstatistical_bits = {bits}"] * 3) == [[-1234567 >> 4, 1]] * 3


@pytest.mark.parametrize(
    ("text", "modulus", "words"),
    [
        ("[security]\nstatistical_bits = 80", t.DEFAULT_MODULUS, ["80 bits", "40 to 61", "2^255 - 19"]),
        ("[security]\nstatistical_bits = 39", LARGE, ["statistical_bits", "40 to 128"]),
        ("[security]\ncomputational_bits = 256", LARGE, ["computational_bits", "128"]),
        ("[security]\nlevel = 'short'", LARGE, ["security.level", "medium"]),
        (
            "[party.p4]\naddress = '127.0.0.1:9'\nkey = 'KEY'\ncomputes = false",
            LARGE,
            ["p4", "computes = false", "leave"],
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(text: str, modulus: int, words: list[str]) -> None:
    text = text.replace("KEY", t.SecretKey.generate().public)
    for error in joined([text] * 3, modulus=modulus):
        assert isinstance(error, t.UsageError)
        assert all(word in str(error) for word in words), error


@pytest.mark.parametrize(
    ("other", "name"),
    [("statistical_bits = 60", "statistical security"), ("level = 'medium'", "security level")],
)
def test_parties_with_other_parameters_do_not_meet(other: str, name: str) -> None:
    errors = joined(["", "", f"[security]\n{other}"])
    assert any(name in str(error) for error in errors), errors
    assert all(isinstance(error, t.TacitError) for error in errors), errors


def test_the_usual_threshold_is_one_that_works() -> None:
    def threshold(parties: int) -> int:
        names = [f"p{number:02}" for number in range(1, parties + 1)]
        key = t.SecretKey.generate()
        tables = [
            f"[party.{name}]\naddress = '127.0.0.1:{7000 + number}'\nkey = '{t.SecretKey.generate().public}'"
            for number, name in enumerate(names)
        ]
        return t.Runtime(t.Session.parse("\n".join(tables), "session"), names[0], key).threshold

    assert [threshold(parties) for parties in (3, 4, 12, 13, 14, 64)] == [1, 1, 5, 6, 6, 31]


OPERATIONS: dict[str, tuple[Callable[[Any], Any], Callable[[int], int]]] = {
    "1 ^ x": (lambda x: 1 ^ x, lambda x: 1 ^ x),
    "1 & x": (lambda x: 1 & x, lambda x: 1 & x),
    "1 | x": (lambda x: 1 | x, lambda x: 1 | x),
    "-x": (lambda x: -x, lambda x: x),
    "1 - x": (lambda x: 1 - x, lambda x: 1 ^ x),
    "~x": (lambda x: ~x, lambda x: 1 ^ x),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("beside", [False, True])
def test_bits_in_gf256_have_all_operators(name: str, beside: bool) -> None:
    secret, plain = OPERATIONS[name]

    async def program(rt: t.Runtime) -> Any:
        x = rt.share([0, 1] if rt.party == "p1" else None, by="p1", shape=2)
        return await rt.open(secret(x.to_gf256() if beside else x))

    modulus = t.DEFAULT_MODULUS if beside else t.GF256
    results = asyncio.run(asyncio.wait_for(t.together(program, 3, modulus=modulus), 60))
    assert list(results.values()) == [[plain(0), plain(1)]] * 3
