"""Samples from files: what `ab.Samples(path)` names, as the arrays that a user might have given himself."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..system.errors import LearnerFailure
from ..system.learner import Samples
from .sample_table import picked, read_table
from .tensors import tensor_dtype

_ENDINGS = (".npz", ".npy", ".safetensors", ".csv")


def is_path(value: Any) -> bool:
    """Whether a user means a file."""
    return isinstance(value, str | Path)


def read_file(given: Samples, what: str) -> Any:
    """An array, or a tuple or dict of arrays, from the file that `given` names; `what` is for messages.

    Raises:
        LearnerFailure: the file is missing or holds no such numbers; the message has file and place in it.
    """
    try:
        return _read(given, given.folder / str(given.source))
    except LearnerFailure as failure:
        failure.where = f"{given.place} {what}"
        raise


def _read(given: Samples, path: Path) -> Any:
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise _failure(path, "its ending is not one that is read", f"use {', '.join(_ENDINGS)}")
    if given.header is not None and ending != ".csv":
        raise _failure(path, "header= is for CSV files", "leave it out")
    _check_there(path)
    if ending == ".csv":
        table = read_table(path, given.header)
        return _chosen(given, table.whole(), lambda column: picked(table, column))
    if ending == ".npy":
        if given.arrays is not None:
            raise _failure(path, "arrays= names arrays, and a .npy file holds one", "leave it out")
        return _without_nan(_read_npy(path), path, "")
    arrays = _Npz(path) if ending == ".npz" else _Safetensors(path)
    every = None if given.arrays is not None else {name: arrays[name] for name in arrays.names}
    return _chosen(given, every, lambda name: arrays[_name(name, path)])


def _chosen(given: Samples, every: Any, one: Callable[[Any], np.ndarray]) -> Any:
    """What `arrays=` picks: by position, by parameter, or everything."""
    if given.arrays is None:
        return every
    if isinstance(given.arrays, Mapping):
        return {str(parameter): one(name) for parameter, name in given.arrays.items()}
    if isinstance(given.arrays, str) or not isinstance(given.arrays, Sequence):
        return one(given.arrays)
    return tuple(one(name) for name in given.arrays)


def _check_there(path: Path) -> None:
    if not path.exists():
        raise _failure(path, "there is no such file", "a path is taken from the folder of the system file")
    if not path.is_file():
        raise _failure(path, "this is no regular file", f"give a file that ends in {path.suffix}")


def _read_npy(path: Path) -> np.ndarray:
    with _reading(path):
        array = np.load(path, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise _failure(path, "it holds several arrays", "name it .npz")
    return array


class _Npz:
    """Arrays of a .npz file, read one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _reading(path):
            self._file = np.load(path, allow_pickle=False)
        if not isinstance(self._file, np.lib.npyio.NpzFile):
            raise _failure(path, "it holds one array", "name it .npy")
        self.names = list(self._file.files)

    def __getitem__(self, name: str) -> np.ndarray:
        _check_name(name, self.names, self._path)
        with _reading(self._path, name):
            array: np.ndarray = self._file[name]
        return _without_nan(array, self._path, name)


class _Safetensors:
    """Arrays of a safetensors file."""

    def __init__(self, path: Path) -> None:
        from safetensors import SafetensorError, deserialize

        self._path = path
        try:
            self._parts = dict(deserialize(path.read_bytes()))  # type: ignore[no-untyped-call]
        except SafetensorError as error:
            raise _failure(path, f"it is no safetensors file: {error}", "save it again") from None
        except OSError as error:
            raise _failure(path, f"it cannot be read: {error.strerror}", "see its permissions") from None
        self.names = sorted(self._parts)

    def __getitem__(self, name: str) -> np.ndarray:
        _check_name(name, self.names, self._path)
        part = self._parts[name]
        try:
            dtype = tensor_dtype(part["dtype"])
        except KeyError:
            raise _failure(
                self._path, f"array {name!r} has dtype {part['dtype']}", "give numbers of 8 to 64 bits"
            ) from None
        return _without_nan(np.frombuffer(part["data"], dtype).reshape(part["shape"]), self._path, name)


class _reading:
    """Says of NumPy's and the system's errors which file, and which array in it, is meant."""

    def __init__(self, path: Path, name: str = "") -> None:
        self._path = path
        self._array = f"array {name!r}: " if name else ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.strerror:
            text = f"it cannot be read: {error.strerror}"
            raise _failure(self._path, text, "see its permissions") from None
        if isinstance(error, ValueError) and ("allow_pickle" in str(error) or "Object arrays" in str(error)):
            text = f"{self._array}it holds pickled Python objects, which may run code and are not read"
            raise _failure(self._path, text, "save arrays of numbers, of one length each") from None
        if isinstance(error, OSError | ValueError | EOFError | KeyError | zipfile.BadZipFile | SyntaxError):
            said = " ".join(str(error).split()) or type(error).__name__
            text = f"{self._array}it is damaged or no NumPy file: {said}"
            raise _failure(self._path, text, "save it again with numpy.save or numpy.savez") from None


def _name(name: Any, path: Path) -> str:
    if isinstance(name, str):
        return name
    raise _failure(path, f"arrays= asks for {name!r}, which is no name", "give names of arrays")


def _check_name(name: str, names: list[str], path: Path) -> None:
    if name not in names:
        held = ", ".join(names[:8]) + (" and more" if len(names) > 8 else "") if names else "none"
        raise _failure(path, f"there is no array {name!r} in it", f"it holds {held}")


def _without_nan(array: np.ndarray, path: Path, name: str) -> np.ndarray:
    """In a file a NaN is a missing number; who means it gives the array itself."""
    if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
        found = np.argwhere(np.isnan(array if array.dtype.kind in "fc" else array.astype(np.float32)))
        if len(found):
            index = ", ".join(map(str, found[0]))
            raise _failure(
                path,
                f"{f'array {name!r}' if name else 'it'} holds NaN at [{index}], {len(found)} in all",
                "fill or remove them; where NaN is meant, give the array in place of the file",
            )
    return array


def _failure(path: Path, message: str, hint: str) -> LearnerFailure:
    return LearnerFailure(f"file {path.name}: {message}", kind="sample-file", hint=hint)
