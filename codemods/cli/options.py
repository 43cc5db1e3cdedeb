"""The options that the commands share, and the one value that holds them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import click

from codemods.settings import STDIN, ConfigChoice

FORMATS = ("text", "json")


@dataclass(frozen=True)
class Options:
    """The shared options as they were given; None or empty where they were not, or where a command lacks them."""

    paths: tuple[str, ...]
    bwd: str | None = None
    jax: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    root: str | None = None
    python: str | None = None
    jobs: int | None = None
    format: str = "text"
    output: str | None = None
    config: str | None = None
    isolated: bool = False
    stdin_filename: str | None = None
    show_files: bool = False
    statistics: bool = False
    quiet: bool = False
    verbose: bool = False
    debug: bool = False
    color: str = "auto"

    def __post_init__(self) -> None:
        """Raises ``click.UsageError`` for options that exclude one another."""
        for is_wrong, message in (
            (STDIN in self.paths and len(self.paths) > 1, "`-` (standard input) cannot stand beside other paths"),
            (self.stdin_filename is not None and not self.is_stdin, "--stdin-filename needs `-` as the path"),
            (self.quiet and self.verbose, "--quiet and --verbose exclude one another"),
            (self.isolated and self.config is not None, "--isolated and --config exclude one another"),
            (self.show_files and self.is_stdin, "--show-files needs files or folders, not standard input"),
            (self.show_files and self.format != "text", "--show-files has no other format than text"),
        ):
            if is_wrong:
                raise click.UsageError(message)

    @property
    def is_stdin(self) -> bool:
        return self.paths == (STDIN,)

    @property
    def config_choice(self) -> ConfigChoice:
        paths = (self.stdin_filename,) if self.stdin_filename is not None else self.paths
        return ConfigChoice(self.config, self.isolated, paths)

    @property
    def settings(self) -> dict[str, Any]:
        """What was given of the keys that a configuration file may have too."""
        return {
            "bwd": self.bwd,
            "jax": self.jax,
            "select": self.select or None,
            "ignore": self.ignore or None,
            "unsafe": self.unsafe or None,
            "exclude": self.exclude or None,
            "force-exclude": self.force_exclude or None,
            "root": self.root,
            "python": self.python,
            "jobs": self.jobs,
        }


_DECORATORS = (
    click.argument("paths", nargs=-1, metavar="[PATHS]..."),
    click.option("--bwd", type=click.Choice(["retval", "accum"]), help="How a value-returning vjp_bwd is migrated."),
    click.option("--jax", metavar="SPEC", help="The jax releases that the code must run on, such as '>=0.11.2'."),
    click.option(
        "--select", multiple=True, metavar="RULES", help="Only these rules: names or codes (A,B; repeatable)."
    ),
    click.option("--ignore", multiple=True, metavar="RULES", help="Not these rules: names or codes (A,B; repeatable)."),
    click.option("--unsafe", is_flag=True, help="Also make the changes marked unsafe."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out, as in a .gitignore file (repeatable)."),
    click.option("--force-exclude", is_flag=True, help="Exclude paths that are named explicitly, too."),
    click.option("--root", type=click.Path(exists=True, file_okay=False), metavar="DIR", help="The project's root."),
    click.option("--python", metavar="PATH", help="An interpreter whose installed packages may hold bases."),
    click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes; default: the cores."),
    click.option("--format", type=click.Choice(FORMATS), default="text", show_default=True, help="What is written."),
    click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE, not to stdout."),
    click.option("--config", type=click.Path(), metavar="FILE", help="Instead of the nearest pyproject.toml."),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option("--stdin-filename", metavar="NAME", help="The path that reports show for standard input."),
    click.option("--show-files", is_flag=True, help="List the files that would be looked at, and stop."),
    click.option("--statistics", is_flag=True, help="Count changes and manual items by rule."),
    click.option("-q", "--quiet", is_flag=True, help="Besides the result, only errors and manual items."),
    click.option("-v", "--verbose", is_flag=True, help="Also unused suppressions, and counts by rule."),
    click.option("--debug", is_flag=True, help="Say what was configured; show the traceback of an internal error."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True),
)

_BY_NAME = dict(zip((field.name for field in fields(Options)), _DECORATORS, strict=True))

_LOOKING = "paths exclude force_exclude root python format output config isolated quiet verbose debug color".split()
_LISTING = {name: _BY_NAME[name] for name in _LOOKING} | {
    "verbose": click.option("-v", "--verbose", is_flag=True, help="Also where each base stands.")
}


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add all the options to ``command``, which gets them as its first argument."""
    return _with_options(command, _BY_NAME)


def listing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add those options that make sense where no rule runs."""
    return _with_options(command, _LISTING)


def _with_options(command: Callable[..., Any], options: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    @functools.wraps(command)
    def with_options(**given: Any) -> Any:
        shared = {name: given.pop(name) for name in options}
        shared["paths"] = shared["paths"] or (".",)
        return command(Options(**shared), **given)

    for decorate in reversed(tuple(options.values())):
        with_options = decorate(with_options)
    return with_options
