"""`tacit pfe`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tacit import UsageError, _native
from tacit.cli.options import Params, ProgramPath, takes_translation
from tacit.inputs import RoleInputs, read_given
from tacit.programs import load_source
from tacit.sources import Translation


@takes_translation
def pfe_command(
    program: ProgramPath,
    local: Annotated[
        bool, typer.Option("--local", help="Run both parties here, with the real protocol between them.")
    ] = False,
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="The role of the data's owner; all others are the function's holder."),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input", help="A JSON file or object; ROLE=… where there are several roles, once for each."
        ),
    ] = None,
    gates: Annotated[
        int | None,
        typer.Option("--gates", help="Announce so many NAND gates, which hides how many there are."),
    ] = None,
    params: Params = None,
    *,
    translation: Translation,
) -> None:
    """Evaluate a private function: the data's owner learns the result, and its size alone of the function."""
    if not local:
        raise UsageError("private functions are evaluated with --local: both parties run here")
    if gates is not None and gates < 1:
        raise UsageError(f"--gates {gates}: announce at least one gate for each bit of the outputs")
    source = load_source(program, params or [], translation)
    roles = source.program.roles
    if owner is None and len(roles) > 1:
        raise UsageError(f"--owner missing: which of the roles {', '.join(roles)} has the data?")
    owner = owner or roles[0]
    nothing: dict[str, RoleInputs] = dict.fromkeys(roles, "{}")
    inputs = source.encode(nothing | read_given(given or [], roles))
    outputs, announced = _native.private_local(source.program, owner, inputs, gates)
    sys.stderr.write(f"{announced} NAND gates are announced; {owner} alone learns the result\n")
    sys.stdout.write(source.merged(source.decode({owner: outputs})) + "\n")
