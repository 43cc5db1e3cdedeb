"""``hijax-codemods apply``"""

from __future__ import annotations

import click

from codemods import pipeline
from codemods.cli.options import Options, shared_options
from codemods.cli.session import Session, status
from codemods.report import text


@click.command()
@shared_options
def apply(options: Options) -> None:
    """Rewrite the files in place.

    Lists the changes on stdout and what needs you on stderr; exits with 1 if anything needs you. With - as the path,
    the rewritten source goes to stdout.
    """
    session = Session(options)
    report = session.run()
    if options.is_stdin:
        session.write(report, session.rewritten(report))
    else:
        report = pipeline.apply(report)
        session.write(report, text.lines(report, session.result_look(), changes=not options.quiet, manual=False))
    session.explain(report, applied=True)
    raise click.exceptions.Exit(status(report, manual=True))
