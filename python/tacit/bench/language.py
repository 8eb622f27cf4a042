"""Measures the language; prints a JSON row for each figure. Run by `make bench-language`.

Each figure is the fastest of three, in one interpreter but for the last, which takes a new one each time.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import tacit as t

REPEATS = 3
SCALARS = 1_000_000
ROWS = 100_000
LAYERS = (784, 128, 10)
"""Neurons of each layer of the network that is planned."""

COMPARISON = """
import time
start = time.perf_counter()
import tacit as t

@t.function
def less(a, b):
    t.output("less", a.input("x", t.u32) < b.input("y", t.u32), a, b)

outputs = less.run(a={"x": 5}, b={"y": 7})
assert outputs == {"a": {"less": True}, "b": {"less": True}}, outputs
print(time.perf_counter() - start)
"""
"""From `import tacit` to the answer of both parties."""


@t.function
def scalars(a: t.Role, b: t.Role, count: int = SCALARS) -> None:
    """A chain of sums, products and complements of single numbers."""
    x, state = t.wrapping(a.input("x", t.u32)), t.wrapping(b.input("y", t.u32))
    for _ in range(count // 4):
        state = ~((state + x) * state ^ x)
    b.output("z", state)


@t.function
def closest(server: t.Role, client: t.Role, n: int = 512, d: int = 4) -> None:
    """Which of `n` points is the closest to another."""
    db = server.input("db", t.u32[n, d])
    q = client.input("query", t.u32[d])
    client.output("index", ((db - q) ** 2).sum(axis=1).argmin())


@t.function
def network(model: t.Role, client: t.Role) -> None:
    """Which digit is in a picture, by a network with one hidden layer, in fixed point."""
    pixels, hidden, digits = LAYERS
    kind = t.fixed(8, 16)
    first, second = model.input("first", kind[pixels, hidden]), model.input("second", kind[hidden, digits])
    picture = client.input("picture", kind[pixels])
    inner = t.maximum(picture @ first + model.input("bias", kind[hidden]), 0).astype(kind)
    client.output("digit", (inner @ second + model.input("last", kind[digits])).argmax())


def some(draw: random.Random, *shape: int) -> Any:
    """Numbers between -1 and 1."""
    return [some(draw, *shape[1:]) for _ in range(shape[0])] if shape else draw.uniform(-1, 1)


def network_inputs(draw: random.Random) -> dict[str, dict[str, Any]]:
    """Weights of the network and a picture, by role."""
    pixels, hidden, digits = LAYERS
    model = {
        "first": some(draw, pixels, hidden),
        "second": some(draw, hidden, digits),
        "bias": some(draw, hidden),
        "last": some(draw, digits),
    }
    return {"model": model, "client": {"picture": some(draw, pixels)}}


def _trace_scalars() -> None:
    scalars.forget()
    program = scalars.trace().program
    assert len(program.hash) == 64


def _plan_closest() -> None:
    closest.forget()
    assert "AND" in closest.trace(n=ROWS).plan()


def _plan_network() -> None:
    assert "AND" in network.trace().plan(domain="auto")


def _infer(net: str | None) -> float:
    """One picture, from numbers to the digit: two processes begin, plan, set up, and compute over TLS."""
    given = network_inputs(random.Random())
    start = time.perf_counter()
    network.forget()
    outputs = network.using(domain="arith", net=net, planned_link=net).local(**given)
    assert 0 <= outputs["client"]["digit"] < LAYERS[-1]
    return time.perf_counter() - start


def compare() -> float:
    """Seconds of a comparison in a new interpreter, from its import to the answer of both parties."""
    finished = subprocess.run(
        [sys.executable, "-c", COMPARISON], capture_output=True, text=True, check=True, timeout=60
    )
    return float(finished.stdout)


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(name: str, seconds: list[float]) -> None:
    sys.stdout.write(json.dumps({"name": name, "value": min(seconds), "unit": "s"}) + "\n")


def main() -> None:
    """Measures everything."""
    _row("tracing 10^6 scalar operations", [_seconds(_trace_scalars) for _ in range(REPEATS)])
    _row("tracing and planning closest, n = 100000", [_seconds(_plan_closest) for _ in range(REPEATS)])
    network.trace()
    _row("planning a network of 784, 128 and 10, auto", [_seconds(_plan_network) for _ in range(REPEATS)])
    for name, net in (("loopback", None), ("100 Mbit/s and 20 ms", "100mbit,20ms")):
        _row(f"one picture through that network, arith, {name}", [_infer(net) for _ in range(REPEATS)])
    _row("import to answer of a comparison", [compare() for _ in range(REPEATS)])


if __name__ == "__main__":
    main()
