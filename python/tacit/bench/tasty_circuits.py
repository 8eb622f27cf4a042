"""Circuits from files beside tables 6 and 7 of TASTY: AES-128, and large circuits.

In the environment ask for more: TACIT_BENCH_LARGE for circuits of 2^20 to 2^22 gates, which take minutes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tacit import tastyl
from tacit.bench.programs import BenchError, build_example, text_of
from tacit.bench.published import tasty as published
from tacit.bench.rows import Row, Sheet

LEVELS: dict[str, dict[str, Any]] = {
    "ultra-short": {"insecure_bench": "ultra-short"},
    "long": {"security": "long"},
}

Times = tuple[float | None, float | None, float | None, float]

_OTHERS = {"ultra-short": ("Fairplay", "[37]"), "long": ("Pinkas et al.", "[48]")}


def _of_aes(row: str) -> Times:
    setup, online, total, sent = published.TABLE_6.rows[row]
    assert sent is not None
    return (setup, online, total, sent / 1e3)


TABLE_6 = {
    level: [(name, _of_aes(f"{source}, {level}")), ("TASTY", _of_aes(f"TASTY, {level}"))]
    for level, (name, source) in _OTHERS.items()
}
"""By level: seconds of setup, online and in all, and kilobytes."""


@dataclass(frozen=True)
class Large:
    """A line of table 7: seconds and megabytes of Fairplay, and of TASTY's setup and online phase."""

    seconds: tuple[float | None, float | None, float | None]
    megabytes: tuple[float | None, float | None, float | None]


def _of_large(power: str) -> Large:
    fairplay, setup, online, *sizes = published.TABLE_7.rows[power]
    sent = [None if size is None else size / 1e6 for size in sizes]
    return Large((fairplay, setup, online), (sent[0], sent[1], sent[2]))


TABLE_7 = {int(power): _of_large(power) for power in published.TABLE_7.rows if power != "23"}
"""The paper's numbers at the ultra-short level, by the binary logarithm of the gates."""

SMALL = 18
"""The largest size that is measured by default."""

INPUTS = 10
"""Values of 8 bits that the client gives."""

AES_KEY, AES_BLOCK = 0x000102030405060708090A0B0C0D0E0F, 0x00112233445566778899AABBCCDDEEFF
"""The example of FIPS 197, appendix C.1."""

AES_RESULT = 0x69C4E0D86A7B0430D8CDB78070B4C55A


def measure() -> list[Row]:
    """Both tables."""
    sizes = [power for power in TABLE_7 if power <= SMALL or os.environ.get("TACIT_BENCH_LARGE")]
    with tempfile.TemporaryDirectory() as folder:
        return [*aes(Path(folder)), *large(Path(folder), sizes)]


def _aes_protocol(client: Any, server: Any, params: Mapping[str, Any]) -> None:
    """The server's key, the client's block and result."""
    circuit = tastyl.GarbledCircuit(tastyl.FileCircuit(params["path"]))
    client.block = tastyl.Unsigned(bitlen=128).input()
    server.key = tastyl.Unsigned(bitlen=128).input()
    client.gblock = tastyl.Garbled(val=client.block)
    client.gkey <<= tastyl.Garbled(val=server.key)
    (client.gresult,) = circuit([client.gkey, client.gblock])
    client.result = tastyl.Unsigned(val=client.gresult)
    client.result.output()


def aes(folder: Path) -> Iterator[Row]:
    """The key of one party and the block of the other, at both levels of the paper."""
    path = folder / "aes_128"
    path.write_text(text_of([str(build_example("circuit", "aes_128"))]), "utf-8")
    for level, options in LEVELS.items():
        yield from _phases(
            f"AES-128 by a circuit, {level}",
            tastyl.Protocol(_aes_protocol),
            {"client": {"block": AES_BLOCK}, "server": {"key": AES_KEY}, "path": str(path), **options},
            {"client": {"result": AES_RESULT}},
        )


def circuit_of(gates: int) -> str:
    """A circuit with that many ANDs, ten inputs of 8 bits and an output of one: a state of the 80 inputs, of
    which each gate changes one bit by two others.
    """
    random, lines = Random(gates), []
    state = list(range(8 * INPUTS))
    wires = len(state)

    def gate(kind: str, left: int, right: int) -> int:
        nonlocal wires
        lines.append(f"2 1 {left} {right} {wires} {kind}")
        wires += 1
        return wires - 1

    for _ in range(gates):
        changed, left, right = random.sample(range(len(state)), 3)
        state[changed] = gate("XOR", state[changed], gate("AND", state[left], state[right]))
    parity = state[0]
    for wire in state[1:]:
        parity = gate("XOR", parity, wire)
    sizes = " ".join(["8"] * INPUTS)
    return "\n".join([f"{len(lines)} {wires}", f"{INPUTS} {sizes}", "1 1", "", *lines, ""])


