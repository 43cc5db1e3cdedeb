"""``hijax-codemods diff``"""

from __future__ import annotations

import os

import click

from codemods.cli.options import Options, shared_options
from codemods.cli.session import Session, status
from codemods.report import text


@click.command()
@shared_options
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there are changes or manual items, as check does.")
def diff(options: Options, exit_code: bool) -> None:
    """Show what would change as a unified diff; write nothing.

    The diff goes to stdout, ready for `git apply`; the summary and what needs you go to stderr. PATHS are files,
    folders or - for standard input; the default is the working directory.
    """
    from codemods.project.listing import git_prefix

    session = Session(options)
    report = session.run()
    session.write(report, text.diff(report, session.result_look(), git_prefix(os.getcwd())))
    session.explain(report)
    raise click.exceptions.Exit(status(report, changes=exit_code, manual=exit_code))
