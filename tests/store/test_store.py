"""Preparing runs and spending them, each party its own command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLES, Finished, Parties, Tacit

MILLIONAIRES = EXAMPLES / "millionaires.c"


def mil(value: int) -> str:
    return json.dumps({"mil": value})


def both(tacit: Tacit, *command: str | Path) -> tuple[Finished, Finished]:
    """Runs a command of both parties, each with its store."""
    common = [*command, "--session", "s.toml"]
    first = tacit.start(*common, "--as", "A", "--key", "A.key", "--store", "store-A")
    second = tacit.start(*common, "--as", "B", "--key", "B.key", "--store", "store-B")
    return first.wait(), second.wait()


def prepare(made: Parties, count: int) -> None:
    for finished in both(made.tacit, "prepare", MILLIONAIRES, "--count", str(count)):
        assert finished.outputs["prepared"] == count


def spend(made: Parties, a: int, b: int) -> tuple[Finished, Finished]:
    """Runs both parties; each writes a report of its own."""
    first, second = (
        made.start(
            party, MILLIONAIRES, mil(own), "--store", f"store-{party}", f"--report=report-{party}.json"
        )
        for party, own in (("A", a), ("B", b))
    )
    return first.wait(), second.wait()


def listed(tacit: Tacit, store: str) -> dict[str, Any]:
    pool: dict[str, Any] = tacit("store", "list", store).outputs
    return pool


def test_prepared_runs_are_spent_one_by_one(parties: Callable[..., Parties]) -> None:
    made = parties()
    prepare(made, 3)
    for index, (a, b) in enumerate([(12, 7), (7, 12), (7, 7)]):
        first, second = spend(made, a, b)
        clear = made.tacit("run", MILLIONAIRES, "--clear", f"--input=A={mil(a)}", f"--input=B={mil(b)}")
        assert first.outputs == second.outputs == clear.outputs
        for party in "AB":
            report = json.loads((made.tacit.folder / f"report-{party}.json").read_text())
            setup = report["phases"][1]
            assert (setup["phase"], setup["bytes_sent"], setup["bytes_received"]) == ("setup", 0, 0)
            assert report["store_entry"] == index
    for finished in spend(made, 1, 2):
        finished.failed(2, "tacit prepare")
    for store in ("store-A", "store-B"):
        pool = listed(made.tacit, store)
        assert (pool["ready"], pool["spent"], pool["segments"]) == (0, 3, 0)


def test_list_verify_and_prune(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    prepare(made, 2)
    pool = listed(tacit, "store-A")
    assert (pool["ready"], pool["party"], pool["peer"], pool["side"]) == (2, "A", "B", "Garbler")
    for key in ([], ["--key", "A.key"]):
        assert tacit("store", "verify", "store-A", *key).code == 0
    assert tacit("store", "prune", "store-A").outputs == {"removed_segments": 0}
    assert tacit("store", "prune", "store-A", "--all").outputs == {"removed_segments": 1}
    assert listed(tacit, "store-A")["ready"] == 0
    for finished in spend(made, 1, 2):
        finished.failed(2, "tacit prepare")


def test_a_damaged_store(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    prepare(made, 2)
    segment = tacit.folder / "store-A" / "00000000.segment"
    data = bytearray(segment.read_bytes())
    data[60] ^= 1
    segment.write_bytes(data)
    tacit("store", "verify", "store-A", "--key", "A.key").failed(2, "entry 0", "00000000.segment")
    first, second = spend(made, 1, 2)
    first.failed(2, "entry 0", "tacit store prune")
    assert second.code in (5, 6)
    assert spend(made, 3, 2)[0].code == 0, "the entry after the damaged one is sound"
    index = tacit.folder / "store-A" / "index.redb"
    index.write_bytes(b"\0" * 10_000)
    tacit("store", "list", "store-A").failed(2, "index.redb")


def test_folders_that_are_no_stores(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties()
    tacit("store", "list", "absent").failed(2, "absent", "not a store")
    tacit("store", "list", ".").failed(2, "not a store")
    common = ["prepare", MILLIONAIRES, "--session", "s.toml", "--as", "A", "--key", "A.key"]
    tacit(*common, "--store", ".").failed(2, "not empty")


def test_the_store_of_another_party(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    prepare(made, 1)
    tacit("store", "verify", "store-A", "--key", "B.key").failed(2, "belongs to")
    made.start("A", MILLIONAIRES, mil(1), "--store", "store-B").wait().failed(2, "belongs to")


def test_a_disk_that_is_full(parties: Callable[..., Parties]) -> None:
    resource = pytest.importorskip("resource")
    made = parties()
    prepare(made, 1)
    running = made.tacit.start(
        *["prepare", MILLIONAIRES, "--count", "2000", "--session", "s.toml"],
        *["--as", "B", "--key", "B.key", "--store", "store-B"],
    )
    # A batch of the garbler takes more than 200 kB.
    limited = made.tacit.start(
        *["prepare", MILLIONAIRES, "--count", "2000", "--session", "s.toml"],
        *["--as", "A", "--key", "A.key", "--store", "store-A"],
    )
    resource.prlimit(limited.process.pid, resource.RLIMIT_FSIZE, (100_000, 100_000))
    limited.wait().failed(2, "no space left")
    assert running.wait().code in (5, 6)
    ready = listed(made.tacit, "store-A")["ready"]
    assert ready >= 1
    first, second = spend(made, 9, 4)
    assert first.outputs == second.outputs


def test_options_that_exclude_each_other(tacit: Tacit) -> None:
    given = ["--input", f"A={mil(1)}", "--input", f"B={mil(2)}"]
    tacit("run", MILLIONAIRES, "--local", "--store", "x", *given).failed(2, "--store")
    common = ["--as", "A", "--session", "s", "--key", "k", "--store", "x"]
    tacit("run", MILLIONAIRES, *common, "--mode", "streamed").failed(2, "--mode", "--store")


def test_one_party_alone_uses_its_store(parties: Callable[..., Parties]) -> None:
    made = parties()
    prepare(made, 1)
    first = made.start("A", MILLIONAIRES, mil(1), "--store", "store-A")
    second = made.start("B", MILLIONAIRES, mil(2)).wait()
    for finished in (first.wait(), second):
        finished.failed(5, "kind of session", "open, for many runs or --store", "one run")
    assert listed(made.tacit, "store-A")["ready"] == 1


def test_preparing_can_be_watched(parties: Callable[..., Parties]) -> None:
    made = parties()
    common = ["prepare", MILLIONAIRES, "--session", "s.toml"]
    first, second = (
        made.tacit.start(
            *common, "--as", party, "--key", f"{party}.key", "--store", f"store-{party}", *watched
        )
        for party, watched in (("A", ["--watch"]), ("B", []))
    )
    assert first.wait().outputs == second.wait().outputs == {"prepared": 1, "ready": 1}
    assert first.process.stderr is not None
    assert "tacit: watch this run at http://127.0.0.1:" in first.wait().stderr


def test_a_store_that_is_not_there_is_not_made(parties: Callable[..., Parties]) -> None:
    made = parties()
    with_one = made.start("A", MILLIONAIRES, mil(1), "--store", "store-A")
    without = made.start("B", MILLIONAIRES, mil(2)).wait()
    for finished in (with_one.wait(), without):
        finished.failed(5, "kind of session")
    empty = [made.start(party, MILLIONAIRES, mil(1), "--store", f"store-{party}") for party in ("A", "B")]
    for running in empty:
        running.wait().failed(2, "no prepared run")
    assert sorted(path.name for path in made.tacit.folder.iterdir()) == sorted(
        ["A.key", "A.pub", "B.key", "B.pub", "s.toml"]
    )


def test_a_function_in_python(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    tacit.write(
        "app.py",
        """import tacit as t

@t.function
def add(A, B, n: int = 2):
    A.output("sum", A.input("x", t.u8[n]) + B.input("y", t.u8[n]))
""",
    )
    for finished in both(tacit, "prepare", "app.py:add", "--param", "n=3"):
        assert finished.code == 0, finished.stderr
    first = made.start("A", "app.py:add", '{"x": [1, 2, 3]}', "--param", "n=3", "--store", "store-A")
    second = made.start("B", "app.py:add", '{"y": [255, 0, 1]}', "--param", "n=3", "--store", "store-B")
    assert (first.wait().outputs, second.wait().outputs) == ({"sum": [256, 2, 4]}, {})
