"""Loops over secret data that repeat one body. The body is traced once, however many iterations there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tacit._native import Array, ShapeError
from tacit.language.context import graph
from tacit.language.operators import array

Carried = TypeVar("Carried")


def fori(count: int, body: Callable[[Array, Carried], Carried], init: Carried) -> Carried:
    """`for i in range(count): state = body(i, state)`, from `init`; returns the last state.

    A state is an array, or tuples, lists and dicts of arrays; it keeps its shapes and kinds.
    """
    state, rebuild = _flatten(init)
    writer = graph()
    counter, carried, _ = writer.begin_loop(count, state, [])
    try:
        after, _ = _flatten(body(counter, rebuild(carried)))
    except BaseException:
        writer.abandon_loop()
        raise
    last, _ = writer.end_loop(after, [])
    result: Carried = rebuild(last)
    return result


def scan(
    body: Callable[[Carried, Any], tuple[Carried, Any]],
    init: Carried,
    xs: Any = None,
    length: int | None = None,
) -> tuple[Carried, Any]:
    """`for x in xs: state, y = body(state, x)`, from `init`; returns the last state and the stack of all `y`.

    `xs` are arrays that are taken apart along their first axis, or none, and then `length` says how often. A
    state, `xs` and `y` are arrays, or tuples, lists and dicts of arrays; `y` may be None.
    """
    state, rebuild = _flatten(init)
    parts, rebuild_part = _flatten(xs)
    count = length if length is not None else _length(parts)
    writer = graph()
    _, carried, slices = writer.begin_loop(count, state, parts)
    try:
        after, kept = body(rebuild(carried), rebuild_part(slices))
        after_list, _ = _flatten(after)
        kept_list, rebuild_kept = _flatten(kept)
    except BaseException:
        writer.abandon_loop()
        raise
    last, stacks = writer.end_loop(after_list, kept_list)
    return rebuild(last), rebuild_kept(stacks)


def _length(parts: list[Array]) -> int:
    if not parts:
        raise ShapeError("a scan over nothing needs its length")
    return len(parts[0])


Rebuild = Callable[[list[Array]], Any]


def _flatten(tree: Any) -> tuple[list[Array], Rebuild]:
    """The arrays of a tree, and how to build one like it of others."""
    if tree is None:
        return [], lambda _: None
    if isinstance(tree, dict):
        keys = list(tree)
        leaves, rebuild = _flatten([tree[key] for key in keys])
        return leaves, lambda arrays: dict(zip(keys, rebuild(arrays), strict=True))
    if isinstance(tree, (list, tuple)):
        parts = [_flatten(part) for part in tree]
        return [leaf for leaves, _ in parts for leaf in leaves], _rebuild_all(parts, type(tree))
    return [array(tree)], lambda arrays: arrays[0]


def _rebuild_all(
    parts: list[tuple[list[Array], Rebuild]], kind: type[list[Any] | tuple[Any, ...]]
) -> Rebuild:
    def rebuild(arrays: list[Array]) -> Any:
        rest = iter(arrays)
        made = [part([next(rest) for _ in leaves]) for leaves, part in parts]
        return kind(*made) if hasattr(kind, "_fields") else kind(made)

    return rebuild
