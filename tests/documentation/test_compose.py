"""What the compose file has its containers do, done without containers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import textwrap
from pathlib import Path

from pages import DOCS, environment

from conftest import Tacit, loopback

FILE = DOCS.parent / "compose.yaml"


def script(service: str) -> str:
    """The script that a service's container runs."""
    pattern = rf"^  {service}:\n(?:    .*\n)*?      - \|\n((?:        .*\n)+)"
    (text,) = re.findall(pattern, FILE.read_text(), re.MULTILINE)
    return textwrap.dedent(text).replace("$$", "$")


def keys_script(folder: Path) -> str:
    """The script that makes keys and session files, with this folder's A and B in place of the volumes."""
    text = script("keys").replace("chown -R party", "ls -d")
    return re.sub(r"(?<=[ >])/(?=A/|B/|\$party)", f"{folder}/", text)


def party_command(name: str) -> list[str]:
    """The arguments of `tacit` in a party's container, which waits for its keys."""
    wait, command = script(f"party-{name.lower()}").splitlines()
    assert wait.startswith("timeout 60 sh -c 'until test -e /own/ready;"), wait
    return shlex.split(command.removeprefix("exec tacit "))


def test_two_parties(tacit: Tacit) -> None:
    for name in "AB":
        (tacit.folder / name).mkdir()
    subprocess.run(["sh", "-euc", keys_script(tacit.folder)], check=True, env=environment(tacit.folder))
    host = loopback()
    running = []
    for name in "AB":
        own = tacit.folder / name
        names = {file.name for file in own.iterdir()}
        assert names == {f"{name}.key", "A.pub", "B.pub", "session.toml", "ready"}
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
