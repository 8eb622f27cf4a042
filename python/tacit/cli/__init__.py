"""The command line: parses, calls, and turns errors into messages and exit codes."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from types import FrameType

# A user's own rich.py, beside a program that is run, comes too late.
import rich.console
import rich.progress  # noqa: F401
import typer

from tacit import TacitError, __version__, starting
from tacit.cli.auction import PASSED_ON, auction_command
from tacit.cli.bench import bench_command
from tacit.cli.calibrate import calibrate_command
from tacit.cli.check import check_command
from tacit.cli.compile import compile_command
from tacit.cli.keygen import keygen_command
from tacit.cli.new import new_command
from tacit.cli.pfe import pfe_command
from tacit.cli.plan import plan_command
from tacit.cli.plot import plot_command
from tacit.cli.report import report_command
from tacit.cli.run import run_command
from tacit.cli.store import prepare_command, store_app
from tacit.exit_codes import ExitCode, exit_code

_EPILOG = (
    "Exit codes: 0 done, 2 wrong usage, 3 bad program, 4 bad input, 5 peer absent, gone or not authentic, "
    "6 protocol aborted, 7 a property is violated, 8 one is undecided, 130 interrupted."
)

app = typer.Typer(
    help="Computes on data that its owners do not show each other.",
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("keygen")(keygen_command)
app.command("new")(new_command)
app.command("run")(run_command)
app.command("compile")(compile_command)
app.command("plan")(plan_command)
app.command("calibrate")(calibrate_command)
app.command("pfe")(pfe_command)
app.command("check")(check_command)
app.command("prepare")(prepare_command)
app.add_typer(store_app, name="store")
app.command("auction", context_settings=PASSED_ON)(auction_command)
app.command("bench")(bench_command)
app.command("plot")(plot_command)
app.command("report")(report_command)


def _version(show: bool) -> None:
    if show:
        sys.stdout.write(f"tacit {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    del version


def execute(arguments: Sequence[str]) -> int:
    """Runs the command line and returns its exit code. Errors become one message on stderr."""
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # values may have any width
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        starting.begun()
        code = app(list(arguments), prog_name="tacit", standalone_mode=False)
    except typer.TyperException as error:
        return _fail(ExitCode.USAGE, error.format_message())
    except TacitError as error:
        return _fail(exit_code(error), str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    if code == ExitCode.INTERRUPTED:
        return _fail(ExitCode.INTERRUPTED, "interrupted")
    return int(code or 0)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _fail(code: ExitCode, message: str) -> int:
    sys.stderr.write(f"tacit: {_plain(message)}\n")
    return int(code)


def _plain(message: str) -> str:
    """A message without what only programmers read: numbers of errors, and classes of Python."""
    return re.sub(r" \(os error \d+\)", "", message).replace(": Value error, ", ": ")
