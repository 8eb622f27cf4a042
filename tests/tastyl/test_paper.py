"""The programs of TASTY's paper, run with real protocols."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES, Tacit
from tacit import tastyl
from tacit.bench import tasty_circuits
from tacit.measure.cases import cases_of

PROGRAMS = EXAMPLES / "tastyl"


def agree(protocol: tastyl.Protocol, **given: Any) -> dict[str, dict[str, Any]]:
    """The outputs of both parties, which must be the same in the clear."""
    outputs = {role: dict(values) for role, values in protocol.run(**given).items()}
    assert {role: dict(values) for role, values in protocol(**given).items()} == outputs
    return outputs


def test_table_7(tmp_path: Path) -> None:
    circuit, values = tasty_circuits.circuit_of(64), list(range(3, 103, 10))
    (tmp_path / "circuit").write_text(circuit, "utf-8")
    given = {f"x{number}": value for number, value in enumerate(values)}
    protocol = tastyl.Protocol(tasty_circuits.large_protocol)
    outputs = agree(protocol, client=given, path=str(tmp_path / "circuit"))
    assert outputs == {"client": {}, "server": {"result": tasty_circuits.evaluated(circuit, values)}}
    assert circuit.count(" AND") == 64


def test_figure_7() -> None:
    protocol = tastyl.load(PROGRAMS / "minimum_product.py")
    random_ = random.Random(1)
    for _ in range(3):
        v, w = ([random_.randrange(1 << 32) for _ in range(4)] for _ in range(2))
        outputs = agree(protocol, client={"v": v}, server={"w": w})
        assert outputs == {
            "client": {"minimum value": min(x * y for x, y in zip(v, w, strict=True))},
            "server": {},
        }


Faces = Callable[[int], tuple[dict[str, Any], list[int]]]


@pytest.fixture
def faces() -> Faces:
    """Makes the inputs of face recognition, without the threshold, and the distances."""

    def make(seed: int) -> tuple[dict[str, Any], list[int]]:
        random_ = random.Random(seed)
        k, n, m = 3, 8, 5
        gamma, psi = ([random_.randrange(256) for _ in range(n)] for _ in range(2))
        omega = [[random_.randrange(1 << 12) for _ in range(k)] for _ in range(m)]
        u = [[random_.randrange(-128, 128) for _ in range(n)] for _ in range(k)]
        projected = [sum((x - y) * z for x, y, z in zip(gamma, psi, row, strict=True)) for row in u]
        distances = [sum((x - y) ** 2 for x, y in zip(row, projected, strict=True)) for row in omega]
        given = {
            "client": {"gamma": gamma},
            "server": {"omega": omega, "psi": psi, "u": u},
            "K": k,
            "N": n,
            "M": m,
        }
        return given, distances

    return make


@pytest.mark.parametrize("seed", range(3))
def test_appendix_b(faces: Faces, seed: int) -> None:
    protocol = tastyl.load(PROGRAMS / "face_recognition.py")
    given, distances = faces(seed)
    least = min(distances)
    given["server"]["tau"] = least + 1
    assert agree(protocol, **given)["client"] == {"matched index in DB": distances.index(least)}
    given["server"]["tau"] = least
    assert agree(protocol, **given)["client"] == {"output": "no match found"}


def test_a_party_computes_by_itself_what_it_can(faces: Faces) -> None:
    protocol = tastyl.load(PROGRAMS / "face_recognition.py")
    program = protocol.trace(K=3, N=8, M=5).program
    inputs, _ = t._native.ports(program)
    names = {name for role, name in inputs if role == "server"}
    assert "psi" not in names  # only the inner products with psi enter the program
    assert {"value", "tau"} < names


def test_appendix_c() -> None:
    path = PROGRAMS / "multiplication.py"
    protocol = tastyl.load(path)
    cases = cases_of({}, str(path))
    assert [case.params["l"] for case in cases] == list(range(1, 81))
    for case in (cases[0], cases[6], cases[79]):
        outputs = agree(protocol, **case.inputs, **case.params)
        assert outputs["client"]["r"] == case.inputs["client"]["x"] * case.inputs["server"]["y"]
        assert case.mistake(outputs) is None
        assert case.mistake({"client": {"r": -1}, "server": {}}) is not None


def product(client: Any, server: Any, params: Any) -> None:
    client.x = tastyl.Unsigned(bitlen=params["l"]).input()
    server.y = tastyl.Unsigned(bitlen=params["l"]).input()
    client.gx = tastyl.Garbled(val=client.x)
    client.gy <<= tastyl.Garbled(val=server.y)
    client.product = tastyl.Unsigned(val=client.gx * client.gy)
    client.product.output()


@pytest.mark.parametrize(("bits", "gates"), [(19, 703), (20, 721), (32, 1729), (64, 5683), (128, 17973)])
def test_table_5(bits: int, gates: int) -> None:
    x, y = (1 << bits) - 1, (1 << bits) - 3
    found = tastyl.Protocol(product).local(client={"x": x}, server={"y": y}, l=bits)
    assert dict(found["client"]) == {"product": x * y}
    assert 0 < found.reports["client"]["work"]["and_count"] <= gates


@pytest.mark.parametrize(("x", "y"), [(-8, -8), (7, 7), (-3, 5), (0, 0), (4, -8)])
def test_circuits_from_file(x: int, y: int) -> None:
    protocol = tastyl.load(PROGRAMS / "file_circuit.py")
    assert agree(protocol, client={"x": x}, server={"y": y})["client"] == {"sum": x + y}


def test_between_two_processes(tacit: Tacit) -> None:
    result = tacit(
        "run", PROGRAMS / "minimum_product.py", "--local",
        "--input", 'client={"v": [5, 6, 7, 8]}', "--input", 'server={"w": [9, 3, 4, 5]}',
    )  # fmt: skip
    assert result.outputs == {"minimum value": 18}


def test_each_party_in_a_session(tacit: Tacit) -> None:
    tacit.make_keys("client", "server")
    tables = [
        f'[party.{name}]\naddress = "unix:{name}.sock"\nkey = "{name}.pub"' for name in ("client", "server")
    ]
    tacit.write("s.toml", "\n".join(tables))
    given = {"client": '{"v": [5, 6, 7, 8]}', "server": '{"w": [9, 3, 4, 5]}'}
    running = [
        tacit.start(
            "run", PROGRAMS / "minimum_product.py", "--as", name, "--session", "s.toml",
            "--key", f"{name}.key", "--input", given[name],
        )
        for name in given
    ]  # fmt: skip
    client, server = (each.wait() for each in running)
    assert client.outputs == {"minimum value": 18}
    assert server.outputs == {}


DRIVER = """\
from tacit.tastyl import Driver


