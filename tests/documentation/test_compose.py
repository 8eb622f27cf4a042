"""What the compose file has its containers do, done without containers."""

from __future__ import annotations

import json
import re
import subprocess
import textwrap
from pathlib import Path

from pages import DOCS, environment

from conftest import Tacit, loopback

FILE = DOCS.parent / "compose.yaml"


def keys_script(folder: Path) -> str:
    """The script that makes keys and session files, with this folder's A and B in place of the volumes."""
    (text,) = re.findall(r"^      - \|\n((?:        .*\n)+)", FILE.read_text(), re.MULTILINE)
    script = textwrap.dedent(text).replace("$$", "$").replace("chown -R party", "ls -d")
    return re.sub(r"(?<=[ >])/(?=A/|B/|\$party)", f"{folder}/", script)


def party_command(name: str) -> list[str]:
    """The arguments of `tacit` in a party's container."""
    (arguments,) = re.findall(
        rf"^    command: \[(run, .*--as, {name}, .*)\]$", FILE.read_text(), re.MULTILINE
    )
    before, _, given = arguments.partition(", '")
    return [*before.split(", "), given.removesuffix("'")]


def test_two_parties(tacit: Tacit) -> None:
    for name in "AB":
        (tacit.folder / name).mkdir()
    subprocess.run(["sh", "-euc", keys_script(tacit.folder)], check=True, env=environment(tacit.folder))
    host = loopback()
    running = []
    for name in "AB":
        own = tacit.folder / name
        assert sorted(file.suffix for file in own.iterdir()) == [".key", ".pub", ".pub", ".toml"]
        session = own / "session.toml"
        text = (
            session.read_text()
            .replace("party-a:7801", f"{host}:7801")
            .replace("party-b:7801", f"{host}:7802")
        )
        session.write_text(text)
        words = [word.replace("/own/", f"{own}/") for word in party_command(name)]
        words[1] = str(DOCS.parent / words[1])
        running.append(tacit.start(*words))
    assert [json.loads(each.wait().stdout) for each in running] == [{"richer": 1}] * 2
