"""Which System a command is about: the one that is named, or the one that pyproject.toml names."""

from __future__ import annotations

import tomllib
from pathlib import Path

from alpha_build.system.errors import SystemFailure
from alpha_build.system.load import load_system
from alpha_build.system.system import System


def named_system(spec: str | None) -> System:
    """The System of `file.py[:name]` or `package.module:name`, or of pyproject.toml where none is given."""
    return load_system(system_spec(spec))


def system_spec(spec: str | None) -> str:
    """`spec`, or what `[tool.alpha-build] system` of the pyproject.toml in this folder says."""
    return _from_pyproject() if spec is None else spec


def system_or_saved(spec: str | None, program: Path | None) -> System | str:
    """Where the System is found, or the one that a saved program holds where no SYSTEM is given beside it."""
    if spec is None and program is not None:
        from alpha_build.learner.saved import load_system as saved_system

        return saved_system(program)
    return system_spec(spec)


def _from_pyproject() -> str:
    path = Path("pyproject.toml")
    hint = 'give SYSTEM as file.py or package.module:name, or write [tool.alpha-build] system = "..."'
    try:
        found = (
            tomllib.loads(path.read_text(encoding="utf-8"))
            .get("tool", {})
            .get("alpha-build", {})
            .get("system")
        )
    except FileNotFoundError:
        raise SystemFailure(
            "no SYSTEM is given, and there is no pyproject.toml here", kind="no-spec", hint=hint
        ) from None
    except (OSError, ValueError, AttributeError) as error:
        raise SystemFailure(
            f"no SYSTEM is given, and pyproject.toml cannot be read: {error}",
            kind="no-spec",
            where=str(path),
            hint=hint,
        ) from None
    if not isinstance(found, str):
        raise SystemFailure(
            "no SYSTEM is given, and pyproject.toml names none", kind="no-spec", where=str(path), hint=hint
        )
    return found
