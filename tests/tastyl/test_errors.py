"""What is wrong with a protocol is said in words that tell what to write."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import Tacit
from tacit.tastyl import (
    FileCircuit,
    Garbled,
    GarbledCircuit,
    GarbledVec,
    Modular,
    Protocol,
    Signed,
    Unsigned,
    UnsignedVec,
)


def given(client: Any, server: Any) -> None:
    """Binds values to go wrong with."""
    client.x = Unsigned(bitlen=8).input()
    client.v = UnsignedVec(bitlen=8, dim=3).input()
    server.y = Signed(bitlen=8).input()
    client.gx = Garbled(val=client.x)
    client.gv = GarbledVec(val=client.v)
    server.gy = Garbled(val=server.y)


def assign(party: Any, name: str, value: Any) -> bool:
    setattr(party, name, value)
    return True


def send(party: Any, name: str, value: Any) -> bool:
    target = getattr(party, name)
    target <<= value
    return assign(party, name, target)


def declared(party: Any, name: str, kind: Any, value: Any) -> bool:
    return assign(party, name, kind) and send(party, name, value)


def item(vector: Any, place: Any, value: Any) -> bool:
    vector[place] = value
    return True


Wrong = Callable[[Any, Any], object]

CASES: list[tuple[str, Wrong, list[str]]] = [
    ("unknown attribute", lambda c, s: c.z + 1, ["client.z is unknown", "client.z = Unsigned(", "<<="]),
    ("unknown in a condition", lambda c, s: bool(c.z), ["client.z is unknown"]),
    ("unknown sent", lambda c, s: send(s, "q", c.z), ["s of the other party", "server.q"]),
    ("unknown method", lambda c, s: c.z.dot(1), ["client.z is unknown"]),
    (
        "assigned without sending",
        lambda c, s: assign(c, "q", s.gy),
        ["server.gy is at server", "client.q <<= server.gy"],
    ),
    (
        "sent to itself",
        lambda c, s: send(c, "q", c.gx),
        ["client.gx is at client already", "client.q = client.gx"],
    ),
    (
        "sent without conversion",
        lambda c, s: declared(c, "q", Unsigned(bitlen=8), s.gy),
        ["client.q is declared as Unsigned", "Unsigned(val="],
    ),
    ("sent, a number", lambda c, s: send(c, "q", 5), ["client.q <<= 5"]),
    (
        "sent, no value",
        lambda c, s: (assign(s, "q", Unsigned(bitlen=3)), send(c, "q", s.q)),
        ["server.q has no value yet"],
    ),
    (
        "a constant as attribute",
        lambda c, s: assign(c, "N", 4),
        ["client.N = 4", "ordinary variables", "Unsigned(val="],
    ),
    ("an attribute of its own", lambda c, s: assign(c, "output", c.x), ["client.output"]),
    (
        "two parties",
        lambda c, s: c.gx + s.gy,
        ["client.gx is at client", "server.gy at server", "client.gy <<= server.gy"],
    ),
    ("two parties, plain", lambda c, s: c.x + s.y, ["client.x is at client", "client.y <<= server.y"]),
    ("garbled output", lambda c, s: c.gx.output(), ["client.gx is garbled", "Unsigned(val=client.gx)"]),
    ("garbled output of a party", lambda c, s: c.output(c.gv), ["UnsignedVec(val=client.gv)"]),
    ("garbled condition", lambda c, s: bool(c.gx > 3), ["garbled", "mux"]),
    ("plain as an index", lambda c, s: [1, 2][c.x], ["client.x is known to no more than one party"]),
    ("plain as a number", lambda c, s: int(c.x), ["client.x"]),
    (
        "a sign dropped",
        lambda c, s: Unsigned(val=s.gy),
        ["server.gy has a sign", "Signed(val=", "force_signed=False"],
    ),
    (
        "bits dropped",
        lambda c, s: Garbled(val=c.gx, bitlen=4),
        ["client.gx has 8 bits", "bitlen=4", "force_bitlen=4"],
    ),
    (
        "bits dropped, plain",
        lambda c, s: Unsigned(val=c.x, bitlen=4),
        ["client.x has 8 bits", "force_bitlen=4"],
    ),
    ("constant too wide", lambda c, s: Unsigned(val=300, bitlen=8), ["300", "Unsigned(bitlen=8)"]),
    ("constant too wide, forced", lambda c, s: Unsigned(val=300, force_bitlen=8), ["300"]),
    ("constant below zero", lambda c, s: Unsigned(val=-1), ["-1 is negative", "Signed(val="]),
    ("width of nothing", lambda c, s: Unsigned(bitlen=0), ["bitlen=0"]),
    ("dimension of a number", lambda c, s: Unsigned(bitlen=8, dim=3), ["UnsignedVec"]),
    ("dimension of nothing", lambda c, s: UnsignedVec(bitlen=8, dim=0), ["dim=0"]),
    ("no width", lambda c, s: Unsigned().input(), ["bitlen=", "Unsigned(bitlen=32)"]),
    ("a vector as a number", lambda c, s: Garbled(val=c.v), ["client.v is a vector", "GarbledVec(val="]),
    (
        "a number as a vector",
        lambda c, s: GarbledVec(val=c.x),
        ["client.x is a single number", "Garbled(val="],
    ),
    ("another dimension", lambda c, s: GarbledVec(val=c.v, dim=4), ["client.v", "[3]", "[4]"]),
    ("vectors of two lengths", lambda c, s: c.gv.dot(GarbledVec(val=[1, 2])), ["3", "2"]),
    ("no such element", lambda c, s: c.gv[7], ["7"]),
    ("no such bit", lambda c, s: c.gx[8], ["client.gx has the bits 0 to 7"]),
    ("no such place", lambda c, s: item(c.gv, 3, c.gx), ["client.gv[3]", "0 to 2"]),
    (
        "plain into garbled",
        lambda c, s: item(c.gv, 0, c.x),
        ["client.gv[0] is garbled", "Garbled(val=client.x)"],
    ),
    (
        "element of the other",
        lambda c, s: item(c.gv, 0, s.gy),
        ["server.gy is at server", "client.gv[0] <<="],
    ),
    ("element of a plain vector", lambda c, s: item(c.v, 0, c.x), ["client.v[0]", "UnsignedVec(val=[…])"]),
    (
        "an element missing",
        lambda c, s: (assign(c, "q", GarbledVec(dim=2)), item(c.q, 0, c.gx), c.q.sum()),
        ["client.q[1] has no value yet"],
    ),
    (
        "no value",
        lambda c, s: (assign(c, "q", Garbled(bitlen=4)), c.q + 1),
        ["client.q has no value yet", "Garbled(val=…)"],
    ),
    (
        "no value, plain",
        lambda c, s: (assign(c, "q", Unsigned(bitlen=4)), c.q + 1),
        ["client.q has no value yet", ".input()"],
    ),
    ("mux by many bits", lambda c, s: c.gx.mux(1, 2), ["client.gx has 8 bits", "one bit"]),
    (
        "bits that are none",
        lambda c, s: Garbled(val=[c.gx, c.gx]),
        ["client.gx is not a bit", "GarbledVec(val=[…])"],
    ),
    ("text garbled", lambda c, s: Garbled(val="x"), ["Garbled(val='x')"]),
    (
        "asked twice",
        lambda c, s: (
            assign(c, "p", Unsigned(bitlen=2).input(src=1, desc="q")),
            assign(c, "q", Unsigned(bitlen=2).input()),
        ),
        ["client is asked for q twice", "desc="],
    ),
    ("asked again", lambda c, s: c.x.input(), ["client.x already has a value"]),
    (
        "Modular garbled",
        lambda c, s: (assign(c, "m", Modular(modulus=7).input()), Garbled(val=c.m)),
        ["client.m is Modular"],
    ),
]


@pytest.mark.parametrize(("wrong", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_mistakes(wrong: Wrong, words: list[str]) -> None:
    def protocol(client: Any, server: Any) -> None:
        given(client, server)
        wrong(client, server)
        client.x.output()

    with pytest.raises(t.TacitError) as caught:
        Protocol(protocol).trace()
    for word in words:
        assert word in str(caught.value)


def test_conditions_may_not_change_what_is_garbled() -> None:
    def grows(client: Any, server: Any) -> None:
        given(client, server)
        if client.x > 3:
            client.gx = client.gx + 1
        client.out = Unsigned(val=client.gx)
        client.out.output()

    with pytest.raises(t.ProgramError, match="use mux"):
        Protocol(grows).trace()

    def only_in_between(client: Any, server: Any) -> None:
        given(client, server)
        if client.x > 3:
            if client.x < 5:
                client.gx = client.gx + 1
        elif client.x == 3:
            client.gx = client.gx + 2
        client.out = Unsigned(val=client.gx)
        client.out.output()

    made = Protocol(only_in_between)
    with pytest.raises(t.ProgramError, match="use mux"):
        made.run(client={"x": 3, "v": [0, 0, 0]}, server={"y": 0})


def test_conditions_of_one_party_may_not_change_what_the_other_does() -> None:
    def told(client: Any, server: Any) -> None:
        given(client, server)
        if client.x == 3:
            server.output("three")
        client.x.output()

    def chosen(client: Any, server: Any) -> None:
        given(client, server)
        server.a = Unsigned(val=1)
        if client.x == 3:
            server.q = server.y + 1
        else:
            server.q = server.y + 2
        client.out <<= Signed(val=Garbled(val=server.q))
        client.out.output()

    def late(client: Any, server: Any) -> None:
        given(client, server)
        client.opened = Unsigned(val=client.gx)
        if client.opened == 3:
            client.q = client.v[0] + 1
        else:
            client.q = client.v[1] + 1
        server.out <<= Unsigned(val=Garbled(val=client.q))
        server.out.output()

    for body in (told, chosen, late):
        for x in (3, 4):
            with pytest.raises(t.ProgramError, match="use mux"):
                Protocol(body).run(client={"x": x, "v": [1, 2, 3]}, server={"y": 5})


def test_loops_have_to_end() -> None:
    def protocol(client: Any, server: Any) -> None:
        given(client, server)
        client.out = Unsigned(val=client.gx)
        while client.out != 3:
            pass

    with pytest.raises(t.ProgramError, match="loops have to end"):
        Protocol(protocol).trace()


def echo(client: Any, server: Any) -> None:
    client.x = Unsigned(bitlen=4).input()
    client.v = UnsignedVec(bitlen=4, dim=2).input(src=object(), desc="numbers")
    client.low = Unsigned(val=client.x, force_bitlen=2)
    client.g = Garbled(val=client.low)
    client.out = Unsigned(val=client.g)
    client.out.output()


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"numbers": [1, 2]}, ["client.x is missing", "--input client=", "client_inputs"]),
        ({"x": 1}, ["client.numbers is missing"]),
        ({"x": 16, "numbers": [1, 2]}, ["client.x", "16", "0 to 15"]),
        ({"x": -1, "numbers": [1, 2]}, ["client.x", "-1"]),
        ({"x": [1], "numbers": [1, 2]}, ["client.x", "integer"]),
        ({"x": 1, "numbers": [1, 2, 3]}, ["client.numbers", "list of 2"]),
        ({"x": 1, "numbers": [1, 77]}, ["client.numbers[1]", "77"]),
        ({"x": 1, "numbers": [1, 2], "z": 1}, ["client.z is unknown"]),
        ({"x": 4, "numbers": [1, 2]}, ["client.x (force_bitlen)", "4 does not fit"]),
    ],
)
def test_inputs(inputs: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(t.InputError) as caught:
        Protocol(echo).run(client=inputs)
    for word in words:
        assert word in str(caught.value)


def test_division_by_zero() -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Unsigned(bitlen=4).input()
        client.q = 7 // client.x
        client.q.output()

    with pytest.raises(t.InputError, match="division by zero"):
        Protocol(protocol).run(client={"x": 0})


def test_forms_of_protocols() -> None:
    def alone(client: Any) -> None:
        client.x = Unsigned(val=1)

    with pytest.raises(t.ProgramError, match=r"alone\(client, server\)"):
        Protocol(alone)

    def silent(client: Any, server: Any) -> None:
        given(client, server)

    with pytest.raises(t.ProgramError, match=r"outputs nothing; end with client\.x\.output"):
        Protocol(silent).trace()

    def returns(client: Any, server: Any) -> Any:
        given(client, server)
        return client.x

    with pytest.raises(t.ProgramError, match="returns a value"):
        Protocol(returns).trace()
    with pytest.raises(t.UsageError, match="takes no parameters"):
        Protocol(echo).trace(n=3)
    with pytest.raises(t.InputError, match="no party carol"):
        Protocol(echo).trace().encode({"carol": {}})
    with pytest.raises(t.ProgramError, match=r"belong into a protocol"):
        Unsigned(val=3)


def test_file_circuits(tmp_path: Path) -> None:
    path = tmp_path / "and.txt"
    path.write_text("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n")
    circuit = FileCircuit(path)
    with pytest.raises(t.ProgramError, match="has no x; it has in0, in1"):
        GarbledCircuit(circuit, ["x"])
    with pytest.raises(t.ProgramError, match="needs a value for its input in1"):
        GarbledCircuit(circuit, ["in0"])

    def protocol(client: Any, server: Any) -> None:
        given(client, server)
        GarbledCircuit(circuit)([client.gx])

    with pytest.raises(t.ProgramError, match="takes in0, in1; 1 values are given"):
        Protocol(protocol).trace()


PROGRAM = """\
from tacit.tastyl import *


