"""Finds the System that a user means by `file.py[:name]` or `package.module:name`."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import CodeType, ModuleType

from .errors import AlphaError, SystemFailure
from .system import System


def load_system(spec: str) -> System:
    """The System; raises `SystemFailure` with the user's own line for whatever goes wrong in his file.

    A file is loaded by its path, whatever it is called; modules beside it may be imported.
    """
    path, name = _parse(spec)
    if path is not None:
        module, shown = _load_file(path), path.name
    else:
        module_name, _, name = spec.rpartition(":")
        module, shown = _load_module(module_name), module_name
    return _pick(module, name, shown, spec if path is None else str(path))


def _parse(spec: str) -> tuple[Path | None, str]:
    """File and name; no file when the spec names a module."""
    if Path(spec).is_file():
        return Path(spec), ""
    left, colon, name = spec.rpartition(":")
    if colon and (left.endswith(".py") or os.sep in left or Path(left).is_file()):
        return Path(left), name
    if not colon or spec.endswith(".py") or os.sep in spec:
        return Path(spec), ""
    return None, name


def _load_file(path: Path) -> ModuleType:
    code = _compile(path)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # last, so that no file beside it hides an installed package
    name = "alpha_build_file_" + hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        raise _raised(error, str(path)) from None
    return module


def _compile(path: Path) -> CodeType:
    hint = "give a file as file.py or file.py:name, or a module as package.module:name"
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        raise _failure("missing", str(path), "there is no such file", hint) from None
    except IsADirectoryError:
        raise _failure("missing", str(path), "this is a folder", hint) from None
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
        raise _failure("unreadable", str(path), message, "see its permissions") from None
    try:
        return compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        line = f": {error.text.strip()}" if error.text else ""
        where = f"{path.name}:{error.lineno or 1}"
        raise _failure("syntax", where, f"syntax error: {error.msg}{line}", "correct the line") from None
    except ValueError as error:
        raise _failure("syntax", path.name, f"not Python source: {error}", "give a text file") from None


def _load_module(name: str) -> ModuleType:
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise _failure("missing", name, f"there is no such module: {error}", "see its spelling") from None
    except Exception as error:
        raise _raised(error, None) from None
    if found is None:
        raise _failure("missing", name, "there is no such module", "give package.module:name or file.py")
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise _raised(error, found.origin) from None


def _raised(error: BaseException, file: str | None) -> AlphaError:
    """The user's line and the exception in one sentence; a failure of ours keeps its own kind and words."""
    if isinstance(error, AlphaError) and error.where is not None:
        return error
    where = _user_line(error, file)
    if isinstance(error, AlphaError):
        error.where = where
        return error
    said = " ".join(str(error).split())
    message = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return _failure("raised", where, message, _remedy(error))


def _user_line(error: BaseException, file: str | None) -> str:
    """The innermost line of the user's file, or of any file where his does not appear."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno or 1}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or list(frames)
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"


def _remedy(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        if error.name in ("jax", "optax"):
            return "run: pip install 'alpha-build[jax]'"
        return f"install {error.name}, or put it beside the file"
    return "correct the line"


def _pick(module: ModuleType, name: str, shown: str, spec: str) -> System:
    """The named System, or the only one."""
    systems: dict[int, str] = {}
    for key, value in vars(module).items():
        if isinstance(value, System):
            systems.setdefault(id(value), key)
    names = sorted(systems.values())
    listed = f"it has {', '.join(names)}" if names else "write: system = alpha_build.System(...)"
    if name:
        value = getattr(module, name, None)
        if isinstance(value, System):
            return value
        message = f"{name!r} is not a System" if hasattr(module, name) else f"there is no {name!r}"
        raise _failure("no-system", shown, message, listed)
    if not names:
        raise _failure("no-system", shown, "it holds no System", listed)
    if len(names) > 1:
        message = f"it holds {len(names)} Systems: {', '.join(names)}"
        raise _failure("two-systems", shown, message, f"name one, as in {spec}:{names[0]}")
    only = getattr(module, names[0])
    assert isinstance(only, System)
    return only


def _failure(kind: str, where: str, message: str, hint: str) -> SystemFailure:
    return SystemFailure(message, kind=kind, where=where, hint=hint)
