"""The outputs of several roles as one object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def merge_outputs(by_role: Mapping[str, str]) -> dict[str, Any]:
    """One object from name to value, of the JSON objects of the roles.

    A name with different values at different roles becomes `ROLE.name`, once for each.
    """
    decoded = {role: json.loads(text) for role, text in by_role.items()}
    values: dict[str, Any] = {}
    for outputs in decoded.values():
        for name, value in outputs.items():
            values.setdefault(name, value)
    differing = {
        name for outputs in decoded.values() for name, value in outputs.items() if value != values[name]
    }
    merged: dict[str, Any] = {}
    for role, outputs in decoded.items():
        for name, value in outputs.items():
            merged[f"{role}.{name}" if name in differing else name] = value
    return merged


def to_line(value: Mapping[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False)
