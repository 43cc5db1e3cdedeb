"""What diff, check and apply have in common: settings, the run, and where the result and the notes go."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from codemods import pipeline
from codemods.cli.options import Options
from codemods.cli.streams import is_terminal, read_stdin, write_stderr, write_stdout
from codemods.report import text
from codemods.settings import load_settings
from codemods.types import FileStatus, RunReport, SourceFile

UNNAMED = "<stdin>"


class Session:
    """One invocation. Making it may raise ``SettingsError``; with ``--show-files`` it lists them and exits."""

    def __init__(self, options: Options) -> None:
        self.options = options
        loaded = load_settings(options.settings, options.config_choice)
        self.settings = pipeline.with_known_rules(loaded.settings)
        if options.debug:
            write_stderr(f"debug: configuration file: {loaded.config or 'none'}\ndebug: {self.settings}\n")
        if options.show_files:
            self._show_files()
        self._source: SourceFile | None = None

    def run(self) -> RunReport:
        """The dry run of the paths or of standard input."""
        if not self.options.is_stdin:
            return pipeline.run(self.options.paths, self.settings)
        name = self.options.stdin_filename
        self._source = SourceFile(UNNAMED if name is None else os.path.normpath(name), read_stdin())
        return pipeline.run_source(self._source, self.settings)

    def rewritten(self, report: RunReport) -> bytes:
        """What standard input became; as it was, unless it changed."""
        assert self._source is not None
        return report.changed[0].after if report.changed else self._source.data

    def result_look(self) -> text.Look:
        """How the result is shown where it goes."""
        return self._look(self.options.output is None and is_terminal(sys.stdout))

    def notes_look(self) -> text.Look:
        """How errors and notes are shown on stderr."""
        return self._look(is_terminal(sys.stderr))

    def write(self, report: RunReport, result: bytes | str) -> None:
        """The result, or the JSON report in its place, to stdout or ``--output``."""
        if self.options.format == "json":
            from codemods.report import json

            result = json.render(report)
        self.emit(result)

    def emit(self, result: bytes | str) -> None:
        """The result, whatever it is, to stdout or ``--output``."""
        data = result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result
        if self.options.output is None:
            write_stdout(data)
            return
        from codemods.engine.write import write_output

        try:
            write_output(self.options.output, data)
        except OSError as error:
            message = f"--output: {self.options.output} cannot be written: {error.strerror or error}"
            raise click.ClickException(message) from None

    def explain(self, report: RunReport, *, items: bool = True, applied: bool = False) -> None:
        """Errors, manual items and the summary, to stderr; in JSON the items are part of the report."""
        look = self.notes_look()
        options = self.options
        detail = text.Detail(options.quiet, options.verbose, options.statistics, applied)
        parts = [text.errors(report, look)]
        if items and options.format == "text":
            parts.append(text.items(report, look))
        parts.append(text.notes(report, look, detail))
        if options.debug:
            parts.append(f"debug: {report.files_parsed} files parsed, {report.seconds:.3f} seconds\n")
        write_stderr("".join(parts))

    def _look(self, on_terminal: bool) -> text.Look:
        color = self.options.color
        is_wanted = on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return text.Look(color == "always" or (color == "auto" and is_wanted), on_terminal)

    def _show_files(self) -> NoReturn:
        found = pipeline.find_files(self.options.paths, self.settings)
        listing = "".join(text.harmless(path) + "\n" for path in found.files)
        report = RunReport(self.settings, found.failed, 0, 0, 0, 0, 0.0, found.empty_folders)
        self.write(report, listing)
        look = self.notes_look()
        write_stderr(text.errors(report, look) + text.empty(report))
        raise click.exceptions.Exit(2 if found.failed else 0)


def status(report: RunReport, *, changes: bool = False, manual: bool = False) -> int:
    """2 for a file that failed; else 1 if there are changes or manual items, where these count; else 0."""
    if any(result.status is FileStatus.FAILED for result in report.files):
        return 2
    return int((changes and bool(report.changes)) or (manual and bool(report.manual)))
