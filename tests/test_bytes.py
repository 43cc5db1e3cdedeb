"""Bytes that a change has no reason to touch: encodings, newlines, layout, and what cannot be read at all."""

from __future__ import annotations

import re

import pytest

from codemods.engine.source import split_lines
from codemods.types import BwdStyle, FileStatus, Stage
from tests.conftest import Rewriter

SOURCE = """\
import jax
from jax.experimental.hijax import VJPHiPrimitive


class Op(VJPHiPrimitive):
    # above the rule
    def vjp_bwd(self, res, g):
        # keep me
        return (g * res,)  # trailing
"""

FILES = {
    "plain": SOURCE.encode(),
    "crlf": SOURCE.replace("\n", "\r\n").encode(),
    "cr only": SOURCE.replace("\n", "\r").encode(),
    "mixed newlines": SOURCE.replace("\n", "\r\n", 5).encode(),
    "lf before crlf": (SOURCE[:60] + SOURCE[60:].replace("\n", "\r\n")).encode(),
    "form feeds": ("\x0c\n" + SOURCE + "\x0c\ndef after():\n    \x0c\n    return 1\n").encode(),
    "form feed inside the rule": SOURCE.replace("        # keep", "\x0c        # keep").encode(),
    "byte order mark": b"\xef\xbb\xbf" + SOURCE.encode(),
    "byte order mark and cookie": b"\xef\xbb\xbf# coding: utf-8\n" + SOURCE.encode(),
    "latin-1": "# -*- coding: latin-1 -*-\n# dérivée\n".encode("latin-1") + SOURCE.encode(),
    "cp1252 on line 2": "#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n# “x”\n".encode("cp1252")
    + SOURCE.encode(),
    "shift-jis": "# coding: shift_jis\nNAME = '勾配'\n".encode("shift_jis") + SOURCE.encode(),
    "tabs": SOURCE.replace("    ", "\t").encode(),
    "two spaces": SOURCE.replace("    ", "  ").encode(),
    "tab then spaces": SOURCE.replace("        ", "\t    ")
    .replace("\n    def", "\n\tdef")
    .replace("\n    # above", "\n\t# above")
    .encode(),
    "no final newline": SOURCE.rstrip("\n").encode(),
    "blanks at the end": (SOURCE + "   ").encode(),
    "blank lines at the end": (SOURCE + "\n\n\n").encode(),
    "unicode separators": SOURCE.replace("import jax\n", "import jax\nSEP = 'a\u2028b\x85c\x1cd'\n").encode(),
    "crlf inside a string": SOURCE.replace("import jax\n", "import jax\nDOC = '''one\r\ntwo\n'''\n").encode(),
    "space before a colon": (SOURCE + "\ntry:\n    pass\nexcept ValueError :\n    pass\n").encode(),
    "comment left of its block": (SOURCE + "if Op:\n\t#c\n  #d\n\tpass\n").encode(),
    "backslash line": (SOURCE + "x = 1\n\\\n\ny = 2\n").encode(),
    "trailing blanks": SOURCE.replace("trailing\n", "trailing   \n").encode(),
    "blanks on an empty line": SOURCE.replace("        # keep", "    \n        # keep").encode(),
}


def _lines(data: bytes) -> list[bytes]:
    return re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", data)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_only_the_changed_lines_differ(data: bytes, migrate: Rewriter, bwd: BwdStyle) -> None:
    result = migrate(data, bwd=bwd)
    assert result.error is None and result.status is FileStatus.CHANGED
    before, after = _lines(data), _lines(result.after)
    rule = next(i for i, line in enumerate(before) if b"def vjp_bwd" in line)
    returned = next(i for i, line in enumerate(before) if b"return (g * res,)" in line)
    ending = before[rule][len(before[rule].rstrip(b"\r\n")) :]
    if bwd is BwdStyle.RETVAL:
        expected = list(before)
        expected[rule] = before[rule].replace(b"vjp_bwd", b"vjp_bwd_retval")
    else:
        indent = before[returned][: before[returned].index(b"return")]
        call = indent + b"jax.tree.map(lambda acc, ct: acc.accum(ct), arg_accums, (g * res,))" + ending
        expected = [*before[:returned], call, *before[returned:]]
        expected[rule] = before[rule].replace(b"g):", b"g, *arg_accums):")
        expected[returned + 1] = before[returned].replace(b"(g * res,)", b"None")
    assert after == expected
    again = migrate(result.after, bwd=bwd)
    assert again.changes == () and again.after == result.after