def evaluated(circuit: str, values: list[int]) -> int:
    """The outputs of a circuit of `circuit_of`, computed gate by gate."""
    wires = [value >> bit & 1 for value in values for bit in range(8)]
    for line in circuit.splitlines()[4:]:
        _, _, left, right, _, kind = line.split()
        x, y = wires[int(left)], wires[int(right)]
        wires.append(x & y if kind == "AND" else x ^ y)
    return wires[-1]


def large_protocol(client: Any, server: Any, params: Mapping[str, Any]) -> None:
    """The client's values, and a bit for the server."""
    circuit = tastyl.GarbledCircuit(tastyl.FileCircuit(params["path"]))
    values = []
    for number in range(INPUTS):
        setattr(client, f"x{number}", tastyl.Unsigned(bitlen=8).input())
        setattr(client, f"g{number}", tastyl.Garbled(val=getattr(client, f"x{number}")))
        values.append(getattr(client, f"g{number}"))
    (client.bit,) = circuit(values)
    server.gbit <<= client.bit
    server.result = tastyl.Unsigned(val=server.gbit)
    server.result.output()


def large(folder: Path, powers: Iterable[int]) -> Iterator[Row]:
    """Circuits whose gate counts have these binary logarithms, written into files and run."""
    values = [Random(INPUTS).randrange(256) for _ in range(INPUTS)]
    for power in powers:
        circuit, path = circuit_of(1 << power), folder / str(power)
        path.write_text(circuit, "utf-8")
        yield from _phases(
            f"circuit of 2^{power} gates",
            tastyl.Protocol(large_protocol),
            {
                "client": {f"x{number}": value for number, value in enumerate(values)},
                "path": str(path),
                **LEVELS["ultra-short"],
            },
            {"server": {"result": evaluated(circuit, values)}},
        )


def _phases(name: str, protocol: Any, given: Mapping[str, Any], expected: Mapping[str, Any]) -> list[Row]:
    """Gates, and seconds of the slower party and bytes of both in each phase."""
    outputs = protocol.local(**given)
    for party, values in expected.items():
        if dict(outputs[party]) != values:
            raise BenchError(f"{name} gives {outputs[party]}, not {values}")
    phases = [{phase["phase"]: phase for phase in report["phases"]} for report in outputs.reports.values()]
    rows = [Row(f"{name}, ANDs", outputs.reports["client"]["work"]["and_count"], "")]
    for phase in ("setup", "online"):
        rows.append(Row(f"{name}, {phase}", max(one[phase]["seconds"] for one in phases), "s"))
        sent = sum(one[phase]["payload_sent"] or 0 for one in phases)
        rows.append(Row(f"{name}, {phase}, bytes of both parties", sent, "B"))
    return rows


def sheets(found: Mapping[str, float]) -> list[Sheet]:
    """Both tables in the paper's form, with lines of ours."""
    return [_table_6(found), _table_7(found)]


def _figures(name: str, found: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """Seconds and bytes of setup and online phase."""
    seconds = [found[f"{name}, {phase}"] for phase in ("setup", "online")]
    return seconds, [found[f"{name}, {phase}, bytes of both parties"] for phase in ("setup", "online")]


def _table_6(found: Mapping[str, float]) -> Sheet:
    lines: list[list[str]] = []
    for level, others in TABLE_6.items():
        lines += [[name, level, *map(_shown, figures)] for name, figures in others]
        if (name := f"AES-128 by a circuit, {level}") + ", setup" in found:
            (setup, online), sent = _figures(name, found)
            ours = (setup, online, setup + online, sum(sent) / 1e3)
            lines.append(["here", level, *map(_shown, ours)])
    headings = ["", "security", "setup s", "online s", "total s", "total KB"]
    return Sheet("TASTY, Table 6: AES by a circuit", headings, lines)


def _table_7(found: Mapping[str, float]) -> Sheet:
    lines: list[list[str]] = []
    for power, paper in TABLE_7.items():
        ours: list[float | None] = [None] * 5
        if (name := f"circuit of 2^{power} gates") + ", setup" in found:
            seconds, sent = _figures(name, found)
            ours = [*seconds, *(count / 1e6 for count in sent), found[f"{name}, ANDs"]]
        figures = (*paper.seconds, *paper.megabytes, *ours)
        lines.append([f"2^{power}", *map(_shown, figures)])
    phases = ["Fairplay", "TASTY setup", "online"]
    here = ["here: setup s", "online s", "setup MB", "online MB", "ANDs"]
    headings = ["gates", *(f"{name} s" for name in phases), *(f"{name} MB" for name in phases), *here]
    return Sheet("TASTY, Table 7: large circuits", headings, lines)


def _shown(figure: float | None) -> str:
    if figure is None:
        return "-"
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.3g}"
