"""The files of a crate import one another in one direction: no circle, however long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CRATES = sorted((Path(__file__).resolve().parent.parent / "crates").iterdir())

Module = tuple[str, ...]
"""Where a file stands in its crate; nothing for `lib.rs`."""

Import = tuple[bool, Module, list[str]]
"""Whether it is handed on (`pub use`), the file it is from, and what it names there."""


def modules(crate: Path) -> dict[Module, str]:
    """The code of each file, without its tests and comments."""
    found = {}
    for file in (crate / "src").rglob("*.rs"):
        parts = file.relative_to(crate / "src").with_suffix("").parts
        code = re.split(r"#\[cfg\(test\)\]\nmod ", file.read_text())[0]
        found[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = re.sub(r"//[^\n]*", "", code)
    return found


def names(tree: str) -> Iterator[list[str]]:
    """The paths that a tree of `use` stands for."""
    before, brace, inside = tree.partition("{")
    if not brace:
        yield [part.strip().split(" as ")[0] for part in tree.split("::")]
        return
    depth, part = 0, ""
    for letter in inside.rpartition("}")[0] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            yield from names(before + part) if part.strip() else ()
            part = ""
        else:
            part += letter


def target(path: list[str], here: Module, known: dict[Module, str]) -> tuple[Module, list[str]] | None:
    """The file that a path leads to, and what is left of it; nothing for other crates."""
    match path:
        case ["crate", *rest]:
            module: Module = ()
        case ["super", *rest]:
            module = here[:-1]
        case ["self", *rest]:
            module = here
        case [first, *_] if (*here, first) in known:
            module, rest = here, path
        case _:
            return None
    while rest and rest[0] == "super":
        module, rest = module[:-1], rest[1:]
    while rest and (*module, rest[0]) in known:
        module, rest = (*module, rest[0]), rest[1:]
    return module, rest


def imports(here: Module, known: dict[Module, str]) -> Iterator[Import]:
    """What a file imports of its crate, and what it names by its path."""
    uses = re.findall(r"^\s*(pub(?:\([a-z: ]+\))? )?use ([^;]+);", known[here], re.MULTILINE)
    paths = [(bool(public), path) for public, tree in uses for path in names(re.sub(r"\s+", " ", tree))]
    named = re.findall(r"\b(?:crate|super)(?:::\w+)+", known[here])
    paths += [(False, path.split("::")) for path in named]
    for public, path in paths:
        if found := target(path, here, known):
            yield public, *found


def arrows(known: dict[Module, str]) -> dict[Module, set[Module]]:
    """The files of which each file imports something, where it is defined and not where it is handed on."""
    all_imports = {module: list(imports(module, known)) for module in known}
    handed_on = {
        (module, rest[0]): origin
        for module, found in all_imports.items()
        for public, origin, rest in found
        if public and rest and origin != module
    }
    graph: dict[Module, set[Module]] = {module: set() for module in known}
    for module, found in all_imports.items():
        for public, origin, rest in found:
            if public and origin[: len(module)] == module:
                continue
            while rest and (origin, rest[0]) in handed_on:
                origin = handed_on[origin, rest[0]]
            if rest and origin != module:
                graph[module].add(origin)
    return graph


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_imports_go_one_way(crate: Path) -> None:
    try:
        TopologicalSorter(arrows(modules(crate))).prepare()
    except CycleError as error:
        circle = " -> ".join("::".join(module) or "lib" for module in reversed(error.args[1]))
        pytest.fail(f"{crate.name}: {circle}")


def test_a_circle_is_found() -> None:
    graph = arrows(
        {(): "pub mod a;\nmod b;", ("a",): "use crate::b::{X, Y};", ("b",): "use super::a;\nuse super::a::Z;"}
    )
    assert graph[("a",)] == {("b",)} and graph[("b",)] == {("a",)}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()


def test_what_is_handed_on_is_from_where_it_is_defined() -> None:
    known = {(): "mod a;\nmod b;\npub use b::X;", ("a",): "use crate::X;", ("b",): "struct X;"}
    assert arrows(known)[("a",)] == {("b",)}
