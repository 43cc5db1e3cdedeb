"""The command line. A module a command: options → Settings → pipeline → report; what they share is in session.py.

Nothing here imports libcst, so that ``--help`` is quick.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from codemods import __version__
from codemods.cli.apply import apply
from codemods.cli.check import check
from codemods.cli.classes import classes
from codemods.cli.diff import diff
from codemods.cli.rules import rules
from codemods.settings import SettingsError

NAME = "hijax-codemods"


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SettingsError as error:
            raise click.UsageError(str(error)) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which a person needs them


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name=NAME)
def cli() -> None:
    """Migrate code that defines JAX primitives on jax.experimental.hijax (HiPrim, VJPHiPrimitive).

    \b
      hijax-codemods diff  .    what would change, and what needs you
      hijax-codemods apply .    make the changes

    Exit status: 0 nothing left to do; 1 changes would be made (check) or manual items remain (check, apply); 2 wrong
    usage, or a file that could not be read, parsed or written (the others are still done).
    """


for _command in (diff, check, apply, rules, classes):
    cli.add_command(_command)


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    sys.exit(_status())


def _status() -> int:
    try:
        return cli.main(prog_name=NAME, standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
    except (KeyboardInterrupt, click.Abort):
        return 130
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        click.echo(f"internal error: {type(error).__name__}: {error}; run with --debug and report it", err=True)
    return 2
