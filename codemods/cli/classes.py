"""``hijax-codemods classes``"""

from __future__ import annotations

import click

from codemods import pipeline
from codemods.cli.options import Options, listing_options
from codemods.cli.session import Session, status
from codemods.cli.streams import write_stderr
from codemods.report import text
from codemods.types import ClassReport


@click.command()
@listing_options
def classes(options: Options) -> None:
    """List every primitive class, its bases, and where its rules come from.

    Then the classes of which it cannot be told, with the base that could not be found. Exits with 2 if a file could
    not be read or parsed, else with 0.
    """
    if options.is_stdin:
        raise click.UsageError("`classes` looks at files and folders, not at standard input")
    session = Session(options)
    report = pipeline.classes(options.paths, session.settings)
    _write(session, report)
    raise click.exceptions.Exit(status(report.run))


def _write(session: Session, report: ClassReport) -> None:
    from codemods.report import classes as show

    options = session.options
    if options.format == "json":
        session.emit(show.render(report))
    else:
        session.emit(show.text(report, session.result_look(), with_bases=options.verbose))
    notes = text.errors(report.run, session.notes_look())
    if not options.quiet:
        if options.format == "text":
            notes += show.hint(report)
        notes += text.empty(report.run) + show.summary(report) + "\n"
    write_stderr(notes)
