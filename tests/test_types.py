"""What type checkers know of functions between roles: README's style passes, and mistakes in calls do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

README = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

RIGHT = """
DB, QUERY = [[1, 2], [3, 4]], [1, 2]

outputs: t.Outputs = closest.run(server={"db": DB}, client={"query": QUERY}, n=2, d=2)
index: object = outputs["client"]["index"]
closest.run({"db": DB}, {"query": QUERY}, n=2, d=2)
closest.using(domain="arith").local(server={"db": DB}, client={"query": QUERY})
anything: t.Function = closest
anything.run(server={"db": DB}, client={"query": QUERY}, mode="streamed")
closest.connect("s.toml", role="client", n=3).run(client={"query": QUERY})
"""

WRONG = {
    "closest.run(server={}, klient={})": 'Unexpected keyword argument "klient"',
    "closest.run(server={})": 'Missing positional argument "client"',
    'closest.run(server={}, client={}, n="two")': 'Argument "n" to "run" of "Function" has incompatible',
    'closest.using(domian="yao")': 'Unexpected keyword argument "domian"',
    "closest.run(server={}, client={}).index": '"Outputs" has no attribute "index"',
}


def checked(tmp_path: Path, text: str) -> str:
    """What mypy says of a module."""
    (tmp_path / "app.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "app.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    said: str = done.stdout + done.stderr
    return said


def test_the_style_of_readme(tmp_path: Path) -> None:
    (function,) = (block for block in README if "def closest" in block)
    assert "Success" in checked(tmp_path, function + RIGHT)
    said = checked(tmp_path, function + "\n".join(WRONG))
    first = len(function.splitlines()) + 1
    for line, words in enumerate(WRONG.values(), first):
        assert re.search(rf"^app\.py:{line}: error: .*{re.escape(words)}", said, re.MULTILINE), said
