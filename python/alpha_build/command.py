"""What every command shares: how a failure reads, exit statuses, --json, SYSTEM."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from alpha_build.system.errors import AlphaError

INTERRUPTED = 130  # exit status; 1 is a failure, 2 a misuse

Folder = click.Path(path_type=Path, file_okay=False)
json_option = click.option("--json", is_flag=True, help="Print one JSON object on standard output.")
system_argument = click.argument("system", required=False, metavar="[SYSTEM]")


def reporting(command: Callable[..., int | None]) -> Callable[..., int]:
    """An AlphaError becomes one message each on stderr and status 1; with --json also an object on stdout."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> int:
        try:
            return command(*arguments, **options) or 0
        except AlphaError as error:
            if options.get("json"):
                print_json({"ok": False, "failures": [_failure(each) for each in error.failures]})
            for each in error.failures:
                print(f"alpha-build: {each}", file=sys.stderr)
            return 1

    return run


def _failure(error: AlphaError) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "kind": error.kind,
        "where": error.where,
        "message": error.message,
        "hint": error.hint,
    }


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))
