"""A hook of mkdocs: links that lead out of `docs/` go to copies of the files within the site.

A link to a folder goes to a page that lists its files, and one to a crate to its reference by rustdoc. So
the site can be read without a network.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
COPIES = "source"
"""The folder of the site that holds the copies."""

CRATE = re.compile(r"\[([^\]]+)\]\(\.\./crates/([a-z]+)\)")
REFERENCE = "rust"
"""The folder of the site into which `make docs` puts what rustdoc makes."""

LINK = re.compile(r"\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


def linked(markdown: str) -> list[str]:
    """The paths outside of `docs/` that a page links to, from the root of the sources."""
    return [
        posixpath.normpath(target.removeprefix("../")) for target in LINK.findall(CRATE.sub("", markdown))
    ]


def files_of(path: Path) -> list[Path]:
    """The file itself, or the files of a folder and of those within."""
    inside = path.rglob("*") if path.is_dir() else [path]
    return sorted(each for each in inside if each.is_file() and "__pycache__" not in each.parts)


def place(path: str) -> str:
    """Where the site has the copy of a file, or the list of a folder."""
    return f"{COPIES}/{path}/index.md" if (ROOT / path).is_dir() else f"{COPIES}/{path}.txt"


def listing(folder: str) -> str:
    """The page that lists the files of a folder."""
    names = [str(file.relative_to(ROOT / folder)) for file in files_of(ROOT / folder)]
    return "\n".join([f"# {folder}", "", *(f"- [{name}]({name}.txt)" for name in names), ""])


def on_files(files: Files, config: Any) -> Files:
    """Adds the copies of all that pages link to."""
    pages = [file.content_string for file in files.documentation_pages()]
    for path in sorted({path for page in pages for path in linked(page)}):
        if not (ROOT / path).exists():
            raise FileNotFoundError(f"a page links to {path}, which does not exist")
        for file in files_of(ROOT / path):
            copy = place(str(file.relative_to(ROOT)))
            if files.get_file_from_path(copy) is None:
                files.append(File.generated(config, copy, content=file.read_text()))
        if (ROOT / path).is_dir():
            files.append(File.generated(config, place(path), content=listing(path)))
    return files


def reference(link: re.Match[str]) -> str:
    """A link to a crate's reference, in HTML: mkdocs does not know these pages."""
    if not (ROOT / "crates" / link[2]).is_dir():
        raise FileNotFoundError(f"a page links to the crate {link[2]}, which does not exist")
    text = re.sub(r"`(.+)`", r"<code>\1</code>", link[1])
    return f'<a href="{REFERENCE}/tacit_{link[2]}/index.html">{text}</a>'


def on_page_markdown(markdown: str, **_: object) -> str:
    """Leads links out of `docs/` to the copies, and to what rustdoc makes."""
    markdown = CRATE.sub(reference, markdown)
    return LINK.sub(lambda link: f"]({place(posixpath.normpath(link[1].removeprefix('../')))})", markdown)
