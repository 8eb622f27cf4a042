"""`tacit bench papers`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tacit import UsageError
from tacit.exit_codes import ExitCode
from tacit.report import write_whole

NAME = "papers"
"""The word in place of a program."""

FOLDER = Path("target/bench")


@dataclass(frozen=True)
class Asked:
    """The options of the command."""

    quick: bool
    only: str | None
    stored: Path | None
    markdown: Path | None

    def flags(self) -> dict[str, object]:
        """Each by its name on the command line."""
        return {
            "--quick": self.quick or None,
            "--only": self.only,
            "--from": self.stored,
            "--markdown": self.markdown,
        }


def bench_papers(asked: Asked, output: Path | None) -> int:
    """Measures what the papers report, or reads earlier measurements, and writes a file, a page and Markdown.

    Errors: `UsageError` where a paper is unknown, a stored file is none, or something cannot be written.
    """
    from tacit.bench.papers.page import page_of
    from tacit.bench.papers.report import chosen, load, measure
    from tacit.bench.papers.texts import markdown, print_report

    papers = chosen(asked.only)
    folder = output or FOLDER
    _make(folder)
    if asked.stored is None:
        report = measure(papers, asked.quick, _tell)
        _write(folder / "papers.json", report.text())
    else:
        report = load(asked.stored)
    _write(folder / "papers.html", page_of(report))
    if asked.markdown is not None:
        _write(asked.markdown, markdown(report))
    print_report(report)
    for row in report.missed:
        sys.stderr.write(f"above its bar: {row.name} is {row.value:g}, the paper has {row.bar:g}\n")
    return ExitCode.VIOLATED if report.missed else ExitCode.OK


def _tell(what: str) -> None:
    sys.stderr.write(f"measuring {what}\n")
    sys.stderr.flush()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".papers"
        probe.write_text("", "utf-8")
        probe.unlink()
    except OSError as error:
        raise UsageError(f"--output {folder}: {error.strerror}; name a folder that can be written") from None


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
