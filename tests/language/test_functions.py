"""Functions between roles: the ways to run them, their inputs and outputs, and what they refuse."""

from __future__ import annotations

import array
import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from computing import compute

import tacit as t
from conftest import Parties, Tacit


@t.function
def closest(server: t.Role, client: t.Role, n: int = 4, d: int = 2) -> None:
    db = server.input("db", t.u32[n, d])
    q = client.input("query", t.u32[d])
    dist = ((db - q) ** 2).sum(axis=1)
    client.output("index", dist.argmin())


DB = [[0, 0], [10, 10], [20, 5], [7, 9]]
SERVER, CLIENT = {"db": DB}, {"query": [8, 8]}
WANTED = {"server": {}, "client": {"index": 3}}


def test_in_the_clear_and_in_one_process() -> None:
    clear = closest(server=SERVER, client=CLIENT)
    assert clear == WANTED
    assert clear["client"]["index"] == 3
    assert clear.reports == {}
    for mode in (None, "streamed", "precomputed"):
        run = closest.using(mode=mode).run(server=SERVER, client=CLIENT)
        assert run == WANTED
        assert set(run.reports) == {"server", "client"}
        assert run.reports["client"]["phases"][2]["phase"] == "online"
    run = closest.using(garbling="three-halves").run(server=SERVER, client=CLIENT)
    assert run == WANTED
    assert run.reports["client"]["garbling"] == "three-halves"


@t.function
def lesser(a: t.Role, b: t.Role) -> None:
    x, y = t.bool_(a.input("x", t.u32[1000])), t.bool_(b.input("y", t.u32[1000]))
    t.output("lesser", t.where(x < y, x, y), a, b)


def test_plans_are_made_for_a_link() -> None:
    given: dict[str, Any] = {"a": {"x": list(range(1000))}, "b": {"y": [500] * 1000}}
    wanted = lesser(**given)
    rounds = []
    for link in ("lan", None, "100mbit,50ms"):
        run = lesser.using(planned_link=link).run(**given)
        assert run == wanted
        assert len({report["plan_hash"] for report in run.reports.values()}) == 1
        rounds.append(run.reports["a"]["phases"][2]["rounds"])
    assert rounds[0] >= rounds[1] >= rounds[2] < rounds[0]
    assert "250 Mbit/s, 5 ms one way" in lesser.trace().plan()
    assert "100 Mbit/s, 50 ms one way" in lesser.trace().plan(planned_link="wan")
    with pytest.raises(t.UsageError, match=r"planned_link: expected lan, wan, mobile .* found \"far\""):
        lesser.trace().plan(planned_link="far")


def test_as_processes() -> None:
    assert closest.local(server=SERVER, client=CLIENT) == WANTED


def test_static_parameters() -> None:
    assert closest(server={"db": [[5], [9]]}, client={"query": [8]}, n=2, d=1)["client"] == {"index": 1}
    assert closest.trace(n=2) is closest.trace(n=2, d=2)
    assert closest.trace(n=2).program.hash != closest.trace(n=3).program.hash
    assert closest.trace(n=2).program.name == "closest(n=2, d=2)"
    with pytest.raises(t.UsageError, match="size"):
        closest.trace(size=2)

    @t.function
    def needs(a: t.Role, b: t.Role, *, n: int) -> None:
        b.output("x", a.input("x", t.u8[n]))

    assert needs(a={"x": [1, 2]}, n=2)["b"] == {"x": [1, 2]}
    with pytest.raises(t.UsageError, match="n has no value"):
        needs(a={"x": [1, 2]})


def test_functions_are_parts_of_functions() -> None:
    @t.function
    def share(a: t.Role, b: t.Role, bits: int = 8) -> t.Array:
        total: t.Array = a.input("x", t.uint(bits)) + b.input("x", t.uint(bits))
        return total

    @t.function
    def twice(a: t.Role, b: t.Role) -> None:
        t.output("sum", share(a, b, bits=16) * 2, a, b)

    assert twice.run(a={"x": 60000}, b={"x": 7}) == {"a": {"sum": 120014}, "b": {"sum": 120014}}