def protocol(client, server):
    client.x = Unsigned(bitlen=8).input(desc="a number")
    client.y = client.z + 1
"""


def test_on_the_command_line(tacit: Tacit) -> None:
    tacit.write("p.py", PROGRAM)
    tacit("run", "p.py", "--clear").failed(3, "p.py:6", "client.z is unknown")
    tacit.write("p.py", PROGRAM.replace("client.z", "client.x") + "    client.y.output()\n")
    tacit("run", "p.py", "--clear").failed(4, "client.x is missing", "--input client=")
    tacit("run", "p.py", "--clear", "--param", "n=1").failed(2, "takes no parameters")
    assert tacit("run", "p.py", "--clear", "--input", 'client={"x": 4}').outputs == {"y": 5}
    assert tacit("run", "p.py:protocol", "--clear", "--input", 'client={"x": 4}').outputs == {"y": 5}
    tacit.write("q.py", "def protocol(client, server):\n    pass\n")
    tacit("run", "q.py", "--clear").failed(2, "q.py:FUNCTION", "tacit.tastyl")


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def test_missing_inputs_are_asked_for_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def protocol(client: Any, server: Any) -> None:
        client.x = Signed(bitlen=8).input(desc="a number")
        client.v = UnsignedVec(bitlen=8, dim=2).input()
        client.sum = client.x + client.v.sum()
        client.sum.output()

    monkeypatch.setattr("sys.stdin", Terminal("-5\n7, 8\n"))
    assert Protocol(protocol)()["client"] == {"sum": 10}
    asked = capsys.readouterr().err
    assert asked == "a number (Signed(bitlen=8)): client.v (Unsigned(bitlen=8), [2] of them): "
    monkeypatch.setattr("sys.stdin", Terminal("five\n"))
    with pytest.raises(t.InputError, match="'five' is not an integer"):
        Protocol(protocol)()
