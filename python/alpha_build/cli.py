"""The command line: thin commands over check, build, run and state, and how a failure reads."""

from __future__ import annotations

import json as json_module
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from alpha_build.system.errors import AlphaError

INTERRUPTED = 130  # exit status; 1 is a failure, 2 a misuse

Folder = click.Path(path_type=Path, file_okay=False)


def main() -> NoReturn:
    """Exit status 0, 1 (the thing failed, the reason last on stderr), 2 (usage) or 130 (interrupted)."""
    try:
        status = commands.main(prog_name="alpha-build", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("alpha-build: interrupted", file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say
        sys.stderr.close()
        status = 1
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second one must not change the status
    sys.exit(status)


def reporting(command: Callable[..., int | None]) -> Callable[..., int]:
    """An AlphaError becomes one message each on stderr and status 1; with --json also an object on stdout."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> int:
        try:
            return command(*arguments, **options) or 0
        except AlphaError as error:
            if options.get("json"):
                _print_json({"ok": False, "failures": [_failure(each) for each in error.failures]})
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


json_option = click.option("--json", is_flag=True, help="Print one JSON object on standard output.")
system_argument = click.argument("system", required=False, metavar="[SYSTEM]")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="alpha-build", message="%(prog)s %(version)s")
def commands() -> None:
    """Compiles one learning system, or one protocol, into a standalone executable a role.

    SYSTEM is file.py[:name] or package.module:name; it may be left out where pyproject.toml holds
    [tool.alpha-build] system = "...".
    """


@commands.command()
@system_argument
@json_option
@reporting
def check(system: str | None, json: bool) -> None:
    """Check a system; print every failure with its place and remedy. Needs no compiler."""
    checked = _checked(system)
    if json:
        _print_json({"ok": True, "name": checked.name, "members": checked.members})
    else:
        print(f"{checked.name}: nothing wrong")


def _checked(spec: str | None) -> Any:
    raise NotImplementedError


def _print_json(value: object) -> None:
    print(json_module.dumps(value, ensure_ascii=False, allow_nan=False))


@commands.command()
@click.argument("dist", type=Folder)
@click.option("--state", type=Folder, help="Where state goes.  [default: DIST/state]")
@json_option
@reporting
def run(dist: Path, state: Path | None, json: bool) -> int:
    """Run all roles of a build on this machine, and stop all of them when one fails."""
    from alpha_build.run import Interrupts, run_build
    from alpha_build.run.report import print_outcome

    outcome = run_build(dist, state, json=json, interrupts=Interrupts(final=True))
    if json:
        _print_json(outcome.as_json())
    print_outcome(outcome, dist, quiet=json)
    if outcome.interrupted:
        return INTERRUPTED
    return 0 if outcome.ok else 1
