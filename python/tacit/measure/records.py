"""Files of measured runs: the lines that `tacit bench` writes, and reports of single runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from tacit import UsageError
from tacit.measure.costs import COSTS, Over, cost_of

VERSION = 1
"""The form of a line of `tacit bench`."""

MAX_BYTES = 1 << 30
MAX_FIGURE = 1e18

Parameter = int | float | str | bool
Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Record:
    """One run: what it was asked to be, and the report of each party."""

    fields: Mapping[str, Any]
    """The line as it stands in the file."""

    @property
    def program(self) -> str:
        """The program as it was named."""
        return str(self.fields.get("program", ""))

    @property
    def params(self) -> Mapping[str, Parameter]:
        """The parameters and their values."""
        found: Mapping[str, Parameter] = self.fields.get("params") or {}
        return found

    @property
    def net(self) -> str | None:
        """How slow the link was made, if it was."""
        found: str | None = self.fields.get("net")
        return found

    @property
    def mode(self) -> str | None:
        """When tables were asked to travel; None where the plan decided."""
        found: str | None = self.fields.get("mode")
        return found

    @property
    def reports(self) -> Mapping[str, Mapping[str, Any]]:
        """The report of each party."""
        found: Mapping[str, Mapping[str, Any]] = self.fields["reports"]
        return found

    def cost(self, name: str) -> float | None:
        """A figure by name, as `online_s` or `A.online_s`; None where it was not measured."""
        return cost_of(name).at(self)


class Records(Sequence[Record]):
    """Runs in the order in which they were made."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = list(records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        return Records(self._records[index]) if isinstance(index, slice) else self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __repr__(self) -> str:
        return f"<{len(self)} runs>"

    @property
    def params(self) -> list[str]:
        """The parameters that occur, in order of appearance."""
        return list(dict.fromkeys(name for record in self for name in record.params))

    @property
    def roles(self) -> list[str]:
        """The parties that occur, in order of appearance."""
        return list(dict.fromkeys(role for record in self for role in record.reports))

    def to_columns(self) -> Columns:
        """Equally long lists by name: what was run, its parameters, and every figure; None where unknown.

        Figures are named as in `COSTS`, those of one party with its name and a dot before them. A parameter
        that has the name of another column has `param.` before it.
        """
        columns = self._described()
        for name in COSTS:
            columns[name] = [COSTS[name].at(record) for record in self]
        for role in self.roles:
            for name, cost in COSTS.items():
                if cost.over is not Over.RUN:
                    columns[f"{role}.{name}"] = [cost.at(record, role) for record in self]
        taken = set(columns)
        for name in self.params:
            column = f"param.{name}" if name in taken else name
            columns[column] = [record.params.get(name) for record in self]
        return columns

    def _described(self) -> Columns:
        names = ("program", "net", "mode", "repeat", "checked", "time", "machine", "revision")
        return {name: [record.fields.get(name) for record in self] for name in names}


def place_of(report: Mapping[str, Any], line: int) -> str:
    """A line of the source for people, as `app.py:12`."""
    if not line:
        return "unknown line"
    source = report.get("source")
    return f"{source}:{line}" if source else f"line {line}"


def load(*paths: str | Path) -> Records:
    """Reads files that `tacit bench` or `tacit run --report` wrote.

    Errors: `UsageError` names the file and the line that is none of theirs.
    """
    return Records([record for path in paths for record in _read(Path(path))])


def _read(path: Path) -> Iterator[Record]:
    text = _text(path)
    whole = _whole(text)
    if whole is not None and "reports" not in whole:
        yield Record(_single(whole, str(path)))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _record(line, f"{path}:{number}")


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES} bytes")
        return path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text in UTF-8") from None


def _whole(text: str) -> dict[str, Any] | None:
    """The file as one JSON object, if it is one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _single(value: dict[str, Any], where: str) -> dict[str, Any]:
    """A record of the report of one party, or of several by name."""
    reports = {str(value.get("party", "party")): value} if "phases" in value else value
    _check_reports(reports, where)
    first = next(iter(reports.values()))
    return {"program": first.get("program", ""), "reports": reports}


def _record(line: str, where: str) -> Record:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is not a line of JSON that `tacit bench` wrote") from None
    if not isinstance(value, dict) or "reports" not in value:
        raise UsageError(f"{where} has no reports of a run")
    if value.get("version") != VERSION:
        raise UsageError(f"{where} has version {value.get('version')}; this Tacit reads version {VERSION}")
    if not isinstance(value.get("params"), dict):
        raise UsageError(f"{where} has no parameters")
    _check_reports(value["reports"], where)
    return Record(value)


def _check_reports(reports: object, where: str) -> None:
    """Refuses what is no object from party to report."""
    if not isinstance(reports, dict) or not reports:
        raise UsageError(f"{where} has no reports of a run")
    for party, report in reports.items():
        phases = report.get("phases") if isinstance(report, dict) else None
        if not isinstance(phases, list) or not all(map(_is_phase, phases)):
            raise UsageError(f"{where}: {party} has no report of a run")
        operations = report.get("operations", [])
        if not isinstance(operations, list) or not all(map(_is_operation, operations)):
            raise UsageError(f"{where}: operations of {party} are not a list of counts")
        for part in ("work", "predicted", "security"):
            if not isinstance(report.get(part, {}), dict):
                raise UsageError(f"{where}: {part} of {party} is not an object")


_IN_EVERY_PHASE = (
    "seconds",
    "compute_seconds",
    "network_seconds",
    "bytes_sent",
    "bytes_received",
    "messages_sent",
    "rounds",
)


def _is_phase(phase: object) -> bool:
    """Whether this is a phase with the figures that every phase has."""
    if not isinstance(phase, dict) or not isinstance(phase.get("phase"), str):
        return False
    return all(_is_figure(phase.get(name)) for name in _IN_EVERY_PHASE)


def _is_operation(operation: object) -> bool:
    """Whether this counts operations of one kind."""
    if not isinstance(operation, dict) or not isinstance(operation.get("kind"), str):
        return False
    return _is_figure(operation.get("count")) and _is_figure(operation.get("line"))


def _is_figure(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return 0 <= value < MAX_FIGURE
