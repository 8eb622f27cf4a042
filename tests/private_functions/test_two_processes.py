"""`tacit pfe` at two parties: the lender holds rules, the applicant gives data and learns the decision."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLES, Finished, Parties, Tacit
from tacit import pfe
from tacit.exit_codes import ExitCode

POLICY = EXAMPLES / "credit_policy.c"
DATA = {"income": 42000, "debt": 9000, "age": 31, "defaults": 0}
GATES = 3000
FEW = 1200
BITS = 32 + 32 + 8 + 8

ROLES = """
[role.LENDER]
party = "A"
[role.APPLICANT]
party = "B"
"""


def start(parties: Parties, party: str, *arguments: object) -> Any:
    key = {"LENDER": "A", "APPLICANT": "B"}.get(party, party)
    own = ("--as", party, "--session", "s.toml", "--key", f"{key}.key")
    return parties.tacit.start("pfe", *arguments, *own)


def both(parties: Parties, holder: Sequence[object], owner: Sequence[object]) -> tuple[Finished, Finished]:
    first, second = start(parties, "A", *holder), start(parties, "B", *owner)
    return first.wait(), second.wait()


def holder(*more: object) -> list[object]:
    return [POLICY, "--owner", "APPLICANT", "--gates", GATES, *more]


def owner(*more: object, **changed: int) -> list[object]:
    return ["--input", json.dumps(DATA | changed), *more]


UNIVERSAL = ("--protocol", "universal-circuit")


@pytest.mark.parametrize("age", [31, 24])
def test_the_applicant_alone_learns_the_decision(parties: Callable[..., Parties], age: int) -> None:
    lender, applicant = both(parties(), holder(), owner(age=age))
    assert (lender.code, lender.stdout) == (ExitCode.OK, ""), lender.stderr
    assert f"{GATES} NAND gates were announced; B alone learns the result" in lender.stderr
    assert applicant.outputs == {"granted": int(age >= 25)}
    assert f'"gates": {GATES}' in applicant.stderr


@pytest.mark.parametrize("age", [31, 24])
def test_a_universal_circuit_gives_the_same(parties: Callable[..., Parties], age: int) -> None:
    site = parties()
    files = ("--report", "A.json"), ("--report", "B.json")
    lender, applicant = both(site, holder(*UNIVERSAL, *files[0]), owner(*files[1], age=age))
    assert lender.code == ExitCode.OK, lender.stderr
    assert f"{GATES} gates of a universal circuit were announced" in lender.stderr
    assert applicant.outputs == {"granted": int(age >= 25)}
    for name in "AB":
        report = json.loads((site.tacit.folder / f"{name}.json").read_text())
        assert report["protocol"] == "universal-circuit"
        measured = {phase["phase"]: phase for phase in report["phases"]}
        for predicted in report["predicted"]:
            phase = measured.get(predicted["phase"], dict.fromkeys(predicted, 0))
            assert {what: phase[what] for what in predicted if what != "phase"} == {
                what: predicted[what] for what in predicted if what != "phase"
            }


KATZ_MALKA = [name for name in pfe.PROTOCOLS if name.startswith("katz-malka")]


@pytest.mark.parametrize("protocol", KATZ_MALKA)
def test_katz_malka_gives_the_same(parties: Callable[..., Parties], protocol: str) -> None:
    site = parties()
    files = ("--report", "A.json"), ("--report", "B.json")
    given = [POLICY, "--owner", "APPLICANT", "--gates", FEW, "--protocol", protocol]
    lender, applicant = both(site, [*given, *files[0]], owner(*files[1]))
    assert lender.code == ExitCode.OK, lender.stderr
    assert f"{FEW} NAND gates were announced" in lender.stderr
    assert applicant.outputs == {"granted": 1}
    for name in "AB":
        report = json.loads((site.tacit.folder / f"{name}.json").read_text())
        assert report["protocol"] == protocol
        measured = {phase["phase"]: phase for phase in report["phases"]}
        for predicted in report["predicted"]:
            phase = measured[predicted["phase"]]
            for what in ("payload_sent", "payload_received", "rounds"):
                assert phase[what] == predicted[what], (name, what)
        seconds = report["predicted_seconds"]
        assert seconds["link"] == "lan"
        assert min(seconds["setup"], seconds["online"]) > 0


def test_katz_malka_prepares_runs(parties: Callable[..., Parties]) -> None:
    site, by = parties(), ("--protocol", "katz-malka-elgamal")
    prepared(site, 2, *by)
    for age in (31, 24):
        spending = holder(*by, "--store", "A.store"), owner("--store", "B.store", age=age)
        lender, applicant = both(site, *spending)
        assert lender.code == ExitCode.OK, lender.stderr
        assert applicant.outputs == {"granted": int(age >= 25)}
    lender = start(site, "A", *holder("--store", "A.store")).wait()
    lender.failed(ExitCode.USAGE, "no run of this function is prepared")


def test_another_protocol_than_published_is_refused(parties: Callable[..., Parties]) -> None:
    site = parties()
    assert site.tacit("pfe", *holder("--publish", "policy.json")).code == ExitCode.OK
    lender, applicant = both(site, holder(*UNIVERSAL), owner("--interface", "policy.json"))
    lender.failed(ExitCode.PEER, "it expects another interface")
    applicant.failed(ExitCode.PEER, "protocol", "half-elgamal", "universal-circuit")


@pytest.mark.parametrize(
    ("link", "protocol"), [("10gbit,400ms", "universal-circuit"), ("1mbit,1ms", "half-elgamal")]
)
def test_the_protocol_is_chosen_for_the_link(
    parties: Callable[..., Parties], link: str, protocol: str
) -> None:
    site = parties()
    planned = ("--protocol", "auto", "--planned-link", link)
    lender, applicant = both(site, holder(*planned, "--report", "A.json"), owner())
    assert lender.code == ExitCode.OK, lender.stderr
    assert f"chosen over {link}, {protocol}: " in lender.stderr
    assert "rather than" in lender.stderr
    assert applicant.outputs == {"granted": 1}
    report = json.loads((site.tacit.folder / "A.json").read_text())
    assert report["protocol"] == protocol


def test_roles_of_the_session_file_say_who_is_the_owner(parties: Callable[..., Parties]) -> None:
    site = parties(extra=ROLES)
    first = start(site, "LENDER", POLICY)
    second = start(site, "APPLICANT", *owner())
    lender, applicant = first.wait(), second.wait()
    assert lender.code == ExitCode.OK, lender.stderr
    assert applicant.outputs == {"granted": 1}


def test_the_protocol_is_chosen_where_roles_say_who_is_the_owner(parties: Callable[..., Parties]) -> None:
    site = parties(extra=ROLES)
    first = start(site, "LENDER", POLICY, "--protocol", "auto", "--net", "lan")
    second = start(site, "APPLICANT", *owner("--net", "lan"))
    lender, applicant = first.wait(), second.wait()
    assert lender.code == ExitCode.OK, lender.stderr
    assert "chosen over lan, " in lender.stderr
    assert applicant.outputs == {"granted": 1}


def test_reports_have_what_was_predicted(parties: Callable[..., Parties]) -> None:
    site = parties()
    link = ("--net", "lan")
    finished = both(site, holder("--report", "A.json", *link), owner("--report", "B.json", *link))
    assert [each.code for each in finished] == [ExitCode.OK] * 2
    reports = [json.loads((site.tacit.folder / f"{name}.json").read_text()) for name in "AB"]
    assert [report["side"] for report in reports] == ["holder", "owner"]
    for report in reports:
        assert (report["gates"], report["owner_bits"], report["output_bits"]) == (GATES, BITS, 8)
        measured = {phase["phase"]: phase for phase in report["phases"]}
        for predicted in report["predicted"]:
            phase = measured[predicted["phase"]]
            assert {name: phase[name] for name in predicted} == predicted
    assert reports[0]["predicted"][0]["payload_sent"] == 64 + 32 + 64 * GATES - 32
    assert reports[1]["predicted"][0]["payload_sent"] == 32 + 64 + 130 * GATES


def test_a_published_interface_is_insisted_on(parties: Callable[..., Parties]) -> None:
    site = parties()
    published = site.tacit("pfe", *holder("--publish", "policy.json"))
    assert (published.code, published.stdout) == (ExitCode.OK, ""), published.stderr
    interface = json.loads((site.tacit.folder / "policy.json").read_text())
    assert interface["inputs"][2] == {"name": "age", "type": "u8"}
    assert (interface["owner"], interface["gates"], interface["holder_bits"]) == ("APPLICANT", GATES, 0)
    insisting = ("--interface", "policy.json")
    lender, applicant = both(site, holder(), owner(*insisting))
    assert lender.code == ExitCode.OK, lender.stderr
    assert applicant.outputs == {"granted": 1}
    other = [POLICY, "--owner", "APPLICANT", "--gates", GATES + 1]
    lender, applicant = both(site, other, owner(*insisting))
    lender.failed(ExitCode.PEER, "it expects another interface")
    applicant.failed(ExitCode.PEER, "number of gates", str(GATES), str(GATES + 1))
    start(site, "B", *owner(*insisting, age=256)).wait().failed(ExitCode.INPUT, "age", "256")


def test_larger_functions_than_accepted_are_refused(parties: Callable[..., Parties]) -> None:
    site = parties()
    lender, applicant = both(site, holder(), owner("--max-gates", GATES + BITS - 1))
    lender.failed(ExitCode.PEER, "accepts only smaller functions")
    applicant.failed(ExitCode.PEER, str(GATES + BITS), "--max-gates")
    _, applicant = both(site, holder(), owner("--max-gates", GATES + BITS))
    assert applicant.outputs == {"granted": 1}


def test_data_that_do_not_fit_end_the_run(parties: Callable[..., Parties]) -> None:
    lender, applicant = both(parties(), holder(), owner(age=256))
    lender.failed(ExitCode.PEER, "declined to give its data")
    applicant.failed(ExitCode.INPUT, "age: 256 does not fit in 8 bits unsigned")


def test_two_holders_and_two_owners_do_not_meet(parties: Callable[..., Parties]) -> None:
    site = parties()
    for arguments in (holder(), owner()):
        for finished in both(site, arguments, arguments):
            finished.failed(ExitCode.PEER, "the function's holder")


def test_a_run_that_is_no_private_function_is_told(parties: Callable[..., Parties]) -> None:
    site = parties(extra=ROLES)
    running = site.tacit.start(
        "run", POLICY, "--as", "B", "--session", "s.toml", "--key", "B.key", "--input", json.dumps(DATA)
    )
    lender = start(site, "A", *holder()).wait()
    lender.failed(ExitCode.PEER, "differ")
    assert running.wait().code != ExitCode.OK


def test_an_owner_that_holds_the_role_of_the_holder_is_refused(parties: Callable[..., Parties]) -> None:
    site = parties(extra=ROLES)
    start(site, "B", *holder()).wait().failed(ExitCode.USAGE, "B speaks for APPLICANT")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), ExitCode.USAGE, "--as, --session, --key missing"),
        (("--local",), ExitCode.USAGE, "--local cannot be used without a PROGRAM"),
        (("--gates", "9"), ExitCode.USAGE, "--gates cannot be used without a PROGRAM"),
        (UNIVERSAL, ExitCode.USAGE, "--protocol cannot be used without a PROGRAM"),
        (
            (POLICY, "--publish", "p.json", "--owner", "APPLICANT", "--protocol", "yao"),
            ExitCode.USAGE,
            f"protocols are {', '.join(pfe.PROTOCOLS)}",
        ),
        (
            (POLICY, "--local", "--planned-link", "lan"),
            ExitCode.USAGE,
            "--planned-link cannot be used without",
        ),
        ((POLICY, "--max-gates", "9"), ExitCode.USAGE, "--max-gates cannot be used with a PROGRAM"),
        ((POLICY, "--local", "--as", "A"), ExitCode.USAGE, "--as cannot be used with --local"),
        ((POLICY, "--publish", "p.json"), ExitCode.USAGE, "--owner is missing"),
        ((POLICY, "--publish", "p.json", "--local"), ExitCode.USAGE, "--local cannot be used with --publish"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    tacit: Tacit, arguments: tuple[str | Path, ...], code: ExitCode, said: str
) -> None:
    tacit("pfe", *arguments).failed(code, said)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"tacit_private_function": 1}',
        '{"tacit_private_function": 2}',
        '{"tacit_private_function": 2, "protocol": "yao"}',
        "[" * 5000,
    ],
)
def test_files_that_are_no_interface_are_refused(parties: Callable[..., Parties], text: str) -> None:
    site = parties()
    site.tacit.write("policy.json", text)
    start(site, "B", *owner("--interface", "policy.json")).wait().failed(ExitCode.USAGE, "interface")


def test_a_holder_that_dies_ends_its_owner(parties: Callable[..., Parties]) -> None:
    site = parties()
    lender = start(site, "A", POLICY, "--owner", "APPLICANT", "--gates", 200_000)
    applicant = start(site, "B", *owner())
    assert applicant.process.stderr is not None
    assert "announced" in applicant.process.stderr.readline()
    lender.process.kill()
    lender.wait()
    applicant.wait().failed(ExitCode.PEER, "A")


def prepared(site: Parties, count: int, *by: str) -> None:
    """Both stores have `count` runs more."""
    own = ("--prepare", count, "--store")
    finished = both(site, holder(*by, *own, "A.store"), [*own, "B.store"])
    for each in finished:
        assert each.code == ExitCode.OK, each.stderr
        assert each.outputs == {"prepared": count}


def test_prepared_runs_are_spent_one_by_one(parties: Callable[..., Parties]) -> None:
    site = parties()
    prepared(site, 2)
    stored = ("--store", "A.store", "--report", "A.json"), ("--store", "B.store")
    for entry, age in enumerate((31, 24)):
        lender, applicant = both(site, holder(*stored[0]), owner(*stored[1], age=age))
        assert lender.code == ExitCode.OK, lender.stderr
        assert applicant.outputs == {"granted": int(age >= 25)}
        report = json.loads((site.tacit.folder / "A.json").read_text())
        assert (report["task"], report["store_entry"]) == ("a run that was prepared", entry)
        assert report["predicted"][0]["payload_received"] == 0
    lender = start(site, "A", *holder("--store", "A.store")).wait()
    lender.failed(ExitCode.USAGE, "no run of this function is prepared", "tacit pfe --prepare")
    [pool] = [json.loads(line) for line in site.tacit("store", "list", "B.store").stdout.splitlines()]
    assert (pool["kind"], pool["gates"], pool["ready"]) == ("private functions", GATES, 0)


def test_another_function_than_prepared_spends_nothing(parties: Callable[..., Parties]) -> None:
    site = parties()
    prepared(site, 1)
    other = site.tacit.folder / "other.c"
    other.write_text(POLICY.read_text().replace("25", "26"))
    own = ("--owner", "APPLICANT", "--gates", GATES, "--store", "A.store")
    changed = start(site, "A", other, *own).wait()
    changed.failed(ExitCode.USAGE, "1 of another function with its interface")
    lender, applicant = both(site, holder("--store", "A.store"), owner("--store", "B.store"))
    assert lender.code == ExitCode.OK, lender.stderr
    assert applicant.outputs == {"granted": 1}


def test_one_party_alone_with_a_store_is_told_of_the_other(parties: Callable[..., Parties]) -> None:
    site = parties()
    prepared(site, 1)
    for finished in both(site, holder("--store", "A.store"), owner()):
        finished.failed(ExitCode.PEER, "what is done", "a run that was prepared")


def test_universal_circuits_prepare_nothing(parties: Callable[..., Parties]) -> None:
    site = parties()
    own = ("--prepare", 1, "--store", "A.store")
    lender = start(site, "A", *holder(*UNIVERSAL, *own)).wait()
    lender.failed(ExitCode.USAGE, "universal-circuit prepares nothing")
    start(site, "A", *holder("--prepare", 1)).wait().failed(ExitCode.USAGE, "--store is missing")
    given = ("--prepare", 1, "--store", "B.store")
    start(site, "B", *owner(*given)).wait().failed(ExitCode.USAGE, "--input")
