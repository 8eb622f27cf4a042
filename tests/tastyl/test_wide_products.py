"""Products under encryption, also of more bits than words have: appendix C, what is seen, what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES
from tacit import tastyl
from tacit.measure.cases import cases_of
from tacit.tastyl import Garbled, Homomorphic, Protocol, Unsigned

PROGRAMS = EXAMPLES / "tastyl" / "homomorphic"


def test_the_driver_of_appendix_c_goes_to_80_bits() -> None:
    cases = cases_of({}, str(PROGRAMS / "multiplication.py"))
    assert [case.params["l"] for case in cases] == list(range(1, 81))


@pytest.mark.parametrize("length", [1, 64, 65, 80])
def test_appendix_c(length: int) -> None:
    protocol = tastyl.load(PROGRAMS / "multiplication.py")
    x, y = (1 << length) - 1, random.Random(length).randrange(1 << length)
    given = {"client": {"x": x}, "server": {"y": y}, "l": length}
    assert protocol.run(**given)["client"] == protocol(**given)["client"] == {"r": x * y}


@pytest.mark.parametrize(("bits", "others", "words"), [(85, 44, "at most 84 bits"), (100, 100, "at most 84")])
def test_words_that_are_too_wide(bits: int, others: int, words: str) -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=bits).input()
        server.y = Unsigned(bitlen=others).input()
        server.h <<= Homomorphic(val=client.x)
        client.h <<= server.h * server.y
        client.r = Unsigned(val=client.h)
        client.r.output()

    with pytest.raises(t.TacitError, match=words):
        Protocol(protocol).run(client={"x": 1}, server={"y": 1})


def test_words_that_are_too_wide_and_computed() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=80).input()
        server.h <<= Homomorphic(val=client.x)
        client.h <<= server.h * server.h
        client.r = Unsigned(val=client.h)
        client.r.output()

    with pytest.raises(t.TacitError, match="at most 128 bits"):
        Protocol(protocol).run(client={"x": 1}, server={})


def wide_product(client: Any, server: Any) -> None:
    client.x = Unsigned(bitlen=80).input()
    server.y = Unsigned(bitlen=80).input()
    server.h <<= Homomorphic(val=client.x)
    server.p = server.h * server.y
    client.p <<= server.p
    client.r = Unsigned(val=client.p)
    client.r.output()


def test_parts_of_wide_products_are_random_but_for_their_sum() -> None:
    """Whatever the client can tell from the parts, it can tell from the product."""
    y, limb, mask = (1 << 80) - 3, 5, 121
    seen = []
    for _ in range(2):
        given = json.loads(Protocol(wide_product).trace().encode({"server": {"y": y}})["server"])
        assert set(given) == {"limbs", "offsets"}
        assert sum(one << limb * place for place, one in enumerate(given["limbs"])) == y
        offsets = [int(one) - (1 << mask if place else 0) for place, one in enumerate(given["offsets"])]
        assert len(offsets) == 16
        assert sum(one << limb * place for place, one in enumerate(offsets)) == 0
        # Each but the last hides a carry of 81 bits by 40 more.
        carried = 0
        for one in offsets[:-1]:
            drawn, rest = divmod(one + carried, 1 << limb)
            assert (rest, drawn >> mask) == (0, 0)
            seen.append(drawn)
            carried = drawn
        assert offsets[-1] == -carried
    assert len(set(seen)) == len(seen) == 30
    assert max(seen).bit_length() > mask - 8


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda c, s: s.p + 1, "server.p has 160 bits"),
        (lambda c, s: s.p * 2, "server.p has 160 bits"),
        (lambda c, s: s.p < 5, "server.p has 160 bits"),
        (lambda c, s: -s.p, "server.p has 160 bits"),
        (lambda c, s: Garbled(val=s.p), "server.p has 160 bits"),
        (lambda c, s: Unsigned(val=s.p), "server.p is at its holder"),
        (lambda c, s: c.p.at(s), "client.p was received"),
        (lambda c, s: Unsigned(val=c.p, bitlen=200), "client.p has 160 bits; convert it without"),
        (lambda c, s: Garbled(val=c.r) + 1, "send it and convert it"),
    ],
)
def test_wide_products_are_only_sent_and_opened(wrong: Callable[[Any, Any], Any], words: str) -> None:
    def protocol(client: Any, server: Any) -> None:
        wide_product(client, server)
        wrong(client, server)

    with pytest.raises(t.ProgramError, match=words):
        Protocol(protocol).trace()
