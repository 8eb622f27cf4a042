"""Programs as users write them: the same in the clear and between two parties, and right."""

from __future__ import annotations

import random
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as t


def agree(function: t.Function, **given: Any) -> t.Outputs:
    """The outputs, which must be the same in the clear and between two parties."""
    outputs: t.Outputs = function.run(**given)
    assert function(**given) == outputs
    return outputs


@t.function
def closest(server: t.Role, client: t.Role, n: int = 512, d: int = 4) -> None:
    db = server.input("db", t.u32[n, d])
    q = client.input("query", t.u32[d])
    dist = ((db - q) ** 2).sum(axis=1)
    client.output("index", dist.argmin())


def test_closest() -> None:
    random_ = random.Random(1)
    db = [[random_.randrange(1 << 32) for _ in range(4)] for _ in range(512)]
    query = [random_.randrange(1 << 32) for _ in range(4)]
    distance = [sum((x - y) ** 2 for x, y in zip(row, query, strict=True)) for row in db]
    outputs = agree(closest, server={"db": db}, client={"query": query})
    assert outputs["client"] == {"index": distance.index(min(distance))}


@t.function
def millionaires(a: t.Role, b: t.Role) -> None:
    t.output("richer", a.input("mil", t.u32) > b.input("mil", t.u32), a, b)


def test_millionaires() -> None:
    for x, y in [(1, 2), (2, 1), (7, 7)]:
        assert agree(millionaires, a={"mil": x}, b={"mil": y})["b"] == {"richer": x > y}


@t.function
def median(a: t.Role, b: t.Role, n: int = 8) -> None:
    both = t.concatenate([a.input("xs", t.i32[n]), b.input("xs", t.i32[n])]).sort()
    t.output("median", (both[n - 1] + both[n]) >> 1, a, b)


