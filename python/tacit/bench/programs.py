"""Runs what measures: the bench programs of the crates, `openssl speed`, and valgrind's callgrind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tacit.bench.rows import Row

AES_BLOCK_BYTES = 16


class BenchError(Exception):
    """A bench program failed."""


def cargo_example(crate: str, example: str, *arguments: str) -> list[Row]:
    """Builds and runs an example of a crate that prints rows, and shows its other lines."""
    return rows_of([str(build_example(crate, example)), *arguments])


def build_example(crate: str, example: str) -> Path:
    """Builds an example and returns the program's path."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--package", f"tacit-{crate}"]
    if subprocess.run([*command, "--example", example], check=False).returncode:
        raise BenchError(f"the example {example} of tacit-{crate} does not build")
    return Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release" / "examples" / example


def text_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The output of a program."""
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if finished.returncode:
        raise BenchError(f"{command[0]} ended with exit code {finished.returncode}")
    return finished.stdout


def rows_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> list[Row]:
    """Runs a program and collects the rows that it prints."""
    rows: list[Row] = []
    for line in text_of(command, environment).splitlines():
        found = Row.parse(line)
        rows += found
        if not found:
            sys.stderr.write(line + "\n")
    return rows


def openssl_aes() -> list[Row]:
    """The rate of AES-128-ECB by OpenSSL on one core, in blocks per second."""
    if shutil.which("openssl") is None:
        return []
    command = ["openssl", "speed", "-mr", "-seconds", "2", "-bytes", "16384", "-evp", "aes-128-ecb"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^\+F:.*:([0-9.]+)$", finished.stdout, re.MULTILINE)
    if found is None:
        raise BenchError("openssl speed printed no rate")
    return [Row("openssl_aes_128_ecb", float(found[1]) / AES_BLOCK_BYTES, "blocks/s")]


def instruction_count(program: Path, *arguments: str) -> int | None:
    """The instructions that a program executes, by callgrind; None where valgrind is not installed."""
    if shutil.which("valgrind") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "callgrind"
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={output}",
            "--",
            str(program),
            *arguments,
        ]
        finished = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        if finished.returncode:
            raise BenchError(f"callgrind of {program.name} failed:\n{finished.stderr[-2000:]}")
        found = re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.MULTILINE)
    return int(found[1]) if found else None
