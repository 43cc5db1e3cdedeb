"""Options of the command line and ``[tool.hijax-codemods]`` to ``Settings``: the only reader of configuration.

The table is looked for in the nearest ``pyproject.toml`` that has one, from the common folder of the paths upwards. An
option that is given on the command line replaces the key of the file. Patterns of ``exclude`` are relative to the
working directory on the command line, and to the file's folder in a file.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codemods.types import BwdStyle, Settings

TABLE = "tool.hijax-codemods"
STDIN = "-"


class SettingsError(ValueError):
    """Wrong usage: an option or key that does not exist or has a value that it cannot have (exit status 2)."""


@dataclass(frozen=True)
class ConfigChoice:
    """Which configuration file counts: ``file`` if given, none if ``isolated``, else the nearest to ``paths``."""

    file: str | None = None
    isolated: bool = False
    paths: tuple[str, ...] = (".",)


@dataclass(frozen=True)
class LoadedSettings:
    """The settings and the file, if any, that they come from in part."""

    settings: Settings
    config: str | None


def load_settings(given: Mapping[str, Any], choice: ConfigChoice) -> LoadedSettings:
    """Merge the options that were given (by key; absent or None if not) over the configuration file.

    Raises:
      SettingsError: a key is unknown, a value is wrong, or the file cannot be read.
    """
    config, table = _config(choice)
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{config}: [{TABLE}] {key}"
        if key not in _KEYS:
            raise SettingsError(f"{config}: [{TABLE}] has the unknown key `{key}`{suggestion(key, _KEYS)}")
        values[_field(key)] = _KEYS[key](value, where)
    if config is not None and "exclude" in values:
        values["exclude_root"] = os.path.dirname(os.path.abspath(config))
    for key, value in given.items():
        if value is not None:
            values[_field(key)] = _KEYS[key](value, f"--{key}")
            if key == "exclude":
                values["exclude_root"] = ""
    return LoadedSettings(Settings(**values), config)


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known one, and all that are known."""
    names = list(known)
    close = difflib.get_close_matches(word.lower(), [name.lower() for name in names], n=1)
    near = next((name for name in names if close and name.lower() == close[0]), None)
    return (f"; did you mean `{near}`?" if near else "") + f" (known: {', '.join(names)})"


def _field(key: str) -> str:
    return key.replace("-", "_")


def _bwd(value: Any, where: str) -> BwdStyle:
    styles = [style.value for style in BwdStyle]
    if value not in styles:
        raise SettingsError(f"{where}: {value!r} is none of {', '.join(styles)}")
    return BwdStyle(value)


def _jax(value: Any, where: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    if not isinstance(value, str):
        raise SettingsError(f"{where}: {value!r} is not a string such as '>=0.11.2'")
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        raise SettingsError(f"{where}: {value!r} is not a version specifier such as '>=0.11.2' or '==0.10.*'") from None
    return value.strip()


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise SettingsError(f"{where}: {value!r} is not a list of strings")
    return tuple(value)


def _names(value: Any, where: str) -> tuple[str, ...]:
    texts = _strings([value] if isinstance(value, str) else value, where)
    names = tuple(name.strip() for text in texts for name in text.split(",") if name.strip())
    if texts and not names:
        raise SettingsError(f"{where}: names no rule")
    return names


def _bool(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{where}: {value!r} is neither true nor false")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{where}: {value!r} is not a path")
    return value


def _jobs(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingsError(f"{where}: {value!r} is not a number of processes")
    return value


_KEYS: Mapping[str, Callable[[Any, str], Any]] = {
    "bwd": _bwd,
    "jax": _jax,
    "select": _names,
    "ignore": _names,
    "unsafe": _bool,
    "exclude": _strings,
    "force-exclude": _bool,
    "root": _text,
    "python": _text,
    "jobs": _jobs,
}
"""Every key, and how its value is checked and converted."""


def _config(choice: ConfigChoice) -> tuple[str | None, Mapping[str, Any]]:
    if choice.file is not None:
        return choice.file, _explicit_table(choice.file)
    if choice.isolated:
        return None, {}
    folder = _common_folder(choice.paths)
    while True:
        file = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(file):
            table = _table(_read(file), file)
            if table is not None:
                return os.path.relpath(file) if folder == os.getcwd() else file, table
        parent = os.path.dirname(folder)
        if parent == folder:
            return None, {}
        folder = parent


def _common_folder(paths: Sequence[str]) -> str:
    folders = []
    for path in paths:
        full = os.getcwd() if path == STDIN else os.path.abspath(path)
        folders.append(full if os.path.isdir(full) else os.path.dirname(full))
    try:
        return os.path.commonpath(folders)
    except ValueError:  # none, or on several drives
        return os.getcwd()


def _explicit_table(file: str) -> Mapping[str, Any]:
    """The table of a file named with ``--config``: the same table, or the keys alone in a file of their own."""
    data = _read(file)
    table = _table(data, file)
    if table is None and ("tool" in data or os.path.basename(file) == "pyproject.toml"):
        raise SettingsError(f"{file}: there is no [{TABLE}] table")
    return data if table is None else table


def _table(data: Mapping[str, Any], file: str) -> Mapping[str, Any] | None:
    tool = data.get("tool")
    table = tool.get("hijax-codemods") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{file}: {TABLE} is not a table")
    return table


def _read(file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: is not valid TOML: {error}") from None
