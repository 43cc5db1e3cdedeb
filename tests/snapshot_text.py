"""What the snapshots show of one file: its findings, then the diff."""

from __future__ import annotations

from codemods.engine.hunks import unified_diff
from codemods.types import Change, FileResult, ManualItem


def render(result: FileResult) -> str:
    """Each finding as ``line:col CODE [rule] symbol: message``, the error if there is one, then the unified diff."""
    findings: list[Change | ManualItem] = [*result.changes, *result.manual]
    findings.sort(key=lambda finding: (finding.line, finding.column, finding.code))
    lines = [line for finding in findings for line in _finding(finding)]
    if result.error is not None:
        lines.append(f"error while {result.error.stage.value}: {result.error.message}")
    diff = unified_diff(result.before, result.after, result.path, result.path)
    return "".join(f"{line}\n" for line in lines or ["nothing to do"]) + "\n" + diff.decode(result.encoding)


def _finding(finding: Change | ManualItem) -> list[str]:
    where = f"{finding.line}:{finding.column} {finding.code} [{finding.rule}] {finding.symbol}"
    if isinstance(finding, Change):
        return [f"{where}: {finding.message}" + (" (unsafe)" if finding.safety.value == "unsafe" else "")]
    return [f"{where}: {finding.reason}: {finding.message}", f"    help: {finding.help}"]
