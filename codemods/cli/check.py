"""``hijax-codemods check``"""

from __future__ import annotations

import click

from codemods.cli.options import Options, shared_options
from codemods.cli.session import Session, status
from codemods.report import text


@click.command()
@shared_options
@click.option("--exit-zero", is_flag=True, help="Exit with 0 although there are changes or manual items.")
def check(options: Options, exit_zero: bool) -> None:
    """List what would change and what needs you, one line each; write nothing.

    Exits with 1 if there is anything. -v adds what to do about the items that need you.
    """
    session = Session(options)
    report = session.run()
    session.write(report, text.lines(report, session.result_look(), changes=not options.quiet))
    session.explain(report, items=options.verbose)
    raise click.exceptions.Exit(status(report, changes=not exit_zero, manual=not exit_zero))
