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
    ],
)
def test_what_cannot_be_kept_is_refused(text: str, modulus: int, words: list[str]) -> None:
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


async def several(rt: t.Runtime) -> list[Any]:
    """Operations of many kinds on numbers of all parties, each opened by itself."""
    x, y, *_ = rt.share_by_all(7 if rt.party == "p1" else -3)
    values = rt.share([5, 1, 4] if rt.party == "p2" else None, by="p2", shape=3)
    small = rt.share(12 if rt.party == "p1" else None, by="p1", kind=t.u8)
    bit = rt.random_bits(())
    return [
        *await asyncio.gather(
            rt.open(x * y + 1),
            rt.open(y < x),
            rt.open(values @ values),
            rt.open(values.sort()),
            rt.open(values.argmax()),
            rt.open(small // 5),
            rt.open(bit * bit - bit),
        ),
        await rt.open(rt.where(x == y, x, y**3), to=["p1", "p2"]),
    ]


@pytest.mark.parametrize(("parties", "threshold"), [(3, 1), (4, 1), (5, 2)])
def test_programs_run_where_all_is_verified(parties: int, threshold: int) -> None:
    async def run() -> dict[str, list[Any]]:
        terms: dict[str, Any] = {"modulus": 2**127 - 1, "security": "active", "timeout_s": 100}
        return await t.together(several, parties, threshold, **terms)

    results = asyncio.run(run())
    expected = [-20, 1, 42, [1, 4, 5], 0, 2, 0]
    for name, found in results.items():
        plain = [one.tolist() if hasattr(one, "tolist") else one for one in found]
        assert plain == [*expected, -27 if name in ("p1", "p2") else None]


@pytest.mark.parametrize(
    ("modulus", "program", "words"),
    [
        (
            t.DEFAULT_MODULUS,
            lambda rt: rt.random_bits(3).to_gf256(),
            ["bytes", 'only possible with security = "passive"'],
        ),
        (2**31 - 1, lambda rt: rt.random_bits(3), ["51 bits", "31", "2^61 - 1"]),
    ],
)
def test_what_is_not_verified_is_refused(
    modulus: int, program: Callable[[Any], Any], words: list[str]
) -> None:
    async def opened(rt: t.Runtime) -> Any:
        return await rt.open(program(rt))

    with pytest.raises(t.UsageError) as raised:
        asyncio.run(t.together(opened, modulus=modulus, security="active", timeout_s=20))
    assert all(word in str(raised.value) for word in words), raised.value


def test_another_protection_does_not_exist() -> None:
    with pytest.raises(t.UsageError, match=r"security: expected passive or active .* found long"):
        asyncio.run(t.together(several, security="long"))
