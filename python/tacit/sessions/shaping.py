"""Numbers as nested lists of a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tacit._native import Kind
from tacit.language.values import Port


def shaping(shape: tuple[int, ...], kind: Kind | None) -> Callable[[list[int]], Any]:
    """A function that makes nested lists of numbers of a kind; a single number is returned as such."""

    def shaped(numbers: list[int]) -> Any:
        found = _shaped(numbers or [], shape)
        return found if kind is None else Port("", "", kind, shape).decode(found)

    return shaped


def _shaped(numbers: list[int], shape: Sequence[int]) -> Any:
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return numbers
    step = len(numbers) // shape[0]
    return [_shaped(numbers[start : start + step], shape[1:]) for start in range(0, len(numbers), step)]
