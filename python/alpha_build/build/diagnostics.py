"""From a compiler's log to one message: the user's line where it is his code."""

from __future__ import annotations

import re
from pathlib import Path

from alpha_build.system.errors import BuildFailure

_ERROR = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE
)
_LINK = re.compile(
    r"^.*(?:undefined reference to|undefined symbol:) [`'\"]?(?P<symbol>[^'\"\n]+)", re.MULTILINE
)
_CMAKE = re.compile(r"^CMake Error[^\n]*:\n\s*\n?(?P<text>(?:[ ]+[^\n]*\n?)+)", re.MULTILINE)
_SPACE = re.compile(r"No space left on device|Disk quota exceeded")


def compile_failure(log: Path, target: str, user_files: frozenset[str]) -> BuildFailure:
    """What went wrong in a failed build, from its log, which the message names."""
    text = log.read_text(encoding="utf-8", errors="replace").replace("‘", "'").replace("’", "'")  # noqa: RUF001
    hint = f"the whole log is {log}"
    if _SPACE.search(text):
        return BuildFailure("the disk is full", kind="disk-full", where=str(log.parent), hint=hint)
    errors = list(_ERROR.finditer(text))
    for error in errors:
        if error["file"] in user_files:
            return BuildFailure(
                f"an operation does not compile for {target}: {error['text']}",
                kind="operation-source",
                where=f"{error['file']}:{error['line']}",
                hint=hint,
            )
    link = _LINK.search(text)
    if link and not errors:
        return BuildFailure(
            f"the executables for {target} do not link: nothing defines {link['symbol']}",
            kind="link",
            hint=f"operations have no C library beneath them; {hint}" if user_files else hint,
        )
    if errors:
        place, what = f"{errors[0]['file']}:{errors[0]['line']}", errors[0]["text"]
        return BuildFailure(
            f"a generated source does not compile for {target}: {what}",
            kind="compile",
            where=place,
            hint=hint,
        )
    cmake = _CMAKE.search(text)
    what = " ".join(cmake["text"].split()) if cmake else "the build tools failed"
    return BuildFailure(f"{what} (target {target})", kind="build-tools", hint=hint)
