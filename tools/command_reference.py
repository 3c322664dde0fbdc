"""Writes docs/command-line.md from the commands themselves: python tools/command_reference.py."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from alpha_build.cli import commands

PAGE = Path(__file__).resolve().parents[1] / "docs" / "command-line.md"
HEAD = """\
# Command line

Written by tools/command_reference.py from the commands; `alpha-build COMMAND --help` says the same. Exit
status: 0; 1 the thing failed, the reason last on standard error; 2 usage; 130 interrupted. `--json` prints
one object on standard output ([commands](commands.md)).
"""


def text() -> str:
    """The whole page."""
    return HEAD + "".join(_sections(commands, "alpha-build", top=True))


def _sections(command: click.Command, path: str, *, top: bool = False) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    heading = "" if top else f"\n## {path.removeprefix('alpha-build ')}\n"
    yield f"{heading}\n    {usage}\n\n{_prose(command.help or '')}\n{_options(command, context)}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _sections(child, f"{path} {name}")


def _options(command: click.Command, context: click.Context) -> str:
    options = [each for each in command.params if isinstance(each, click.Option)]
    records = [option.get_help_record(context) for option in options]
    rows = [f"| `{names}` | {_cell(said)} |" for names, said in filter(None, records)]
    if not rows:
        return ""
    return "\n".join(["\n| option | |", "|---|---|", *rows, ""])


def _prose(help_text: str) -> str:
    return inspect.cleandoc(help_text)


def _cell(said: str) -> str:
    """Two remarks in brackets would be a link."""
    return " ".join(said.split()).replace("|", "\\|").replace("[", "\\[")


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
