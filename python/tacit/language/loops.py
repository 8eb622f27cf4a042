"""Loops over secret data that repeat one body. The body is traced once, however many iterations there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tacit._native import Array, ShapeError
from tacit.language.context import graph
from tacit.language.operators import array, constant

Carried = TypeVar("Carried")


def fori(count: int, body: Callable[[Array, Carried], Carried], init: Carried) -> Carried:
    """`for i in range(count): state = body(i, state)`, from `init`; returns the last state.

    A state is an array, or tuples, lists and dicts of arrays. Its shapes and kinds must stay the same.
    """
    state, rebuild = _flatten(init)
    _refuse_nothing(state)
    carried = _Carried(state)
    if count == 0 or not carried.full:
        unchanged: Carried = rebuild(state)
        return unchanged
    writer = graph()
    counter, entered, _ = writer.begin_loop(count, carried.full, [])
    try:
        after = carried.leaving(_flatten(body(counter, rebuild(carried.among(entered))))[0])
    except BaseException:
        writer.abandon_loop()
        raise
    last, _ = writer.end_loop(after, [])
    result: Carried = rebuild(carried.among(last))
    return result


def scan(
    body: Callable[[Carried, Any], tuple[Carried, Any]],
    init: Carried,
    xs: Any = None,
    length: int | None = None,
) -> tuple[Carried, Any]:
    """`for x in xs: state, y = body(state, x)`, from `init`; returns the last state and the stack of all `y`.

    `xs` are arrays that are split along their first axis; without `xs`, `length` is the number of iterations.
    A state, `xs` and `y` are arrays, or tuples, lists and dicts of arrays; `y` may be None.
    """
    state, rebuild = _flatten(init)
    carried = _Carried(state)
    parts, rebuild_part = _flatten(xs)
    count = length if length is not None else _length(parts)
    sliced = _Carried(parts)
    writer = graph()
    # Without iterations the body is traced for the shapes and kinds of what it would give, and given up.
    _, entered, slices = writer.begin_loop(max(count, 1), carried.full, sliced.full)
    try:
        element = sliced.among(slices, [_element(part, count) for part in parts])
        after, kept = body(rebuild(carried.among(entered)), rebuild_part(element))
        leaving = carried.leaving(_flatten(after)[0])
        kept_list, rebuild_kept = _flatten(kept)
        _refuse_nothing([*state, *kept_list])
        stacked = _Carried(kept_list)
        empty = [_stack_of_nothing(one, count) for one in kept_list] if count == 0 else []
    except BaseException:
        writer.abandon_loop()
        raise
    if count == 0 or not (leaving or stacked.full):
        writer.abandon_loop()
        return rebuild(state), rebuild_kept(empty or [_stack_of_nothing(one, count) for one in kept_list])
    last, stacks = writer.end_loop(leaving, stacked.full)
    nothing = [_stack_of_nothing(one, count) if one.size == 0 else one for one in kept_list]
    return rebuild(carried.among(last)), rebuild_kept(stacked.among(stacks, nothing))


class _Carried:
    """Arrays of a loop, which carries only those with elements."""

    def __init__(self, arrays: list[Array]) -> None:
        self._arrays = arrays
        self.full = [one for one in arrays if one.size]

    def among(self, full: Iterable[Array], empty: list[Array] | None = None) -> list[Array]:
        """All arrays again: the given ones with elements, and the ones without."""
        rest = iter(full)
        others = self._arrays if empty is None else empty
        return [next(rest) if one.size else other for one, other in zip(self._arrays, others, strict=True)]

    def leaving(self, after: list[Array]) -> list[Array]:
        """Those with elements among the arrays that come in place of these."""
        for before, one in zip(self._arrays, after, strict=False):
            if before.shape != one.shape:
                raise ShapeError(
                    f"a value in the state of the loop starts with shape {before.shape} and becomes "
                    f"{one.shape}; its shape must stay the same"
                )
        return [one for one in after if one.size]


def _refuse_nothing(arrays: list[Array]) -> None:
    if not arrays:
        raise ShapeError("the loop has neither a state nor results")


def _element(part: Array, count: int) -> Array:
    """One part of an array without elements, or what would be one; an array with elements as it is."""
    if not part.shape or len(part) != count:
        raise ShapeError(f"an array of shape {part.shape} does not have {count} entries to loop over")
    if part.size:
        return part
    if count:
        return part[0]
    return constant(0, part.kind).broadcast_to(part.shape[1:])


def _stack_of_nothing(part: Array, count: int) -> Array:
    """So many of an array without elements one after the other, or none of any array."""
    return part.broadcast_to((max(count, 1), *part.shape))[:count]


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