def test_median() -> None:
    random_ = random.Random(2)
    xs, ys = ([random_.randrange(-(10**6), 10**6) for _ in range(8)] for _ in range(2))
    assert agree(median, a={"xs": xs}, b={"xs": ys})["a"] == {
        "median": int(statistics.median([*xs, *ys]) // 1)
    }


@t.function
def intersection(a: t.Role, b: t.Role, n: int = 16, m: int = 12) -> None:
    mine, yours = a.input("set", t.u16[n]), b.input("set", t.u16[m])
    common = (mine[:, None] == yours).any(axis=1)
    a.output("common", common)
    b.output("count", common.sum())


def test_set_intersection() -> None:
    random_ = random.Random(3)
    xs, ys = random_.sample(range(40), 16), random_.sample(range(40), 12)
    outputs = agree(intersection, a={"set": xs}, b={"set": ys})
    assert outputs["a"]["common"] == [x in ys for x in xs]
    assert outputs["b"]["count"] == len(set(xs) & set(ys))


@t.function
def inner_product(a: t.Role, b: t.Role, n: int = 64) -> None:
    b.output("dot", a.input("v", t.i16[n]) @ b.input("w", t.i16[n]))


def test_inner_product() -> None:
    random_ = random.Random(4)
    v, w = ([random_.randrange(-(1 << 15), 1 << 15) for _ in range(64)] for _ in range(2))
    assert agree(inner_product, a={"v": v}, b={"w": w})["b"]["dot"] == sum(map(lambda x, y: x * y, v, w))


@t.function
def face(server: t.Role, client: t.Role, n: int = 5, pixels: int = 24, k: int = 4) -> None:
    """Eigenfaces: projects the client's picture, and finds the closest face unless all are too far."""
    mean, basis = server.input("mean", t.u8[pixels]), server.input("basis", t.i8[k, pixels])
    faces, limit = server.input("faces", t.i32[n, k]), server.input("limit", t.u64)
    projected = basis @ (client.input("picture", t.u8[pixels]) - mean)
    distance = ((faces - projected) ** 2).sum(axis=1)
    best = distance.argmin()
    client.output("found", distance.min() <= limit)
    client.output("face", t.where(distance.min() <= limit, best, n))


def test_face_recognition() -> None:
    random_ = random.Random(5)
    mean, picture = ([random_.randrange(256) for _ in range(24)] for _ in range(2))
    basis = [[random_.randrange(-128, 128) for _ in range(24)] for _ in range(4)]
    projected = [sum(b * (p - m) for b, p, m in zip(row, picture, mean, strict=True)) for row in basis]
    faces = [[random_.randrange(-(10**6), 10**6) for _ in range(4)] for _ in range(4)]
    faces.insert(2, [x + 3 for x in projected])
    server = {"mean": mean, "basis": basis, "faces": faces}
    for limit, wanted in [(35, {"found": False, "face": 5}), (36, {"found": True, "face": 2})]:
        outputs = agree(face, server={**server, "limit": limit}, client={"picture": picture})
        assert outputs["client"] == wanted


@t.function
def average(a: t.Role, b: t.Role, n: int = 6) -> None:
    salaries = t.concatenate([a.input("salaries", t.fixed(20, 8)[n]), b.input("salaries", t.fixed(20, 8)[n])])
    mean = salaries.sum() / (2 * n)
    t.output("mean", mean, a, b)
    t.output("deviation", t.sqrt(((salaries - mean) ** 2).sum() / (2 * n)), a, b)


def test_statistics_with_a_binary_point() -> None:
    random_ = random.Random(6)
    xs, ys = ([random_.randrange(1 << 20) / 256 for _ in range(6)] for _ in range(2))
    outputs = agree(average, a={"salaries": xs}, b={"salaries": ys})
    assert outputs["a"] == outputs["b"]
    assert outputs["a"]["mean"] == pytest.approx(statistics.mean([*xs, *ys]), abs=1 / 128)
    assert outputs["a"]["deviation"] == pytest.approx(statistics.pstdev([*xs, *ys]), abs=1 / 16)


@t.function
def vickrey(a: t.Role, b: t.Role, n: int = 4) -> None:
    """Who bids most, and the second highest bid, by a scan."""
    bids = t.concatenate([a.input("bids", t.u16[n]), b.input("bids", t.u16[n])])

    def step(state: tuple[t.Array, t.Array], bid: t.Array) -> tuple[tuple[t.Array, t.Array], None]:
        first, second = state
        return (t.maximum(first, bid), t.maximum(second, t.minimum(first, bid))), None

    (_, price), _ = t.scan(step, (t.constant(0, t.u16), t.constant(0, t.u16)), bids)
    t.output("price", price, a, b)
    t.output("winner", bids.argmax(), a, b)


def test_auction() -> None:
    random_ = random.Random(7)
    xs, ys = (random_.sample(range(1 << 16), 4) for _ in range(2))
    bids = [*xs, *ys]
    wanted = {"price": sorted(bids)[-2], "winner": bids.index(max(bids))}
    assert agree(vickrey, a={"bids": xs}, b={"bids": ys})["a"] == wanted


ADDER = """3 7
2 2 2
1 3

2 1 0 2 4 XOR
2 1 0 2 5 AND
2 1 1 3 6 XOR
1 1 4 7 EQW
"""

FULL = """7 11
2 2 2
1 3

2 1 0 2 8 XOR
2 1 0 2 4 AND
2 1 1 3 5 XOR
2 1 1 3 6 AND
2 1 5 4 7 AND
2 1 5 4 9 XOR
2 1 7 6 10 XOR
"""


def test_circuit_files(tmp_path: Path) -> None:
    path = tmp_path / "adder.txt"
    path.write_text(FULL)

    @t.function
    def added(a: t.Role, b: t.Role) -> None:
        adder = t.circuit(path)
        x, y = a.input("x", t.uint(2)[4]), b.input("y", t.uint(2))
        t.output("sums", adder(x, y), a, b)
        t.output("one", adder(x[0], 1) + 1, a, b)

    outputs = agree(added, a={"x": [0, 1, 2, 3]}, b={"y": 3})
    assert outputs["a"] == {"sums": [3, 4, 5, 6], "one": 2}

    @t.function
    def wide(a: t.Role, b: t.Role) -> None:
        t.output("x", t.circuit(path)(a.input("x", t.u8), 1), b)

    with pytest.raises(t.KindError, match="2 bits"):
        wide.trace()
    with pytest.raises(t.UsageError, match="none"):
        t.circuit(tmp_path / "none.txt")
    path.write_text("nonsense")
    with pytest.raises(t.ProgramError, match="adder"):
        t.circuit(path)


C = """
#include <stdint.h>
void distance(void)
{
    int32_t INPUT_A_x[3], INPUT_B_y[3];
    uint32_t INPUT_B_scale;
    uint32_t OUTPUT_d = 0, OUTPUT_near;
    for (int i = 0; i < 3; i++)
        OUTPUT_d += (uint32_t)((INPUT_A_x[i] - INPUT_B_y[i]) * (INPUT_A_x[i] - INPUT_B_y[i]));
    OUTPUT_near = OUTPUT_d * INPUT_B_scale < 100;
}
"""


def test_functions_in_c(tmp_path: Path) -> None:
    path = tmp_path / "distance.c"
    path.write_text(C)
    distance = t.c_function(path)

    @t.function
    def measured(a: t.Role, b: t.Role) -> None:
        x, y = a.input("x", t.i16[3]), b.input("y", t.i16[3])
        found = distance(x=x, y=y, scale=2)
        again = distance(x=y, y=[0, 0, 0], scale=1)
        t.output("d", found["d"] + again["d"], a, b)
        t.output("near", found["near"], a, b)

    x, y = [1, 2, 3], [4, 0, -2]
    first, second = sum((p - q) ** 2 for p, q in zip(x, y, strict=True)), sum(q * q for q in y)
    assert agree(measured, a={"x": x}, b={"y": y})["a"] == {"d": first + second, "near": int(first * 2 < 100)}
    with pytest.raises(t.ProgramError, match="scale"):
        t.function(lambda a, b: b.output("d", distance(x=a.input("x", t.i16[3]))["d"])).trace()


FLOATS = """
double INPUT_A_x[3];
float INPUT_B_scale;
double OUTPUT_y[3];
float OUTPUT_first;
void scaled(void) {
    for (int i = 0; i < 3; i++)
        OUTPUT_y[i] = INPUT_A_x[i] * INPUT_B_scale;
    OUTPUT_first = (float)INPUT_A_x[0];
}
"""


def test_floats_in_c(tmp_path: Path) -> None:
    path = tmp_path / "scaled.c"
    path.write_text(FLOATS)
    function = t.c_function(path)

    @t.function
    def scaled(a: t.Role, b: t.Role) -> None:
        x, scale = a.input("x", t.float64[3]), b.input("scale", t.float32)
        found = function(x=x, scale=scale)
        a.output("y", found["y"])
        a.output("first", found["first"])

    x = np.array([0.1, -np.inf, 5e-324])
    outputs = agree(scaled, a={"x": x}, b={"scale": np.float32(0.1)})["a"]
    expected = x * np.float64(np.float32(0.1))
    assert np.array(outputs["y"]).tobytes() == expected.tobytes()
    assert outputs["first"] == np.float32(0.1)
    nan = scaled(a={"x": [np.nan, 1, 2]}, b={"scale": 1})["a"]
    assert np.isnan(nan["y"][0])
    assert nan["y"][1:] == [1.0, 2.0]
