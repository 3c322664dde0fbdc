"""Templates of generated files."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


def template(name: str, beside: str) -> Template:
    """One of `templates/` in the folder of the module file `beside`."""
    environment = Environment(
        loader=FileSystemLoader(Path(beside).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template(name)
