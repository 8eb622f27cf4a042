"""The types and operators of TASTYL, against plain arithmetic."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacit.tastyl import (
    FairplayCircuit,
    FileCircuit,
    Garbled,
    GarbledCircuit,
    GarbledVec,
    Modular,
    ModularVec,
    Protocol,
    Signed,
    SignedVec,
    Unsigned,
    UnsignedVec,
    bitlength,
)

Body = Callable[..., None]


def run(body: Body, client: Any = None, server: Any = None, **params: Any) -> dict[str, Any]:
    """The outputs of a protocol by name, with real protocols and in the clear, which must agree."""
    protocol = Protocol(body)
    given = {"client": client or {}, "server": server or {}, **params}
    outputs = {role: dict(values) for role, values in protocol.run(**given).items()}
    assert {role: dict(values) for role, values in protocol(**given).items()} == outputs
    return {**outputs["client"], **outputs["server"]}


SIGNS = [
    (Unsigned, Unsigned, 0, 0),
    (Unsigned, Signed, 0, -8),
    (Signed, Unsigned, -8, 0),
    (Signed, Signed, -8, -8),
]


@pytest.mark.parametrize(("left", "right", "low", "lower"), SIGNS)
def test_garbled_arithmetic_never_overflows(left: Any, right: Any, low: int, lower: int) -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = left(bitlen=4).input()
        server.y = right(bitlen=4).input()
        client.gx = Garbled(val=client.x)
        client.gy <<= Garbled(val=server.y)
        for name, value in {
            "sum": client.gx + client.gy,
            "difference": client.gx - client.gy,
            "product": client.gx * client.gy,
            "negated": -client.gx,
            "more": client.gx + 3,
            "less": 3 - client.gx,
        }.items():
            setattr(client, f"g_{name}", value)
            client.out = (SignedVec if value.shape else Signed if value.signed else Unsigned)(val=value)
            client.out.output(desc=name)

    for x, y in [(low, lower), (low + 15, lower + 15), (low, lower + 15), (low + 9, lower + 7)]:
        outputs = run(protocol, {"x": x}, {"y": y})
        assert outputs == {
            "sum": x + y,
            "difference": x - y,
            "product": x * y,
            "negated": -x,
            "more": x + 3,
            "less": 3 - x,
        }


def test_widths_grow_as_in_the_paper() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = UnsignedVec(bitlen=32, dim=4).input()
        server.w = UnsignedVec(bitlen=32, dim=4).input()
        client.gx = GarbledVec(val=client.x)
        client.gw <<= GarbledVec(val=server.w)
        client.product = client.gx * client.gw
        assert (client.product.bitlen, client.product.dim, client.product.signed) == (64, 4, False)
        assert (client.gx + client.gw).bitlen == 33
        assert ((client.gx - client.gw).bitlen, (client.gx - client.gw).signed) == (33, True)
        assert client.gx.dot(client.gw).bitlen == 66
        assert client.gx.sum().bitlen == 34
        assert (client.x * client.x).bitlen == 64
        assert (client.gx[0] < client.gw[0]).bitlen == 1
        client.out = Unsigned(val=client.product[0])
        client.out.output()

    assert run(protocol, {"x": [2, 0, 0, 0]}, {"w": [3, 0, 0, 0]}) == {"out": 6}


def test_comparisons_and_mux() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Signed(bitlen=3).input()
        server.y = Signed(bitlen=3).input()
        client.gx = Garbled(val=client.x)
        client.gy <<= Garbled(val=server.y)
        pairs = {
            "lt": client.gx < client.gy,
            "le": client.gx <= client.gy,
            "gt": client.gx > client.gy,
            "ge": client.gx >= client.gy,
            "eq": client.gx == client.gy,
            "ne": client.gx != client.gy,
        }
        for name, bit in pairs.items():
            client.bit = Unsigned(val=bit)
            client.bit.output(desc=name)
        client.larger = Signed(val=pairs["lt"].mux(client.gx, client.gy))
        client.larger.output()
        client.chosen = Unsigned(val=pairs["lt"].mux(5, 6))
        client.chosen.output()

    for x, y in [(-4, 3), (3, -4), (2, 2), (-1, -2)]:
        assert run(protocol, {"x": x}, {"y": y}) == {
            "lt": int(x < y),
            "le": int(x <= y),
            "gt": int(x > y),
            "ge": int(x >= y),
            "eq": int(x == y),
            "ne": int(x != y),
            "larger": max(x, y),
            "chosen": 6 if x < y else 5,
        }


def test_garbled_bits() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=4).input()
        server.y = Unsigned(bitlen=4).input()
        client.gx = Garbled(val=client.x)
        client.gy <<= Garbled(val=server.y)
        assert (len(client.gx), client.gx[0].bitlen) == (4, 1)
        client.reversed = Unsigned(val=Garbled(val=list(client.gx)[::-1]))
        client.high = Unsigned(val=Garbled(val=client.gx[2:]))
        client.parity = Unsigned(val=client.gx[0] ^ client.gx[1] ^ client.gx[2] ^ client.gx[-1])
        client.some = Unsigned(
            val=Garbled(val=[client.gx[0] & client.gy[0], client.gx[1] | ~client.gy[1], 1])
        )
        client.both = Unsigned(val=client.gx & client.gy)
        for value in (client.reversed, client.high, client.parity, client.some, client.both):
            value.output()

    for x, y in itertools.product(range(0, 16, 3), (1, 6, 15)):
        assert run(protocol, {"x": x}, {"y": y}) == {
            "reversed": int(f"{x:04b}"[::-1], 2),
            "high": x >> 2,
            "parity": x.bit_count() & 1,
            "some": (x & y & 1) | (x >> 1 & 1 | ~y >> 1 & 1) << 1 | 4,
            "both": x & y,
        }


def test_vectors() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.v = SignedVec(bitlen=8, dim=5).input()
        server.w = SignedVec(bitlen=8, dim=5).input()
        client.gv = GarbledVec(val=client.v)
        client.gw <<= GarbledVec(val=server.w)
        client.least, client.least_at = client.gv.min_value_index()
        client.most, client.most_at = client.gv.max_value_index()
        client.parts = GarbledVec(dim=2)
        client.parts[0] = client.gv.min_value()
        client.parts[1] = client.gv[1]
        client.parts[1] += 100
        outputs = {
            "dot": Signed(val=client.gv.dot(client.gw)),
            "least": Signed(val=client.least),
            "least_at": Unsigned(val=client.least_at),
            "most": Signed(val=client.most),
            "most_at": Unsigned(val=client.most_at),
            "index": Unsigned(val=client.gv.max_index()),
            "sum": Signed(val=client.gv.sum()),
            "parts": SignedVec(val=client.parts),
            "tail": SignedVec(val=client.gv[3:]),
            "scaled": SignedVec(val=client.gv * 3),
        }
        for name, value in outputs.items():
            client.output(value, desc=name)

    random_ = random.Random(2)
    for _ in range(3):
        v, w = ([random_.randrange(-128, 128) for _ in range(5)] for _ in range(2))
        assert run(protocol, {"v": v}, {"w": w}) == {
            "dot": sum(x * y for x, y in zip(v, w, strict=True)),
            "least": min(v),
            "least_at": v.index(min(v)),
            "most": max(v),
            "most_at": v.index(max(v)),
            "index": v.index(max(v)),
            "sum": sum(v),
            "parts": [min(v), v[1] + 100],
            "tail": v[3:],
            "scaled": [3 * x for x in v],
        }


def test_matrices() -> None:
    def protocol(client: Any, server: Any) -> None:
        server.a = SignedVec(bitlen=8, dim=(2, 3)).input()
        client.x = UnsignedVec(bitlen=8, dim=3).input()
        server.gx <<= GarbledVec(val=client.x)
        server.ga = GarbledVec(val=server.a)
        server.gy = GarbledVec(dim=2)
        for i in range(2):
            server.gy[i] = server.gx.dot(server.a[i])
        client.y <<= SignedVec(val=server.gy)
        client.y.output()
        client.z <<= SignedVec(val=server.ga.dot(server.gx))
        client.z.output()
        server.rows = server.a.dot(server.a[0])
        server.rows.output()

    a, x = [[1, -2, 3], [-128, 5, 127]], [255, 0, 9]
    product = [sum(p * q for p, q in zip(row, x, strict=True)) for row in a]
    rows = [sum(p * q for p, q in zip(row, a[0], strict=True)) for row in a]
    assert run(protocol, {"x": x}, {"a": a}) == {"y": product, "z": product, "rows": rows}


def test_plain_values_are_computed_by_their_party() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Signed(bitlen=8).input()
        client.v = UnsignedVec(bitlen=4, dim=3).input()
        values = {
            "sum": client.x + 7,
            "quotient": client.x // 3,
            "remainder": client.x % 7,
            "from": 100 // (client.v[0] + 1),
            "square": client.x * client.x,
            "negative": -client.x,
            "size": abs(client.x),
            "dot": client.v.dot([1, 2, 3]),
            "biggest": client.v.max_value(),
            "place": client.v.min_index(),
            "total": client.v.sum(),
            "equal": client.x == -5,
            "below": client.v[0] <= client.v[1],
        }
        for name, value in values.items():
            client.output(value, desc=name)

    x, v = -100, [3, 1, 15]
    assert run(protocol, {"x": x, "v": v}) == {
        "sum": x + 7,
        "quotient": x // 3,
        "remainder": x % 7,
        "from": 100 // 4,
        "square": x * x,
        "negative": -x,
        "size": 100,
        "dot": 3 + 2 + 45,
        "biggest": 15,
        "place": 1,
        "total": 19,
        "equal": 0,
        "below": 0,
    }


def test_conditions_on_plain_values() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = UnsignedVec(bitlen=4, dim=4).input()
        server.y = UnsignedVec(bitlen=4, dim=4).input()
        client.gy <<= GarbledVec(val=server.y)
        client.same = UnsignedVec(val=GarbledVec(val=client.x) * client.gy)
        for value in client.same:
            if value > 20:
                client.output(value, desc="large")
            elif value == 0:
                client.output("none", desc="zero")
        if 9 in client.x:
            client.output(True, desc="nine")

    assert run(protocol, {"x": [9, 2, 5, 0]}, {"y": [9, 1, 5, 3]}) == {
        "large": [81, 25],
        "zero": "none",
        "nine": True,
    }
    assert run(protocol, {"x": [1, 1, 1, 1]}, {"y": [1, 1, 1, 1]}) == {}


def test_every_conversion_and_way_of_sending() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.a = Unsigned(bitlen=5).input()
        server.b = Signed(bitlen=5).input()
        client.ga = Garbled(val=client.a)
        client.own = Unsigned(val=client.ga)
        client.gb <<= Garbled(val=server.b)
        client.opened = Signed(val=client.gb)
        server.ga <<= client.ga
        client.direct <<= Unsigned(val=server.ga)
        server.told <<= client.a
        server.wider = Signed(val=server.told)
        server.again = Signed(val=Garbled(val=server.told + server.b))
        for value in (client.own, client.opened, client.direct, server.told, server.wider, server.again):
            value.output()

    for a, b in [(31, -16), (0, 15), (7, -1)]:
        assert run(protocol, {"a": a}, {"b": b}) == {
            "own": a,
            "opened": b,
            "direct": a,
            "told": a,
            "wider": a,
            "again": a + b,
        }


def test_forced_widths() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=8).input()
        client.gx = Garbled(val=client.x)
        client.low = Unsigned(val=client.gx, force_bitlen=4)
        client.sign = Signed(val=Garbled(val=client.gx, force_signed=True))
        client.wide = Garbled(val=client.gx, bitlen=12)
        assert (client.low.bitlen, client.sign.bitlen, client.wide.bitlen) == (4, 8, 12)
        client.low.output()
        client.sign.output()
        client.all = Unsigned(val=client.wide)
        client.all.output()

    assert run(protocol, {"x": 0xC9}) == {"low": 9, "sign": 0xC9 - 256, "all": 0xC9}


def test_random_values() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.r = UnsignedVec(bitlen=16, dim=8).rand()
        server.s = UnsignedVec(bitlen=16, dim=8).input(random=True)
        client.gs <<= GarbledVec(val=server.s)
        client.total = UnsignedVec(val=GarbledVec(val=client.r) + client.gs)
        client.total.output()
        client.r.output()
        server.s.output()

    made = Protocol(protocol)
    first, second = ({**out["client"], **out["server"]} for out in (made.run(), made.run()))
    assert first != second
    assert first["total"] == [x + y for x, y in zip(first["r"], first["s"], strict=True)]


def test_modular_values() -> None:
    prime = (1 << 31) - 1

    def protocol(client: Any, server: Any) -> None:
        client.x = Modular(modulus=prime).input()
        client.v = ModularVec(modulus=prime, dim=2).input()
        values = {
            "power": client.x * client.x + 5,
            "inverse": 1 / client.x,
            "negated": -client.x,
            "dot": client.v.dot([3, -1]),
            "mask": client.x + Modular(modulus=prime).rand() * 0,
        }
        for name, value in values.items():
            client.output(value, desc=name)

    x = 123456789
    assert run(protocol, {"x": x, "v": [7, 9]}) == {
        "power": (x * x + 5) % prime,
        "inverse": pow(x, -1, prime),
        "negated": prime - x,
        "dot": 12,
        "mask": x,
    }


def test_long_computations_do_not_nest() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=1).input()
        server.y = Unsigned(bitlen=1).input()
        client.total, server.total = client.x, server.y
        for i in range(1500):
            client.total = Unsigned(val=client.total + client.x * (i % 2), force_bitlen=12)
            server.total = Unsigned(val=server.total + server.y, force_bitlen=12)
        client.sum <<= Unsigned(val=Garbled(val=server.total))
        client.sum.output()
        client.total.output()

    assert run(protocol, {"x": 1}, {"y": 1}) == {"sum": 1501, "total": 751}


def test_parameters() -> None:
    def protocol(c: Any, s: Any, params: Any) -> None:
        c.x = Unsigned(bitlen=bitlength(params["n"])).input()
        c.x.output(desc="x")
        assert c.x.bitlen == 4

    assert run(protocol, {"x": 9}, n=9) == {"x": 9}


ADD = """\
FMT - Input:
input,a,x,0,1
input,b,y,2,3
Gates:
gate,4,2,0 1 1 0,0,2
gate,5,2,0 0 0 1,0,2
gate,6,3,0 1 1 0 1 0 0 1,1,3,5
FMT - Output:
output,a,z,4,6
"""


@pytest.mark.parametrize(("read", "signed"), [(FairplayCircuit, True), (FileCircuit, False)])
def test_file_circuits(tmp_path: Path, read: Any, signed: bool) -> None:
    path = tmp_path / "add.cnv"
    path.write_text(ADD)

    def protocol(client: Any, server: Any) -> None:
        gc = GarbledCircuit(read(path), ["y", "x"], ["z"])
        client.x = Unsigned(bitlen=2).input()
        server.y = Unsigned(bitlen=1).input()
        client.gy <<= Garbled(val=server.y)
        (client.gz,) = gc([client.gy, Garbled(val=client.x)])
        client.z = (Signed if signed else Unsigned)(val=client.gz)
        client.z.output()

    for x, y in itertools.product(range(4), range(2)):
        total = (x + y) % 4
        assert run(protocol, {"x": x}, {"y": y}) == {"z": total - 4 if signed and total > 1 else total}


def test_garbled_values_are_garbled_unless_another_domain_is_named() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = UnsignedVec(dim=500, bitlen=32).input()
        server.y = UnsignedVec(dim=500, bitlen=32).input()
        client.gx = GarbledVec(val=client.x)
        client.gy <<= GarbledVec(val=server.y)
        client.products = UnsignedVec(val=client.gx * client.gy)
        client.products.output()

    def domains(**options: Any) -> set[str]:
        values = list(range(500))
        outputs = Protocol(protocol).run(client={"x": values}, server={"y": values}, **options)
        assert outputs["client"]["products"] == [value * value for value in values]
        return {used["domain"] for used in outputs.reports["client"]["domains"]}

    assert domains() == {"yao"}
    assert "yao" not in domains(domain="bool")
