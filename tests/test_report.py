"""Text and JSON reports of hand-made runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from codemods import __version__
from codemods.report import rules as rule_pages
from codemods.report import text
from codemods.report.json import render
from codemods.types import (
    Change,
    Example,
    FileError,
    FileResult,
    FileStatus,
    ManualItem,
    RuleDoc,
    RuleMeta,
    RunReport,
    Safety,
    Settings,
    Stage,
    UnusedSuppression,
)

PLAIN = text.Look()
COLOR = text.Look(color=True)
TERMINAL = text.Look(harmless=True)


def change(line: int = 5, column: int = 3) -> Change:
    return Change("vjp-bwd-retval", "HJX101", "Op.vjp_bwd", line, column, line + 1, Safety.SAFE, "renamed")


def item(line: int = 9, column: int = 1) -> ManualItem:
    return ManualItem("dict-is-logs", "HJX110", "Op.vjp_bwd", line, column, "dict-is-logs", "it is odd", "do this")


CHANGED = FileResult("a.py", FileStatus.CHANGED, (change(),), before=b"x\na\n", after=b"x\nb\n", classes=1, parsed=True)
ODD = FileResult("b.py", FileStatus.UNCHANGED, manual=(item(), item(12)))
FAILED = FileResult("c.py", FileStatus.FAILED, error=FileError(Stage.PARSE, "it is broken", "mend it", 3, 4))
MISSING = FileResult("d.py", FileStatus.FAILED, error=FileError(Stage.FIND, "there is no such file"))
UNUSED = FileResult("e.py", FileStatus.UNCHANGED, unused_suppressions=(UnusedSuppression(2, 8, "# noqa: HJX101"),))


def report(*files: FileResult, seen: int = 1203, mentioning: int = 4, classes: int = 9) -> RunReport:
    return RunReport(Settings(jax=">=0.12"), files, seen, 3, mentioning, classes, 0.12345)


@pytest.mark.parametrize(
    ("files", "outcome"),
    [
        ((), "nothing to do"),
        ((UNUSED,), "nothing to do"),
        ((CHANGED,), "1 file would change (1 change)"),
        ((replace(CHANGED, changes=(change(), change(6))), CHANGED), "2 files would change (3 changes)"),
        ((ODD,), "2 items need you"),
        ((replace(ODD, manual=(item(),)),), "1 item needs you"),
        ((FAILED,), "1 error"),
        ((CHANGED, ODD, FAILED, MISSING), "1 file would change (1 change), 2 items need you, 2 errors"),
    ],
)
def test_the_summary_says_what_came_of_it(files: tuple[FileResult, ...], outcome: str) -> None:
    seen = "Scanned 1,203 files, 4 mention hijax, 9 primitive classes; "
    assert text.summary(report(*files), text.Detail()) == seen + outcome + "."


def test_the_summary_in_the_singular_and_after_apply() -> None:
    one = report(CHANGED, seen=1, mentioning=1, classes=1)
    expected = "Scanned 1 file, 1 mentions hijax, 1 primitive class; 1 file changed (1 change)."
    assert text.summary(one, text.Detail(applied=True)) == expected


def test_lines_are_ordered_by_place() -> None:
    mixed = replace(CHANGED, changes=(change(5), change(10, 2), change(10, 1)), manual=(item(7), item(1)))
    assert text.lines(report(mixed, ODD), PLAIN) == (
        "a.py:1:1: HJX110 [dict-is-logs] it is odd\n"
        "a.py:5:3: HJX101 [vjp-bwd-retval] renamed\n"
        "a.py:7:1: HJX110 [dict-is-logs] it is odd\n"
        "a.py:10:1: HJX101 [vjp-bwd-retval] renamed\n"
        "a.py:10:2: HJX101 [vjp-bwd-retval] renamed\n"
        "b.py:9:1: HJX110 [dict-is-logs] it is odd\n"
        "b.py:12:1: HJX110 [dict-is-logs] it is odd\n"
    )
    assert text.lines(report(mixed), PLAIN, changes=False).count("\n") == 2
    assert text.lines(report(mixed), PLAIN, manual=False).count("\n") == 3


def test_items_and_errors_say_what_to_do() -> None:
    assert text.items(report(replace(ODD, manual=(item(),))), PLAIN) == (
        "b.py:9:1: HJX110 [dict-is-logs] it is odd\n    help: do this\n"
    )
    assert text.errors(report(FAILED, MISSING), PLAIN) == (
        "c.py:3:4: error [parse] it is broken\n    help: mend it\nd.py: error [find] there is no such file\n"
    )


def test_notes() -> None:
    full = replace(report(CHANGED, ODD, UNUSED), empty_folders=("docs",))
    note = "note: there is no Python file in docs\n"
    unused = "e.py:2:8: note: this suppresses nothing: # noqa: HJX101\n"
    counts = "HJX101 [vjp-bwd-retval] 1 change, 0 manual items\nHJX110 [dict-is-logs] 0 changes, 2 manual items\n"
    summary = text.summary(full, text.Detail()) + "\n"
    assert text.notes(full, PLAIN, text.Detail()) == note + summary
    assert text.notes(full, PLAIN, text.Detail(statistics=True)) == note + counts + summary
    assert text.notes(full, PLAIN, text.Detail(verbose=True)) == note + unused + counts + summary
    assert text.notes(full, PLAIN, text.Detail(quiet=True)) == ""


def test_colours_change_nothing_but_colours() -> None:
    full = report(CHANGED, ODD, FAILED)
    for show in (text.items, text.errors, text.lines):
        plain = show(full, PLAIN)
        assert "\x1b" not in plain
        assert plain != show(full, COLOR)
        assert plain == strip(show(full, COLOR))
    assert text.diff(full, PLAIN).decode() == strip(text.diff(full, COLOR).decode())
    assert b"\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n" in text.diff(full, COLOR)


def strip(painted: str) -> str:
    for code in ("0", "1", "31", "32", "33", "36"):
        painted = painted.replace(f"\x1b[{code}m", "")
    return painted


def test_control_characters_in_paths_and_messages_are_always_escaped() -> None:
    path = "a\x1b[2J\nb\u202e\x9b\udce9.py"
    evil = replace(ODD, path=path, manual=(replace(item(), message="m\x07\r"),))
    expected = "a\\x1b[2J\\nb\\u202e\\x9b\\udce9.py:9:1: HJX110 [dict-is-logs] m\\x07\\r\n"
    assert text.lines(report(evil), PLAIN) == expected
    assert text.items(report(evil), PLAIN).startswith(expected)
    assert "\x1b" not in text.errors(report(replace(FAILED, path=path)), PLAIN)


def test_source_keeps_its_bytes_in_a_pipe_and_is_harmless_on_a_terminal() -> None:
    evil = replace(
        CHANGED,
        before=b"# \xe9\x1b[31m\x9b\ttab\r\na\r\n",
        after=b"# \xe9\x1b[31m\x9b\ttab\r\nb\r\n",
        encoding="iso-8859-1",
    )
    assert b" # \xe9\x1b[31m\x9b\ttab\r\n-a\r\n+b\r\n" in text.diff(report(evil), PLAIN)
    shown = text.diff(report(evil), TERMINAL).decode()
    assert " # é\\x1b[31m\\x9b\ttab\n-a\n+b\n" in shown


def test_json() -> None:
    odd = replace(ODD, manual=(item(),))
    data = json.loads(render(report(CHANGED, odd, FAILED, MISSING, UNUSED)))
    assert list(data) == ["schema", "tool", "settings", "summary", "files"]
    assert data["schema"] == 1
    assert data["tool"] == {"name": "hijax-codemods", "version": __version__}
    assert data["settings"]["bwd"] == "retval"
    assert data["settings"]["jax"] == ">=0.12"
    assert data["summary"] == {
        "files_seen": 1203,
        "files_mentioning": 4,
        "files_parsed": 3,
        "files_changed": 1,
        "changes": 1,
        "manual": 1,
        "errors": 2,
        "classes": 9,
        "seconds": 0.123,
    }
    changed, manual, failed, missing = data["files"]
    assert changed == {
        "path": "a.py",
        "status": "changed",
        "changes": [
            {
                "rule": "vjp-bwd-retval",
                "code": "HJX101",
                "symbol": "Op.vjp_bwd",
                "line": 5,
                "column": 3,
                "end_line": 6,
                "safety": "safe",
                "message": "renamed",
            }
        ],
        "manual": [],
        "error": None,
        "diff": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n",
    }
    assert manual["status"] == "unchanged"
    assert manual["diff"] == ""
    assert manual["manual"] == [
        {
            "rule": "dict-is-logs",
            "code": "HJX110",
            "symbol": "Op.vjp_bwd",
            "line": 9,
            "column": 1,
            "reason": "dict-is-logs",
            "message": "it is odd",
            "help": "do this",
        }
    ]
    error = {"stage": "parse", "message": "it is broken", "help": "mend it", "line": 3, "column": 4}
    assert (failed["status"], failed["error"]) == ("failed", error)
    assert missing["error"] == {
        **dict.fromkeys(("line", "column")),
        "stage": "find",
        "message": "there is no such file",
        "help": "",
    }


def test_json_holds_any_path_and_encoding() -> None:
    odd = replace(CHANGED, path="\udce9.py", before=b"\xe9\n", after=b"\xe9\xe9\n", encoding="iso-8859-1")
    rendered = render(report(odd))
    assert rendered.isascii()
    (file,) = json.loads(rendered)["files"]
    assert file["path"] == "\udce9.py"
    assert file["diff"].endswith("-é\n+éé\n")


DOC = RuleDoc(
    RuleMeta("HJX101", "vjp-bwd-retval"),
    "Rename ``vjp_bwd``.",
    "Why,\nand limits.",
    (Example("a list", "return [g]\n", "return (g,)\n"), Example("fine", "if g:\n    pass\n", None)),
)


def test_the_table_of_rules() -> None:
    off = replace(DOC, meta=RuleMeta("HJX114", "no-rule", rewrites=False, default=False), summary="Report.")
    assert rule_pages.table([DOC, off]) == (
        "HJX101  vjp-bwd-retval  safe          Rename `vjp_bwd`.\nHJX114  no-rule         reports, off  Report.\n"
    )


def test_the_page_of_a_rule() -> None:
    assert rule_pages.page(DOC) == (
        "HJX101 vjp-bwd-retval (safe)\n\nRename `vjp_bwd`.\n\nWhy,\nand limits.\n\n"
        "Example: a list\n  before:\n    return [g]\n  after:\n    return (g,)\n\n"
        "Example: fine\n  left as it is:\n    if g:\n        pass\n"
    )