async def _run_inside() -> t.Outputs:
    return await closest.run(server=SERVER, client=CLIENT)


def test_within_coroutines() -> None:
    assert asyncio.run(_run_inside()) == WANTED

    async def fails() -> None:
        with pytest.raises(t.InputError, match="query"):
            await closest.run(server=SERVER, client={})

    asyncio.run(fails())


def test_a_session(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties(extra='[role.server]\nparty = "A"\n[role.client]\nparty = "B"\n')
    session = tacit.folder / "s.toml"
    for name in "AB":
        assert (tacit.folder / f"{name}.key").is_file()

    async def both() -> tuple[t.Outputs, t.Outputs]:
        server = closest.connect(session, role="server").run(server=SERVER)
        client = closest.connect(session, role="client", key=tacit.folder / "B.key").run(client=CLIENT)
        return await server, await client

    server, client = asyncio.run(both())
    assert server == {"server": {}}
    assert client == {"client": {"index": 3}}
    assert list(client.reports) == ["B"]
    with pytest.raises(t.UsageError, match="server, not of client"):
        closest.connect(session, role="server").run(client=CLIENT)
    with pytest.raises(t.UsageError, match="nobody"):
        closest.connect(session, role="nobody")


def test_parties_with_different_parameters(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties(timeout_s=20, extra='[role.server]\nparty = "A"\n[role.client]\nparty = "B"\n')
    session = tacit.folder / "s.toml"

    async def both() -> list[Any]:
        server = closest.connect(session, role="server", n=2).run(server={"db": DB[:2]})
        client = closest.connect(session, role="client", n=3).run(client=CLIENT)

        async def waited(outputs: t.Outputs) -> t.Outputs:
            return await outputs

        return list(await asyncio.gather(waited(server), waited(client), return_exceptions=True))

    errors = asyncio.run(both())
    assert all(isinstance(error, t.PeerError) for error in errors), errors
    assert any("n=2" in str(error) and "n=3" in str(error) for error in errors), errors


def test_parties_with_different_planned_links(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties(timeout_s=20, extra='[role.server]\nparty = "A"\n[role.client]\nparty = "B"\n')
    session = tacit.folder / "s.toml"

    async def run(role: str, link: str, **given: Any) -> t.Outputs:
        return await closest.connect(session, role=role, planned_link=link).run(**given)

    async def both(links: list[str]) -> list[Any]:
        server, client = run("server", links[0], server=SERVER), run("client", links[1], client=CLIENT)
        return list(await asyncio.gather(server, client, return_exceptions=True))

    assert asyncio.run(both(["wan", "100mbit,50ms"])) == [{"server": {}}, {"client": {"index": 3}}]
    for error in asyncio.run(both(["lan", "wan"])):
        assert isinstance(error, t.PeerError), error
        assert "planned link" in str(error)


APP = """
import tacit as t

@t.function
def closest(server, client, n: int = 4, d: int = 2):
    db = server.input("db", t.u32[n, d])
    q = client.input("query", t.u32[d])
    client.output("index", ((db - q) ** 2).sum(axis=1).argmin())

@t.function
def half(a, b):
    t.output("half", a.input("x", t.fixed(8, 4)) / 2, a, b)

@t.function
def wrong(a, b):
    x = a.input("x", t.u8)
    if x > 3:
        b.output("x", x)
"""


def test_the_command_line(tacit: Tacit, parties: Callable[..., Parties]) -> None:
    tacit.write("app.py", APP)
    given = [f"--input=server={json.dumps(SERVER)}", f"--input=client={json.dumps(CLIENT)}"]
    assert tacit("run", "app.py:closest", "--clear", *given).outputs == {"index": 3}
    assert tacit("run", "app.py:closest", "--local", *given).outputs == {"index": 3}
    small = [f"--input=server={json.dumps({'db': DB[:2]})}", "--param", "n=2", given[1]]
    assert tacit("run", "app.py:closest", "--clear", *small).outputs == {"index": 1}
    assert tacit("run", "app.py:half", "--clear", '--input=a={"x": 3.5}').outputs == {"half": 1.75}
    assert tacit("compile", "app.py:closest", "--stats").outputs["and_count"] > 0
    made = parties(extra='[role.server]\nparty = "A"\n[role.client]\nparty = "B"\n')
    first, second = made.run("app.py:closest", json.dumps(SERVER), json.dumps(CLIENT))
    assert (first.outputs, second.outputs) == ({}, {"index": 3})


def test_the_command_line_refuses(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    tacit.write("broken.py", "import nothing_of_this_name\n")
    tacit("run", "app.py:absent", "--clear").failed(2, "absent")
    tacit("run", "app.py", "--clear").failed(2, "app.py:FUNCTION")
    tacit("run", "none.py:closest", "--clear").failed(2, "none.py")
    tacit("run", "broken.py:closest", "--clear").failed(2, "broken.py", "nothing_of_this_name")
    tacit("run", "app.py:wrong", "--clear", '--input=a={"x": 1}').failed(3, "app.py:17", "t.where")
    tacit("run", "app.py:closest", "--clear", "--param", "m=2").failed(2, "m")
    tacit("run", "app.py:closest", "--clear", "--param", "n").failed(2, "NAME=VALUE")
    tacit("run", "app.py:closest", "--clear", "--param", "n=2,3").failed(2, "one value")
    tacit("run", "app.py:closest", "--clear", f"--input=server={json.dumps(SERVER)}").failed(4, "query")


@t.function
def total(a: t.Role, b: t.Role, n: int = 3) -> None:
    x, y = a.input("x", t.i16[n]), b.input("y", t.fixed(8, 4))
    flags = b.input("flags", t.bool[n])
    a.output("total", t.where(flags, x, 0).sum())
    b.output("y", y * 2)


GOOD: dict[str, Any] = {"a": {"x": [1, -2, 3]}, "b": {"y": 1.5, "flags": [True, False, True]}}


def test_inputs_of_many_sorts(tmp_path: Path) -> None:
    wanted = {"a": {"total": 4}, "b": {"y": 3.0}}
    (tmp_path / "x.csv").write_text("1\n-2\n3\n")
    (tmp_path / "x.json").write_text("[1, -2, 3]")
    (tmp_path / "a.csv").write_text("x\n1\n-2\n3\n")
    (tmp_path / "a.json").write_text('{"x": [1, -2, 3]}')
    assert total(**GOOD) == wanted
    for x in ((1, -2, 3), array.array("h", [1, -2, 3]), tmp_path / "x.csv", tmp_path / "x.json"):
        assert total(a={"x": x}, b=GOOD["b"]) == wanted
    for given in (tmp_path / "a.csv", tmp_path / "a.json", str(tmp_path / "a.json")):
        assert total(a=given, b=GOOD["b"]) == wanted
    assert total(a=GOOD["a"], b={"y": 1.5, "flags": [1, 0, 1]}) == wanted
    assert total(a=GOOD["a"], b={"y": 1, "flags": [1, 0, 1]})["b"] == {"y": 2.0}


def test_inputs_from_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    a = {"x": numpy.array([1, -2, 3], dtype=numpy.int8)}
    b = {"y": numpy.float32(1.5), "flags": numpy.array([True, False, True])}
    assert total(a=a, b=b) == {"a": {"total": 4}, "b": {"y": 3.0}}
    assert total(a={"x": [numpy.int64(1), -2, numpy.uint8(3)]}, b=b)["a"] == {"total": 4}
    with pytest.raises(t.InputError, match="nan"):
        total(a=a, b={**b, "y": numpy.float64("nan")})


def test_numpy_beside_secrets() -> None:
    numpy = pytest.importorskip("numpy")
    public = numpy.array([[1, -2, 3], [4, 5, 600]])

    def body(x: t.Array) -> tuple[t.Array, ...]:
        return public + x, x - public[0], public @ x, numpy.int64(7) * x, x[public[0, 2:] - 1], x < public

    results = compute(body, (t.u8[3], [1, 2, 255]))
    x = numpy.array([1, 2, 255])
    wanted = [public + x, x - public[0], public @ x, 7 * x, x[[2]], x < public]
    assert results == [array.tolist() for array in wanted]


@pytest.mark.parametrize(
    ("role", "name", "value", "words"),
    [
        ("a", "x", [1, 2], ["x", "2 elements", "3"]),
        ("a", "x", [1, 2, 40000], ["x[2]", "40000"]),
        ("a", "x", [1, 2, 1.5], ["x[2]", "1.5"]),
        ("a", "x", [1, 2, float("nan")], ["x[2]", "nan"]),
        ("a", "x", [1, 2, "3"], ["x[2]"]),
        ("a", "x", [1, 2, None], ["x[2]"]),
        ("a", "x", 7, ["x", "list"]),
        ("a", "x", [[1, 2, 3]], ["x"]),
        ("a", "z", 1, ["a.z", "unknown"]),
        ("b", "y", float("nan"), ["b.y", "nan"]),
        ("b", "y", float("inf"), ["b.y", "inf"]),
        ("b", "y", 128, ["y", "does not fit"]),
        ("b", "y", "1", ["b.y"]),
        ("b", "flags", [1, 0, 2], ["flags[2]"]),
    ],
)
def test_bad_inputs(role: str, name: str, value: Any, words: list[str]) -> None:
    given = {**GOOD, role: {**GOOD[role], name: value}}
    for way in (total, total.run):
        with pytest.raises(t.InputError) as caught:
            way(**given)
        for word in words:
            assert word in str(caught.value)


def test_inputs_never_given() -> None:
    with pytest.raises(t.InputError, match=r"role b.*flags is missing"):
        total(a=GOOD["a"], b={"y": 1})
    with pytest.raises(t.InputError, match=r"role a.*x is missing"):
        total(b=GOOD["b"])
    with pytest.raises(t.UsageError, match="no role or parameter c"):
        total(**GOOD, c={})
    with pytest.raises(t.InputError, match="mapping"):
        total(a=[1, 2, 3], b=GOOD["b"])


def program_error(body: Callable[..., Any]) -> str:
    with pytest.raises(t.ProgramError) as caught:
        t.function(body).trace()
    return str(caught.value)


def test_outputs_to_nobody() -> None:
    assert "the program has no outputs" in program_error(lambda a, b: None)
    assert "nobody receives the output x" in program_error(lambda a, b: t.output("x", a.input("x", t.u8)))
    assert "role.output" in program_error(lambda a, b: a.input("x", t.u8))


def test_names_twice() -> None:
    def inputs(a: t.Role, b: t.Role) -> None:
        b.output("x", a.input("x", t.u8) + a.input("x", t.u8))

    def outputs(a: t.Role, b: t.Role) -> None:
        b.output("x", a.input("x", t.u8))
        b.output("x", 1)

    assert "`x`" in program_error(inputs)
    assert "`x`" in program_error(outputs)


def test_what_is_no_function() -> None:
    with pytest.raises(t.ProgramError, match="no roles"):
        t.function(lambda: None)
    with pytest.raises(t.ProgramError, match="mode"):
        t.function(lambda a, mode=1: None)
    with pytest.raises(t.ProgramError, match="more"):
        t.function(lambda a, *more: None)
    with pytest.raises(t.ProgramError, match="u32"):
        t.function(lambda a: a.output("y", a.input("x", int))).trace()
    with pytest.raises(t.ProgramError, match="no program is being written"):
        t.constant(5)


def test_values_of_another_program() -> None:
    kept: list[t.Array] = []

    def keeps(a: t.Role) -> None:
        kept.append(a.input("x", t.u8))
        a.output("y", kept[0])

    t.function(keeps).trace()
    assert "cannot be combined" in program_error(lambda a: a.output("y", a.input("x", t.u8) + kept[0]))
    with pytest.raises(t.ProgramError, match="finished"):
        kept[0] + 1
