"""Homomorphic values: the paper's programs as printed, every operation and conversion, what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES
from tacit import tastyl
from tacit.tastyl import (
    Garbled,
    GarbledVec,
    Homomorphic,
    HomomorphicVec,
    Modular,
    ModularVec,
    Protocol,
    Signed,
    SignedVec,
    Unsigned,
    UnsignedVec,
)

PROGRAMS = EXAMPLES / "tastyl" / "homomorphic"


def agree(protocol: Protocol, **given: Any) -> dict[str, dict[str, Any]]:
    """The outputs of both parties, which must be the same in the clear."""
    outputs = {role: dict(values) for role, values in protocol.run(**given).items()}
    assert {role: dict(values) for role, values in protocol(**given).items()} == outputs
    return outputs


def test_figure_7() -> None:
    protocol = tastyl.load(PROGRAMS / "minimum_product.py")
    random_ = random.Random(1)
    v, w = ([random_.randrange(1 << 32) for _ in range(4)] for _ in range(2))
    outputs = agree(protocol, client={"v": v}, server={"w": w})
    least = min(x * y for x, y in zip(v, w, strict=True))
    assert outputs == {"client": {"minimum value": least}, "server": {}}


def test_appendix_b() -> None:
    protocol = tastyl.load(PROGRAMS / "face_recognition.py")
    random_ = random.Random(2)
    k, n, m = 2, 5, 3
    gamma, psi = ([random_.randrange(256) for _ in range(n)] for _ in range(2))
    omega = [[random_.randrange(1 << 12) for _ in range(k)] for _ in range(m)]
    u = [[random_.randrange(-128, 128) for _ in range(n)] for _ in range(k)]
    projected = [sum((x - y) * z for x, y, z in zip(gamma, psi, row, strict=True)) for row in u]
    distances = [sum((x - y) ** 2 for x, y in zip(row, projected, strict=True)) for row in omega]
    least = min(distances)
    given: dict[str, Any] = {"client": {"gamma": gamma}, "K": k, "N": n, "M": m}
    server = {"omega": omega, "psi": psi, "u": u}
    found = agree(protocol, **given, server={**server, "tau": least + 1})
    assert found["client"] == {"matched index in DB": distances.index(least)}
    found = agree(protocol, **given, server={**server, "tau": least})
    assert found["client"] == {"output": "no match found"}


@pytest.mark.parametrize(("bits", "signed"), [(1, False), (8, False), (8, True), (32, True), (61, False)])
def test_comparisons(bits: int, signed: bool) -> None:
    plain = SignedVec if signed else UnsignedVec

    def compare(client: Any, server: Any) -> None:
        client.x = plain(bitlen=bits, dim=6).input()
        server.y = plain(bitlen=bits, dim=6).input()
        server.h <<= HomomorphicVec(val=client.x)
        y, h = HomomorphicVec(val=server.y), server.h
        found = {
            "lt": h < y,
            "le": h <= server.y,
            "gt": h > y,
            "ge": h >= y,
            "eq": h == y,
            "ne": h != y,
            "twice": h + h > y,
            "small": h < 1,
            "larger": (h < y) * (y - h) + h,
        }
        for name, value in found.items():
            setattr(client, f"h{name}", tastyl.value.Sent(value).arrive(client, f"h{name}"))
            setattr(client, name, SignedVec(val=getattr(client, f"h{name}")))
            getattr(client, name).output()

    random_ = random.Random(bits)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    x = [least, most, least, most, random_.randint(least, most), random_.randint(least, most)]
    y = [most, least, least, most, random_.randint(least, most), x[5]]
    found = agree(Protocol(compare), client={"x": x}, server={"y": y})["client"]
    pairs = list(zip(x, y, strict=True))
    assert found["lt"] == [a < b for a, b in pairs]
    assert found["le"] == [a <= b for a, b in pairs]
    assert found["gt"] == [a > b for a, b in pairs]
    assert found["ge"] == [a >= b for a, b in pairs]
    assert found["eq"] == [a == b for a, b in pairs]
    assert found["ne"] == [a != b for a, b in pairs]
    assert found["twice"] == [2 * a > b for a, b in pairs]
    assert found["small"] == [a < 1 for a in x]
    assert found["larger"] == [max(a, b) for a, b in pairs]


@pytest.mark.parametrize("way", ["HE1", "HE2", "GC1", "GC2"])
def test_four_multiplications(way: str) -> None:
    protocol = tastyl.load(PROGRAMS / "four_multiplications.py")
    client, server = {"x": 255, "y": 7}, {"x": 200, "y": 254}
    expected = 255 * 254 if way.endswith("1") else 455 * 261
    assert agree(protocol, client=client, server=server, way=way, l=8)["client"] == {"r": expected}


def test_appendix_a() -> None:
    protocol = tastyl.load(PROGRAMS / "set_intersection.py")
    sets = {"client": {"X": [5, 2**61 - 2, 0]}, "server": {"Y": [0, 6, 2**61 - 2, 7]}}
    assert protocol.run(**sets, M=3, N=4)["client"] == {"in output set": [2**61 - 2, 0]}
    apart = {"client": {"X": [5]}, "server": {"Y": [6]}}
    assert protocol.run(**apart, M=1, N=1)["client"] == {}


@pytest.mark.long
def test_appendix_a_at_its_size() -> None:
    random_ = random.Random(3)
    mine, theirs = (random_.sample(range(1 << 32), 100) for _ in range(2))
    theirs[7] = mine[9]
    protocol = tastyl.load(PROGRAMS / "set_intersection.py")
    outputs = protocol.run(client={"X": mine}, server={"Y": theirs})
    assert outputs["client"] == {"in output set": mine[9]}


def test_nearest_record() -> None:
    protocol = tastyl.load(PROGRAMS / "nearest_record.py")
    server = {"keys": [[0, 0, 0, 0], [1, 1, 1, 1]], "records": [17, 42]}
    for within, expected in [(1, 42), (0, 0)]:
        given = {"client": {"key": [1, 0, 1, 1]}, "server": {**server, "within": within}}
        assert agree(protocol, **given, N=2, L=4)["client"] == {"record": expected}


def test_every_operation() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = SignedVec(bitlen=9, dim=3).input()
        client.k = Signed(bitlen=9).input()
        server.y = SignedVec(bitlen=9, dim=3).input()
        server.n = Unsigned(bitlen=5).input()
        server.hx <<= HomomorphicVec(val=client.x)
        server.hk <<= Homomorphic(val=client.k)
        server.a = server.hx + server.y * 2 - server.hx * server.n
        server.b = 5 - server.hx * server.hx
        server.c = -server.hx.dot(server.y) + server.hk * 3 + server.hx[1]
        server.d = server.hx.sum() * server.hk - 1 + server.hx.dot(server.hx)
        server.e = HomomorphicVec(val=[server.c, server.d])
        server.e[0] += Homomorphic(val=server.n)
        for name in "ab":
            setattr(client, f"h{name}", tastyl.value.Sent(getattr(server, name)).arrive(client, f"h{name}"))
        client.a = SignedVec(val=client.ha)
        client.b = SignedVec(val=client.hb)
        client.he <<= server.e
        client.e = SignedVec(val=client.he)
        client.g <<= GarbledVec(val=server.e)
        client.least = Signed(val=client.g.min_value())
        server.g = Garbled(val=server.hk)
        server.back = Homomorphic(val=server.g * server.g) + server.hk
        client.hback <<= server.back
        client.back = Signed(val=client.hback)
        for one in (client.a, client.b, client.e, client.least, client.back):
            one.output()

    x, y, k, n = [-256, 255, 7], [100, -256, -3], -9, 31
    found = agree(Protocol(protocol), client={"x": x, "k": k}, server={"y": y, "n": n})["client"]
    c = -sum(a * b for a, b in zip(x, y, strict=True)) + 3 * k + x[1]
    d = sum(x) * k - 1 + sum(a * a for a in x)
    assert found == {
        "a": [a + 2 * b - a * n for a, b in zip(x, y, strict=True)],
        "b": [5 - a * a for a in x],
        "e": [c + n, d],
        "least": min(c + n, d),
        "back": k * k + k,
    }


@pytest.mark.parametrize("modulus", [None, 7, 2**31 - 1])
def test_every_operation_on_residues(modulus: int | None) -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = ModularVec(modulus=modulus, dim=3).input()
        client.k = Modular(modulus=modulus).input()
        server.y = ModularVec(modulus=modulus, dim=3).input()
        server.n = Modular(modulus=modulus).input()
        server.hx <<= HomomorphicVec(val=client.x)
        client.hk = Homomorphic(val=client.k)
        server.hk <<= client.hk
        server.a = server.hx * server.y - server.hx[::-1] + 3
        server.square = server.hk * server.n + Homomorphic(val=server.n)
        server.b = HomomorphicVec(dim=4)
        server.b[0] = server.hx.dot(server.y) - server.hk + server.a.dot(server.y) * 0
        server.b[1] = 5 - server.square * 2 + server.square
        server.b[2] = -server.hx.sum() * server.y[1] + server.n
        server.b[3] = server.n - server.hk * server.n * server.n
        client.ha <<= server.a
        client.hb <<= server.b
        client.a = ModularVec(val=client.ha)
        client.b = ModularVec(val=client.hb)
        client.last = Modular(val=client.hb[3]) + client.k
        for one in (client.a, client.b, client.last):
            one.output()

    p = modulus or 2**61 - 1
    x, y, k, n = [p - 1, 3 % p, 0], [5 % p, p - 2, 1], p - 3, 4
    given = {"client": {"x": x, "k": k}, "server": {"y": y, "n": n}}
    square = k * n + n
    b = [
        sum(i * j for i, j in zip(x, y, strict=True)) - k,
        5 - square,
        -sum(x) * y[1] + n,
        n - k * n * n,
    ]
    assert Protocol(protocol).run(**given)["client"] == {
        "a": [(i * j - z + 3) % p for i, j, z in zip(x, y, x[::-1], strict=True)],
        "b": [one % p for one in b],
        "last": (b[3] + k) % p,
    }


def test_parts_of_residues_are_random_but_for_their_sum() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = ModularVec(dim=2).input()
        server.w = Modular().input()
        server.h <<= HomomorphicVec(val=client.x)
        client.h <<= server.h * server.w + server.w
        client.y = ModularVec(val=client.h)
        client.y.output()

    modulus, weight = 2**61 - 1, 2**60 + 12345
    seen = []
    for _ in range(2):
        given = json.loads(Protocol(protocol).trace().encode({"server": {"w": weight}})["server"])
        assert set(given) == {"weights", "offsets"}
        parts = len(given["offsets"][0])
        width = 21
        assert parts == 3
        for row in range(2):
            limbs = [given["weights"][row * parts + part][row] for part in range(parts)]
            assert sum(limb << width * part for part, limb in enumerate(limbs)) == weight
            whole = sum(one << width * part for part, one in enumerate(given["offsets"][row]))
            assert whole % modulus == weight
            assert all(one.bit_length() < 128 for one in given["offsets"][row])
            # Masks hide 21 bits of weights times 61 of numbers, added up, by 40 more.
            assert all(one.bit_length() > 96 for one in given["offsets"][row])
        seen += [one % modulus for row in given["offsets"] for one in row]
    assert len(set(seen)) == len(seen)


def program_of(body: Callable[[Any, Any], None]) -> Any:
    return Protocol(body).trace().program


def test_the_party_that_computes_holds_and_garbles() -> None:
    def server_computes(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=8).input()
        server.y = Unsigned(bitlen=8).input()
        server.h <<= Homomorphic(val=client.x)
        client.h <<= server.h * server.y
        client.r = Unsigned(val=client.h)
        client.r.output()

    def mirrored(client: Any, server: Any) -> None:
        server.x = Unsigned(bitlen=8).input()
        client.y = Unsigned(bitlen=8).input()
        client.h <<= Homomorphic(val=server.x)
        server.h <<= client.h * client.y
        server.r = Unsigned(val=server.h)
        server.r.output()

    assert program_of(server_computes).roles == ["server", "client"]
    assert program_of(mirrored).roles == ["client", "server"]
    given = {"client": {"x": 200}, "server": {"y": 201}}
    assert agree(Protocol(server_computes), **given)["client"] == {"r": 200 * 201}
    given = {"server": {"x": 200}, "client": {"y": 201}}
    assert agree(Protocol(mirrored), **given)["server"] == {"r": 200 * 201}


def test_what_the_holder_multiplies_by_is_not_sent() -> None:
    """The client sends a ciphertext for each of its words, the server one with the result."""
    protocol = tastyl.load(PROGRAMS / "multiplication.py")
    trace = protocol.trace(l=32)
    assert trace.program.roles == ["server", "client"]
    reports = protocol.run(client={"x": 3}, server={"y": 4}, l=32).reports
    sent = {
        name: next(p for p in report["phases"] if p["phase"] == "online") for name, report in reports.items()
    }
    # A ciphertext has 768 bytes, and what opens a product of 64 bits has 8.
    assert sent["client"]["payload_sent"] == 768
    assert sent["server"]["payload_sent"] == 768 + 8


def assign(party: Any, name: str, value: Any) -> bool:
    setattr(party, name, value)
    return True


def wide(client: Any, server: Any) -> None:
    client.v = Modular(modulus=2**89 - 1).input()
    server.v = Modular(modulus=2**89 - 1).input()
    server.e <<= Homomorphic(val=client.v)
    client.e <<= server.e * server.v


WRONG: list[tuple[str, Callable[[Any, Any], Any], list[str]]] = [
    ("compared", lambda c, s: s.r < s.r, ["server.r is encrypted and Modular", "Modular(val="]),
    ("equal", lambda c, s: s.r == 3, ["server.r is encrypted and Modular"]),
    ("divided", lambda c, s: s.h // 3, ["server.h is encrypted", "+ - * dot and", "Garbled(val="]),
    ("bits", lambda c, s: s.h[0], ["server.h is encrypted"]),
    ("condition", lambda c, s: bool(s.h), ["server.h is encrypted", "condition"]),
    ("smallest", lambda c, s: s.hv.min_value(), ["server.hv is encrypted", "Garbled"]),
    ("output", lambda c, s: s.h.output(), ["server.h is encrypted", "convert it"]),
    ("with garbled", lambda c, s: s.h + s.g, ["meets a homomorphic value", "Homomorphic(val="]),
    ("garbled with it", lambda c, s: s.g * s.h, ["meets a garbled value", "Garbled(val="]),
    ("apart", lambda c, s: s.h + c.x, ["send one first"]),
    (
        "Modular summand",
        lambda c, s: s.h + Homomorphic(val=s.m),
        ["server.h is Homomorphic", "write Modular"],
    ),
    ("Modular factor", lambda c, s: s.h * s.m, ["server.m is Modular", "Unsigned"]),
    ("word and Modular", lambda c, s: Homomorphic(val=s.m) + s.y, ["meets a Modular value", "write Modular"]),
    ("Modular garbled", lambda c, s: Garbled(val=Homomorphic(val=s.m)), ["is Modular", "Unsigned"]),
    ("Modular at its holder", lambda c, s: Modular(val=s.r).at(c), ["server.r is at its holder", "send it"]),
    ("two encrypted Modular", lambda c, s: s.r * s.r, ["both encrypted and Modular"]),
    ("other modulus", lambda c, s: s.r * Modular(val=1, modulus=11), ["modulo 11", "modulo 7"]),
    ("received", lambda c, s: (assign(c, "e", s.r.at(c)), c.e.at(s)), ["was received from its holder"]),
    ("large modulus", lambda c, s: wide(c, s), ["do not fit words of 128 bits"]),
    ("roots", lambda c, s: tastyl.getPolyCoefficients()(s.y), ["is a ModularVec"]),
    ("no Modular", lambda c, s: Modular(val=s.h), ["does not become Modular"]),
    ("no value", lambda c, s: HomomorphicVec(dim=2).array, ["has no value yet"]),
    ("plain element", lambda c, s: s.hv.__setitem__(0, s.y), ["Homomorphic(val=server.y)"]),
    (
        "both directions",
        lambda c, s: (s.h + 1).at(c) + c.x,
        ["server and client both compute", "only one party has a key"],
    ),
]


@pytest.mark.parametrize(("wrong", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_mistakes(wrong: Callable[[Any, Any], Any], words: list[str]) -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=8).input()
        server.y = Unsigned(bitlen=8).input()
        server.m = Modular(modulus=7).input()
        server.h <<= Homomorphic(val=client.x)
        client.m = Modular(modulus=7).input()
        server.r <<= Homomorphic(val=client.m)
        server.r = server.r * server.m
        server.hv = HomomorphicVec(val=[server.h, server.h])
        server.g = Garbled(val=server.y)
        wrong(client, server)
        client.x.output()

    with pytest.raises(t.TacitError) as caught:
        Protocol(protocol).trace()
    for word in words:
        assert word in str(caught.value)


def test_programs_are_there() -> None:
    assert {path.name for path in Path(PROGRAMS).glob("*.py")} >= {
        "minimum_product.py",
        "face_recognition.py",
    }
    assert UnsignedVec is tastyl.UnsignedVec
