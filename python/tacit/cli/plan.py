"""`tacit plan`."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from tacit import UsageError, _native
from tacit.cli.options import OUTPUT, Params, ProgramPath, takes_run_options, takes_translation
from tacit.options import RunOptions
from tacit.outlook import explained, written
from tacit.programs import load_source
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
    if link is not None:
        given["planned_link"] = link
    told: dict[str, Any] = json.loads(_native.outlook(loaded, moves=explain is not None, **given))
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