class Few(Driver):
    def next_data_in(self):
        for bits, x, y in ((1, 1, 1), (5, 31, 30)):
            self.params = {"l": bits}
            self.client_inputs, self.server_inputs = {"x": x}, {"y": y}
            yield

    def next_data_out(self, outputs):
        return outputs["client"]["r"] == self.client_inputs["x"] * self.server_inputs["y"] + WRONG


driver = Few()
"""


def test_run_with_a_driver(tacit: Tacit) -> None:
    tacit.write("driver.py", DRIVER.replace("WRONG", "0"))
    result = tacit("run", PROGRAMS / "multiplication.py", "--clear", "--driver", "driver.py")
    assert (result.code, result.stdout) == (0, '{"r": 1}\n{"r": 930}\n')
    tacit.write("wrong.py", DRIVER.replace("WRONG", "1"))
    tacit("run", PROGRAMS / "multiplication.py", "--clear", "--driver", "wrong.py").failed(3, "wrong result")
    tacit("run", PROGRAMS / "multiplication.py", "--clear").failed(2, "params['l']", "--param")


def test_bench_with_a_driver(tacit: Tacit) -> None:
    tacit.write("driver.py", DRIVER.replace("WRONG", "0"))
    result = tacit(
        "bench", PROGRAMS / "multiplication.py", "--driver", "driver.py", "--repeat", "1", "-o", "runs.jsonl"
    )
    assert result.code == 0, result.stderr
    lines = (tacit.folder / "runs.jsonl").read_text().splitlines()
    assert [('"l":1' in line, '"l":5' in line) for line in lines] == [(True, False), (False, True)]


def test_bench_draws_inputs(tacit: Tacit) -> None:
    result = tacit(
        "bench", PROGRAMS / "face_recognition.py", "--param", "K=2", "--param", "N=2", "--param", "M=3",
        "--repeat", "1", "-o", "runs.jsonl",
    )  # fmt: skip
    assert result.code == 0, result.stderr
    assert Path(tacit.folder / "runs.jsonl").read_text().count("\n") == 1
