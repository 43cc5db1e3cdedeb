"""Run one rule as a LibCST codemod command: ``python -m libcst.tool codemod -x codemods.rules.<module>.<Class> PATH``.

Imported only then: ``libcst.codemod`` costs more to import than a run of this tool takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codemods.rules._base import Rule


def libcst_command(rule: type[Rule]) -> Callable[[str], object]:
    """A module ``__getattr__`` that makes the command class on demand.

    The class is named as the rule without its ``Rule`` ending. Other attributes raise ``AttributeError`` as usual.
    """
    command_name = rule.__name__.removesuffix("Rule")
    made: dict[str, type] = {}

    def __getattr__(name: str) -> object:
        if name != command_name:
            raise AttributeError(f"module {rule.__module__!r} has no attribute {name!r}")
        # One class only: libcst.tool pickles it for its workers, which look it up by name.
        return made.setdefault(name, made.get(name) or _command(rule, command_name))

    return __getattr__


def _command(rule: type[Rule], name: str) -> type:
    import libcst as cst
    from libcst.codemod import CodemodCommand, SkipFile

    from codemods.engine.rewrite import rewrite
    from codemods.types import BwdStyle, Settings, SourceFile

    class Command(CodemodCommand):
        def transform_module_impl(self, tree: cst.Module) -> cst.Module:
            settings = Settings(bwd=rule.META.bwd or BwdStyle.RETVAL, select=(rule.META.code,))
            path = self.context.filename or "<module>"
            result = rewrite(SourceFile(path, tree.bytes), settings)
            if result.error is not None:
                raise SkipFile(result.error.message)
            for item in result.manual:
                self.warn(f"{path}:{item.line}:{item.column}: {item.code} [{item.rule}] {item.message}")
            return cst.parse_module(result.after) if result.after != result.before else tree

    Command.__name__ = Command.__qualname__ = name
    Command.__module__ = rule.__module__
    Command.DESCRIPTION = f"{rule.META.code} {rule.META.name}"
    return Command
