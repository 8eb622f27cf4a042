"""Session files that are wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conftest import EXAMPLES, Parties, Tacit

MILLIONAIRES = EXAMPLES / "millionaires.c"


def edited(parties: Callable[..., Parties], old: str, new: str) -> Parties:
    made = parties(timeout_s=5)
    path = made.tacit.folder / "s.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return made


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[limits]", "[limits", ["s.toml"]),
        ("timeout_s", "timeout", ["s.toml", "timeout"]),
        ("timeout_s = 5", "timeout_s = 0", ["timeout_s"]),
        ("timeout_s = 5", "timeout_s = -1", ["timeout_s"]),
        ("timeout_s = 5", 'timeout_s = "5"', ["timeout_s"]),
        ("[party.B]", "[party.B]\ncolour = 1", ["s.toml", "colour"]),
        ('key = "B.pub"', "", ["B", "key"]),
        ('key = "B.pub"', 'key = "absent.pub"', ["absent.pub"]),
        ('key = "B.pub"', 'key = "s.toml"', ["B"]),
        ('key = "B.pub"', 'key = "B.key"', ["B"]),
        (":7802", "", ["address"]),
        (":7802", ":99999", ["address"]),
        ("[party.B]", "[party.C]", ["B"]),
        ("[limits]", '[role.B]\nparty = "D"\n[limits]', ["D"]),
        ("[limits]", '[link]\nnet = "fast"\n[limits]', ["fast"]),
        ("[limits]", '[link]\nplanned = "fast"\n[limits]', ["s.toml:2:", "link.planned", "fast"]),
        ("[limits]", "[security]\nsoftspoken_k = 3\n[limits]", ["softspoken_k"]),
        ("[limits]", "[security]\nstatistical_bits = 10\n[limits]", ["statistical_bits"]),
        ("[limits]", '[security]\nlevel = "short"\n[limits]', ["security.level", "short", "medium"]),
        ("[limits]", '[security]\ngarbling = "yao"\n[limits]', ["security.garbling", "yao", "three-halves"]),
        ("[limits]", '[security]\ntransfers = "loud"\n[limits]', ["security.transfers", "loud", "silent"]),
    ],
)
def test_wrong_session_files(parties: Callable[..., Parties], old: str, new: str, words: list[str]) -> None:
    made = edited(parties, old, new)
    made.start("A", MILLIONAIRES, '{"mil": 1}').wait().failed(2, *words)


def test_no_such_session_or_key(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties()
    common = ["run", MILLIONAIRES, "--as", "A", "--input", '{"mil": 1}']
    tacit(*common, "--session", "absent.toml", "--key", "A.key").failed(2, "absent.toml")
    tacit(*common, "--session", "s.toml", "--key", "absent.key").failed(2, "absent.key")
    tacit(*common, "--session", "s.toml", "--key", "s.toml").failed(2, "s.toml")
    tacit(*common, "--session", "s.toml", "--key", "A.pub").failed(2, "A.pub")


def test_a_key_that_others_can_read(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    (tacit.folder / "A.key").chmod(0o644)
    made.start("A", MILLIONAIRES, '{"mil": 1}').wait().failed(2, "A.key", "600")


def test_a_party_that_is_nowhere(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties()
    common = ["run", MILLIONAIRES, "--session", "s.toml", "--key", "A.key", "--input", '{"mil": 1}']
    tacit(*common, "--as", "Z").failed(2, "Z", "A, B")


def test_the_key_of_another_party(parties: Callable[..., Parties], tacit: Tacit) -> None:
    parties(timeout_s=5)
    common = ["run", MILLIONAIRES, "--as", "A", "--session", "s.toml", "--input", '{"mil": 1}']
    tacit(*common, "--key", "B.key").failed(2, "A", "key")


def test_roles_may_belong_to_parties_of_other_names(parties: Callable[..., Parties]) -> None:
    made = edited(parties, "[limits]", '[role.A]\nparty = "alice"\n[role.B]\nparty = "bob"\n[limits]')
    path = made.tacit.folder / "s.toml"
    path.write_text(
        path.read_text().replace("[party.A]", "[party.alice]").replace("[party.B]", "[party.bob]")
    )
    first, second = made.run(MILLIONAIRES, '{"mil": 9}', '{"mil": 7}')
    assert first.outputs == second.outputs
    common = ["run", MILLIONAIRES, "--session", "s.toml", "--key"]
    running = made.tacit.start(*common, "A.key", "--as", "alice", "--input", '{"mil": 9}')
    result = made.tacit(*common, "B.key", "--as", "bob", "--input", '{"mil": 7}')
    assert running.wait().outputs == result.outputs == first.outputs
