"""Options and configuration files to settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codemods.settings import ConfigChoice, LoadedSettings, SettingsError, load_settings
from codemods.types import BwdStyle, Settings

TABLE = "[tool.hijax-codemods]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


NEAREST = ConfigChoice()


def load(choice: ConfigChoice = NEAREST, **given: Any) -> LoadedSettings:
    return load_settings({key.replace("_", "-"): value for key, value in given.items()}, choice)


def test_defaults() -> None:
    assert load() == LoadedSettings(Settings(), None)


def test_every_option() -> None:
    loaded = load(
        bwd="accum",
        jax=" >=0.11.2,<0.13 ",
        select=("HJX101, derive-vjp", "HJX104"),
        ignore=("HJX112",),
        unsafe=True,
        exclude=("gen/", "a,b.py"),
        force_exclude=True,
    )
    assert loaded.settings == Settings(
        bwd=BwdStyle.ACCUM,
        jax=">=0.11.2,<0.13",
        select=("HJX101", "derive-vjp", "HJX104"),
        ignore=("HJX112",),
        unsafe=True,
        exclude=("gen/", "a,b.py"),
        force_exclude=True,
    )


def test_every_key_of_a_file(here: Path) -> None:
    (here / "pyproject.toml").write_text(
        TABLE + 'bwd = "accum"\njax = ">=0.11"\nselect = ["HJX101"]\nignore = "HJX112, HJX113"\nunsafe = true\n'
        'exclude = ["gen/"]\nforce-exclude = true\n'
    )
    loaded = load()
    assert loaded.config == "pyproject.toml"
    assert loaded.settings == Settings(
        BwdStyle.ACCUM, ">=0.11", ("HJX101",), ("HJX112", "HJX113"), True, ("gen/",), str(here), True
    )


def test_options_replace_keys_one_by_one(here: Path) -> None:
    (here / "pyproject.toml").write_text(TABLE + 'bwd = "accum"\nselect = ["HJX101"]\nexclude = ["gen/"]\n')
    settings = load(select=("HJX102",), exclude=("other/",)).settings
    assert settings == Settings(bwd=BwdStyle.ACCUM, select=("HJX102",), exclude=("other/",))


def test_the_nearest_file_with_the_table_counts(here: Path) -> None:
    inner = here / "a" / "b"
    inner.mkdir(parents=True)
    (here.parent / "pyproject.toml").write_text(TABLE + 'bwd = "accum"\n')
    assert load().settings.bwd is BwdStyle.ACCUM
    (here / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load().settings.bwd is BwdStyle.ACCUM
    (here / "a" / "pyproject.toml").write_text(TABLE + 'bwd = "retval"\n')
    assert load(ConfigChoice(paths=("a/b",))).settings.bwd is BwdStyle.RETVAL
    assert load(ConfigChoice(paths=("a/b/x.py", "a"))).settings.bwd is BwdStyle.RETVAL
    assert load(ConfigChoice(paths=("a/b", "."))).settings.bwd is BwdStyle.ACCUM
    assert load(ConfigChoice(paths=("-",))).settings.bwd is BwdStyle.ACCUM


def test_isolated_reads_no_file(here: Path) -> None:
    (here / "pyproject.toml").write_text(TABLE + 'bwd = "accum"\n')
    assert load(ConfigChoice(isolated=True)) == LoadedSettings(Settings(), None)


@pytest.mark.parametrize(("name", "head"), [("other.toml", ""), ("other.toml", TABLE), ("pyproject.toml", TABLE)])
def test_a_file_that_is_named(here: Path, name: str, head: str) -> None:
    (here / "pyproject.toml").write_text(TABLE + "unsafe = true\n")
    (here / "etc").mkdir()
    file = here / "etc" / name
    file.write_text(head + 'bwd = "accum"\nexclude = ["gen/"]\n')
    loaded = load(ConfigChoice(file=str(file)))
    assert loaded.config == str(file)
    assert loaded.settings == Settings(bwd=BwdStyle.ACCUM, exclude=("gen/",), exclude_root=str(here / "etc"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bdw = 'accum'", r"pyproject.toml: \[tool.hijax-codemods\] has the unknown key `bdw`; did you mean `bwd`\?"),
        ("format = 'json'", r"unknown key `format`.*\(known: bwd, jax, select"),
        ("force_exclude = true", "did you mean `force-exclude`"),
        ("bwd = 'both'", r"pyproject.toml: \[tool.hijax-codemods\] bwd: 'both' is none of retval, accum"),
        ("bwd = 1", "bwd: 1 is none of"),
        ("jax = '0.12'", "jax: '0.12' is not a version specifier such as '>=0.11.2'"),
        ("jax = 0.12", "jax: 0.12 is not a string"),
        ("select = [1]", "select: .* is not a list of strings"),
        ("select = ' , '", "select: names no rule"),
        ("unsafe = 'yes'", "unsafe: 'yes' is neither true nor false"),
        ("exclude = 'gen'", "exclude: 'gen' is not a list of strings"),
        ("bwd = ", "pyproject.toml: is not valid TOML"),
        ("[[tool.hijax-codemods]]", "pyproject.toml: is not valid TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_key_and_file(here: Path, text: str, message: str) -> None:
    (here / "pyproject.toml").write_text(TABLE + text + "\n")
    with pytest.raises(SettingsError, match=message):
        load()


def test_a_table_that_is_none(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool]\nhijax-codemods = 3\n")
    with pytest.raises(SettingsError, match="is not a table"):
        load()


def test_a_file_that_is_named_and_cannot_be_used(here: Path) -> None:
    with pytest.raises(SettingsError, match=r"missing.toml: cannot be read: No such file"):
        load(ConfigChoice(file="missing.toml"))
    (here / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(SettingsError, match=r"there is no \[tool.hijax-codemods\] table"):
        load(ConfigChoice(file="pyproject.toml"))
    (here / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="is not valid TOML"):
        load(ConfigChoice(file="bytes.toml"))


@pytest.mark.parametrize("spec", ["0.12", ">=", "newest", ">=0.11 <0.12"])
def test_a_malformed_specifier_is_refused(spec: str) -> None:
    with pytest.raises(SettingsError, match=r"--jax: .* is not a version specifier"):
        load(jax=spec)


@pytest.mark.parametrize("spec", [">=0.11.2", "==0.10.*", ">=0.10,<0.13", "~=0.11", ""])
def test_specifiers(spec: str) -> None:
    assert load(jax=spec).settings.jax == spec
