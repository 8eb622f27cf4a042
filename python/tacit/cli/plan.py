"""`tacit plan`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import UsageError, _native
from tacit.cli.options import OUTPUT, USUALLY, Params, ProgramPath, takes_run_options, takes_translation
from tacit.options import RunOptions
from tacit.outlook import explained, written
from tacit.plan_dot import plan_dot
from tacit.plan_page import plan_page
from tacit.programs import load_source
from tacit.scale import parties_of, scale
from tacit.scale import told as told_scale
from tacit.scale import written as written_scale
from tacit.sources import Translation


@takes_run_options(without=("net", "planned_link"))
@takes_translation
def plan_command(
    program: ProgramPath,
    link: Annotated[
        str | None,
        typer.Option("--link", help="The link to plan for: lan, wan, mobile, or e.g. 100mbit,20ms."),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option("--explain", help="Explain the domains of the operations of a line or of a kind."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", rich_help_panel=OUTPUT, help="Also write the plan as a page, with its graph."),
    ] = None,
    dot: Annotated[
        Path | None,
        typer.Option("--dot", rich_help_panel=OUTPUT, help="Also write the plan's graph for Graphviz."),
    ] = None,
    simulate: Annotated[
        str | None,
        typer.Option(
            "--simulate",
            help="parties=N: bytes, rounds and seconds among N parties, three or more, and as many as 10000.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print the plan as one JSON object.")
    ] = False,
    params: Params = None,
    *,
    translation: Translation,
    options: RunOptions,
) -> None:
    """Predict a run: who learns what, in which domains, seconds, bytes, rounds, and alternatives."""
    source = load_source(program, params or [], translation)
    loaded, given = source.program, options.or_else(source.usual).given()
    if simulate is not None:
        if explain is not None or html is not None or dot is not None:
            raise UsageError("--simulate: --explain, --html and --dot are for two parties; leave them out")
        _simulate(simulate, link, loaded, given, as_json=as_json)
        return
    if link is not None:
        given["planned_link"] = link
    explains, draws = explain is not None, html is not None or dot is not None
    more = {"moves": explains, "bound": draws or not explains, "graph": draws}
    told: dict[str, Any] = json.loads(_native.outlook(loaded, **more, **given))
    if html is not None:
        write_drawing("--html", html, plan_page(told))
    if dot is not None:
        write_drawing("--dot", dot, _dot(dot, told))
    if as_json:
        sys.stdout.write(json.dumps(told) + "\n")
        return
    if explain is None:
        sys.stdout.write(written(told))
        return
    answer = explained(told, explain)
    if answer is None:
        kinds = sorted({operation["kind"] for operation in told["operations"]})
        raise UsageError(
            f"--explain {explain}: the program has no operation of that kind and none on that line; "
            f"its kinds are {', '.join(kinds)}"
        )
    sys.stdout.write(answer)


def _simulate(text: str, link: str | None, program: Any, given: dict[str, Any], *, as_json: bool) -> None:
    among, profile, classes = given.get("domain") or "bool", given.get("profile"), given.get("classes")
    where = link or USUALLY["planned_link"]
    found = scale(program, parties_of(text), where, among, profile, classes)
    sys.stdout.write(json.dumps(told_scale(found)) + "\n" if as_json else written_scale(found))


def _dot(path: Path, told: dict[str, Any]) -> str:
    text = plan_dot(told)
    if text is None:
        raise UsageError(f"--dot {path}: the program has operations of too many kinds and lines to be drawn")
    return text


def write_drawing(option: str, path: Path, drawing: str) -> None:
    """Writes what an option asks for to a file."""
    try:
        path.write_text(drawing, "utf-8")
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from None
