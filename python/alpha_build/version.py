"""This release's version, from the installed package or from the checkout's pyproject.toml."""

from __future__ import annotations

from importlib import metadata

from alpha_build import paths


def version() -> str:
    try:
        return metadata.version("alpha-build")
    except metadata.PackageNotFoundError:
        import tomllib

        project = tomllib.loads((paths.runtime() / "pyproject.toml").read_text())["project"]
        return str(project["version"])