LAYOUTS = {
    "keywords without a space": (
        "    def vjp_bwd(self, res, g):\n        if(g is None):\n            return[g]\n        return(g,)\n",
        "    def vjp_bwd_retval(self, res, g):\n        if(g is None):\n            return (g,)\n        return(g,)\n",
    ),
    "backslash return": (
        "    def vjp_bwd(self, res, g):\n        return \\\n            g, \\\n            res\n",
        "    def vjp_bwd_retval(self, res, g):\n        return \\\n            g, \\\n            res\n",
    ),
    "magic trailing comma": (
        "    def vjp_bwd(\n        self,\n        res,  # residuals\n        g,  # cotangent\n    ):\n"
        "        return [\n            g * res,  # d/dx\n            None,  # d/dn\n        ]\n",
        "    def vjp_bwd_retval(\n        self,\n        res,  # residuals\n        g,  # cotangent\n    ):\n"
        "        return (\n            g * res,  # d/dx\n            None,  # d/dn\n        )\n",
    ),
    "one-line def": (
        "    def vjp_bwd(self, res, g): return [g * res]  # one\n",
        "    def vjp_bwd_retval(self, res, g): return (g * res,)  # one\n",
    ),
    "semicolons": (
        "    def vjp_bwd(self, res, g): a = g; return [a]\n",
        "    def vjp_bwd_retval(self, res, g): a = g; return (a,)\n",
    ),
    "dropped accumulators": (
        "    def vjp_bwd(\n        self, res, g,\n        x_acc,\n        y_acc,\n    ):\n        return (g, res)\n",
        "    def vjp_bwd_retval(\n        self, res, g,\n    ):\n        return (g, res)\n",
    ),
    "positional-only": (
        "    def vjp_bwd(self, res, g, /, x_acc): return (g,)\n",
        "    def vjp_bwd_retval(self, res, g, /): return (g,)\n",
    ),
    "all positional-only": (
        "    def vjp_bwd(self, res, g, x_acc, /): return (g,)\n",
        "    def vjp_bwd_retval(self, res, g, /): return (g,)\n",
    ),
    "keyword-only kept": (
        "    def vjp_bwd(self, res, g, *accs, scale=1.0, **kw): return (g * scale,)\n",
        "    def vjp_bwd_retval(self, res, g, *, scale=1.0, **kw): return (g * scale,)\n",
    ),
    "annotations and decorators": (
        "    @typing.override  # why\n    def vjp_bwd(self, res: R, g: 'Array', *accs: Any) -> tuple[Array]:\n"
        "        return (g,)\n",
        "    @typing.override  # why\n    def vjp_bwd_retval(self, res: R, g: 'Array') -> tuple[Array]:\n"
        "        return (g,)\n",
    ),
    "del of accumulators": (
        "    def vjp_bwd(self, res, g, x_acc, y_acc):\n        del x_acc, y_acc\n        return (g, res)\n",
        "    def vjp_bwd_retval(self, res, g):\n        return (g, res)\n",
    ),
    "del with a comment": (
        "    def vjp_bwd(self, res, g, x_acc):\n        del x_acc  # unused\n        return (g,)\n",
        "    def vjp_bwd_retval(self, res, g):\n        pass  # unused\n        return (g,)\n",
    ),
    "del of more": (
        "    def vjp_bwd(self, res, g, x_acc):\n        del res, x_acc\n        return (g,)\n",
        "    def vjp_bwd_retval(self, res, g):\n        del res\n        return (g,)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout_is_kept(before: str, after: str, migrate: Rewriter) -> None:
    head = "import typing\nfrom jax.experimental.hijax import HiPrim\n\n\nclass Op(HiPrim):\n"
    result = migrate((head + before).encode())
    assert result.error is None, result.error
    assert result.after.decode() == head + after


ACCUMULATED = {
    "an input without a cotangent": (
        '    def vjp_bwd(self, res, g):\n        """Doc."""\n        return g * res, None\n',
        '    def vjp_bwd(self, res, g, x_acc, n_acc):\n        """Doc."""\n        del n_acc\n'
        "        x_acc.accum(g * res)\n        return None\n",
    ),
    "deleted by hand": (
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        del x_acc, n_acc\n        return g * res, None\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        del n_acc\n        x_acc.accum(g * res)\n"
        "        return None\n",
    ),
    "read, but not filled": (
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        assert n_acc is not None\n"
        "        return g * res, None\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        assert n_acc is not None\n"
        "        x_acc.accum(g * res)\n"
        "        return None\n",
    ),
    "comments of a display": (
        "    def vjp_bwd(self, res, g):\n        return (\n            # first\n            g * res,  # d/dx\n"
        "            # then\n            None,  # d/dn\n        )  # end\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        del n_acc\n        # first\n"
        "        x_acc.accum(g * res)  # d/dx\n        # then\n        # d/dn\n        return None  # end\n",
    ),
    "conditional": (
        "    def vjp_bwd(self, res, g):\n        return (g, None) if res else (-g, g)\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        if res:\n            x_acc.accum(g)\n        else:\n"
        "            x_acc.accum(-g)\n"
        "            jax.tree.map(lambda acc, ct: acc.accum(ct), n_acc, g)\n        return None\n",
    ),
    "one line": (
        "    def vjp_bwd(self, res, g): h = g; return h * res, None  # one\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc):\n        del n_acc\n        h = g\n        x_acc.accum(h * res)\n"
        "        return None  # one\n",
    ),
    "a name that is taken": (
        "    def vjp_bwd(self, res, g):\n        x_acc = g * res\n        return x_acc, g * x_acc\n",
        "    def vjp_bwd(self, res, g, x_acc_, n_acc):\n        x_acc = g * res\n        x_acc_.accum(x_acc)\n"
        "        n_acc.accum(g * x_acc)\n        return None\n",
    ),
    "one parameter a line": (
        "    def vjp_bwd(\n        self,\n        res,\n        g,  # cotangent\n    ):\n        return g * res, -g\n",
        "    def vjp_bwd(\n        self,\n        res,\n        g,  # cotangent\n        x_acc,\n"
        "        n_acc,\n    ):\n"
        "        x_acc.accum(g * res)\n        n_acc.accum(-g)\n        return None\n",
    ),
    "hanging parameters": (
        "    def vjp_bwd(self,\n                res,\n                g\n                ):\n"
        "        return g * res, -g\n",
        "    def vjp_bwd(self,\n                res,\n                g,\n                x_acc,\n"
        "                n_acc\n"
        "                ):\n        x_acc.accum(g * res)\n        n_acc.accum(-g)\n        return None\n",
    ),
    "positional-only": (
        "    def vjp_bwd(self, res, g, /): return g * res, -g\n",
        "    def vjp_bwd(self, res, g, /, x_acc, n_acc):\n        x_acc.accum(g * res)\n        n_acc.accum(-g)\n"
        "        return None\n",
    ),
    "keyword-only": (
        "    def vjp_bwd(self, res, g, *, scale=1.0, **kw): return g * res, -g\n",
        "    def vjp_bwd(self, res, g, x_acc, n_acc, *, scale=1.0, **kw):\n"
        "        x_acc.accum(g * res)\n"
        "        n_acc.accum(-g)\n        return None\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), ACCUMULATED.values(), ids=ACCUMULATED.keys())
def test_accumulator_calls_in_place_of_returns(before: str, after: str, migrate: Rewriter) -> None:
    head = (
        "import jax\nfrom jax.experimental.hijax import HiPrim\n\n\nclass Op(HiPrim):\n"
        "    def expand(self, x, n):\n        return 2.0 * x\n\n"
    )
    result = migrate((head + before).encode(), bwd=BwdStyle.ACCUM)
    assert result.error is None, result.error
    assert result.after.decode() == head + after
    again = migrate(result.after, bwd=BwdStyle.ACCUM)
    assert (again.changes, again.manual) == ((), ())


BAD = {
    "not utf-8": (b"# d\xe9riv\xe9e\n" + SOURCE.encode(), Stage.DECODE, 1),
    "not utf-8 further down": (SOURCE.encode() + b"# \xe9\n", Stage.DECODE, 10),
    "nul": ((SOURCE + "y = 1\x00\n").encode(), Stage.DECODE, 10),
    "unknown cookie": (b"# coding: klingon\n" + SOURCE.encode(), Stage.DECODE, 1),
    "cookie against the mark": (b"\xef\xbb\xbf# coding: latin-1\n" + SOURCE.encode(), Stage.DECODE, 1),
    "syntax error": ((SOURCE + "def f(:\n").encode(), Stage.PARSE, 10),
    "python 2": (SOURCE.encode() + b"print 'old'\n", Stage.PARSE, 10),
    "ends in a backslash": ((SOURCE + "x = 1\\\n").encode(), Stage.PARSE, None),
    "valid, but not for LibCST": ((SOURCE + "(n): int = 1\n").encode(), Stage.PARSE, 10),
}


@pytest.mark.parametrize(("data", "stage", "line"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_read_is_an_error(data: bytes, stage: Stage, line: int | None, migrate: Rewriter) -> None:
    result = migrate(data)
    assert result.status is FileStatus.FAILED and result.error is not None
    assert result.error.stage is stage and result.error.message and result.error.help
    assert line is None or result.error.line == line
    assert result.after == result.before == data and result.changes == ()


def test_lines_are_split_as_python_splits_them() -> None:
    text = "a\r\nb\rc\n\x0cd\u2028e\x85f\x1cg\n\nh"
    assert split_lines(text) == ["a\r\n", "b\r", "c\n", "\x0cd\u2028e\x85f\x1cg\n", "\n", "h"]
    assert "".join(split_lines(text)) == text and split_lines("") == []
