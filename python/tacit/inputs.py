"""The inputs of roles, from files and from the command line."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NoReturn

from tacit import InputError, UsageError
from tacit.table_files import Columns, TableFile, is_table_file, table
from tacit.tables import Query

MAX_BYTES = 1 << 30

SQL = "sql:"
"""The prefix of a query."""

TABLE = "table:"
"""The prefix of a file whose columns are named differently from the inputs."""


RoleInputs = str | Path | Query | TableFile
"""The inputs of a role: the text of a JSON object, a file with a table, or a query."""


def read_given(given: Iterable[str], roles: list[str]) -> dict[str, RoleInputs]:
    """The inputs of each role.

    Each item is a file, a JSON object, `sql:DATABASE QUERY` or `table:FILE INPUT=COLUMN,…`, after `ROLE=`
    where there are several roles.
    """
    found: dict[str, RoleInputs] = {}
    for item in given:
        role, text = _split(item, roles)
        if role in found:
            raise UsageError(f"--input: role {role} is given twice")
        found[role] = _given(role, text)
    return found


def read_inputs(given: Iterable[str], roles: list[str]) -> dict[str, str]:
    """The JSON object of each role that has inputs. A table becomes a list for each column of numbers."""
    return {role: as_json(role, value) for role, value in read_given(given, roles).items()}


def as_json(role: str, given: RoleInputs, names: Collection[str] | None = None) -> str:
    """The inputs of a role as a JSON object.

    From a file with a table, it takes the columns in `names`; without `names`, all columns of numbers.
    """
    if isinstance(given, str):
        return given
    from tacit.language.columns import columns
    from tacit.language.floats import text

    found = columns(given, role)
    if isinstance(found, Columns):
        found = found.of_numbers() if names is None else {name: found.column(name) for name in names}
    members = (f"{json.dumps(name)}: {text(column)}" for name, column in found.items())
    return "{" + ", ".join(members) + "}"


def _given(role: str, text: str) -> RoleInputs:
    if text.startswith(SQL):
        database, space, query = text.removeprefix(SQL).partition(" ")
        if not space or not database:
            raise UsageError(f"--input: write a query as {SQL}DATABASE QUERY")
        return Query(database, query)
    if text.startswith(TABLE):
        return _renamed(text.removeprefix(TABLE))
    return Path(text) if is_table_file(Path(text)) else _object(role, text)


def _renamed(text: str) -> TableFile:
    """A file and the columns of inputs, as `FILE INPUT=COLUMN,…`."""
    path, _, names = text.partition(" ")
    pairs = [pair.partition("=") for pair in names.split(",")] if names else []
    if not path or not all(name.strip() and column for name, _, column in pairs):
        raise UsageError(f"--input: write a file and its columns as {TABLE}FILE INPUT=COLUMN,…")
    return table(path, {name.strip(): column.strip() for name, _, column in pairs})


def _split(item: str, roles: list[str]) -> tuple[str, str]:
    name, equals, rest = item.partition("=")
    name = unicodedata.normalize("NFKC", name)
    if equals and name in roles:
        return name, rest
    if len(roles) == 1:
        return roles[0], item
    if equals and name.isidentifier():
        raise UsageError(f"--input: the program has no role {name} here; it has {', '.join(roles)}")
    raise UsageError(f"--input: write ROLE=… where ROLE is one of {', '.join(roles)}")


def _object(role: str, given: str) -> str:
    """The JSON text of one role, checked as JSON. Its values are checked against the program later."""
    inline = given.lstrip().startswith("{")
    source = f"role {role}: the text after --input" if inline else given
    text = given if inline else _read(given)
    try:
        value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{source} is not JSON: {reason}") from None
    if not isinstance(value, dict):
        raise InputError(f"{source} is not a JSON object that maps variables to values")
    return text


def _read(given: str) -> str:
    path = Path(given)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES} bytes")
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text in UTF-8") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} occurs twice in one object")
    return result


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
