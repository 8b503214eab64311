"""The application: finds the commands, runs one, turns every error into one line."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import farkas
from farkas.cli import commands
from farkas.errors import Exit


class Commands(TyperGroup):
    """The commands in the order a newcomer needs; one is imported when it is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names = [info.name for info in pkgutil.iter_modules(commands.__path__)]
        names.sort(key=lambda name: (commands.ORDER.get(name, len(commands.ORDER)), name))
        self._modules = {name.rstrip("_"): f"{commands.__name__}.{name}" for name in names}
        self.commands: dict[str, Any] = dict.fromkeys(self._modules)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Parser of one command; None when there is none of that name."""
        if cmd_name in self._modules and self.commands[cmd_name] is None:
            command = importlib.import_module(self._modules[cmd_name]).command
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            summary = command.__doc__.split("\n")[0]
            alone.command(cmd_name, short_help=summary)(command)
            self.commands[cmd_name] = typer.main.get_command(alone)
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Import and run a command; the parser would end Ctrl-C without a word."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
            return done
        except (KeyboardInterrupt, BrokenPipeError) as end:
            from farkas.cli.endings import Ended

            pressed = isinstance(end, KeyboardInterrupt)
            raise Ended(Exit.INTERRUPTED if pressed else Exit.BROKEN_PIPE) from None


app = typer.Typer(
    name="farkas",
    cls=Commands,
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"farkas {farkas.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Certified online resource allocation for distributed machine-learning jobs.

    Start with `farkas demo`.  Every command takes --json (one JSON object on standard output) and
    --help.  Exit codes: 0 done, 1 a negative result (mismatch, rejected certificate, refuted
    claim), 2 bad input or usage, 3 no answer (solver missing, limit reached without a point).
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def call(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing escapes but the exit code.

    Parameters
    ----------
    arguments
        Words after ``farkas``; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    try:
        code = app(words, prog_name="farkas", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.DONE
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        from farkas.cli.endings import ended

        return ended(error)


def _open_closed_streams() -> None:
    """Give a process started with closed streams (``>&-``) somewhere to write."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
