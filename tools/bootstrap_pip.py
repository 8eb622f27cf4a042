"""Puts pip into the virtual environment whose Python runs this file.

Needed where the system's Python comes without `ensurepip` (Debian without python3-venv). The wheel is
pinned by its hash, so it does not matter which index or mirror it comes from. Where pip would look is
honoured: `PIP_FIND_LINKS`, `PIP_INDEX_URL`, `PIP_CERT` and pip's configuration files.
Only the standard library is used.
"""

from __future__ import annotations

import base64
import configparser
import hashlib
import html.parser
import os
import ssl
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

WHEEL = "pip-26.3-py3-none-any.whl"
SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
TIMEOUT_S = 60
MAX_BYTES = 64 << 20


def setting(name: str) -> str | None:
    """A setting of pip: from the environment, else from the configuration files, the user's first."""
    value = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    if value:
        return value
    home = Path.home()
    files = [os.environ.get("PIP_CONFIG_FILE"), home / ".config/pip/pip.conf", home / ".pip/pip.conf"]
    for file in [*files, "/etc/pip.conf"]:
        parser = configparser.RawConfigParser()
        if file and parser.read(file):
            for section in ("install", "global"):
                if parser.has_option(section, name):
                    return parser.get(section, name)
    return None


class Links(html.parser.HTMLParser):
    """Collects the targets of the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value for name, value in attrs if tag == "a" and name == "href" and value]


def fetch(url: str, account: str | None = None) -> tuple[str, bytes]:
    """The address in the end, and the body."""
    request = urllib.request.Request(url, headers={"Accept": "text/html, application/octet-stream"})
    if account is not None:
        token = base64.b64encode(urllib.parse.unquote(account).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    context = ssl.create_default_context(cafile=setting("cert"))
    with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context) as answer:
        return answer.geturl(), answer.read(MAX_BYTES)


def from_directories() -> bytes | None:
    """The wheel from a directory of `find-links`, if one has it."""
    for place in (setting("find-links") or "").split():
        file = Path(urllib.request.url2pathname(place.removeprefix("file://"))) / WHEEL
        if file.is_file():
            return file.read_bytes()
    return None


def from_index() -> bytes:
    """The wheel from the package index."""
    parts = urllib.parse.urlsplit(setting("index-url") or "https://pypi.org/simple")
    account, _, host = parts.netloc.rpartition("@")
    index = urllib.parse.urlunsplit(parts._replace(netloc=host)).rstrip("/")
    base, page = fetch(f"{index}/pip/", account or None)
    links = Links()
    links.feed(page.decode("utf-8", "replace"))
    for target in links.targets:
        url = urllib.parse.urlsplit(urllib.parse.urljoin(base, target))
        if url.path.endswith("/" + WHEEL):
            return fetch(url.geturl(), account if account and url.netloc == host else None)[1]
    raise SystemExit(f"{WHEEL} is not on the index {host}")


def main() -> None:
    wheel = from_directories() or from_index()
    digest = hashlib.sha256(wheel).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{WHEEL} has SHA-256 {digest}, expected {SHA256}: not installed")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / WHEEL
        file.write_bytes(wheel)
        command = [
            sys.executable,
            str(file / "pip"),
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            str(file),
        ]
        raise SystemExit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
