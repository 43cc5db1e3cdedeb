"""``hijax-codemods rules``"""

from __future__ import annotations

import click

from codemods import pipeline
from codemods.cli.streams import write_stdout
from codemods.report import rules as show


@click.command()
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """List the rules, or explain the rule NAME (or code) with its examples."""
    docs = pipeline.rule_docs()
    page = show.table(docs) if name is None else show.page(pipeline.find_rule(name, docs))
    write_stdout(page.encode("utf-8"))
