"""What a learner is fed: state leaves and sample arrays as NumPy, 64-bit ones narrowed as JAX does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..system.errors import LearnerFailure
from ..system.learner import Samples
from .sample_files import is_path, read_file
from .tensors import TENSOR_NAMES
from .trace_jax import x64

_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


@dataclass
class Narrowing:
    """Collects what was narrowed, so that the user reads one line and not one an array."""

    names: list[str] = field(default_factory=list)

    def notices(self) -> tuple[str, ...]:
        if not self.names:
            return ()
        names = ", ".join(self.names)
        return (f"64-bit values of {names} taken as 32-bit, as JAX does (jax_enable_x64 is off)",)


@dataclass(frozen=True)
class SampleArrays:
    """Sample arrays of one length, with the way in which one sample becomes arguments of a function."""

    arrays: tuple[np.ndarray, ...]
    keywords: tuple[str, ...] | None  # None: positional
    embed: bool | None  # in each executable, beside it, or as their size says

    @property
    def count(self) -> int:
        return int(self.arrays[0].shape[0])

    def call(self, function: Any, params: Any, values: Any) -> Any:
        """function(params, *values), or by keyword."""
        if self.keywords is None:
            return function(params, *values)
        return function(params, **dict(zip(self.keywords, values, strict=True)))


def to_array(value: Any, name: str, narrowing: Narrowing) -> np.ndarray:
    """A leaf or sample array as a C-ordered NumPy array of this machine's byte order and JAX's dtype."""
    if is_path(value):
        files = name.startswith(("samples", "evaluation", "weights"))
        hint = "a file is given as ab.Samples(path)" if files else "keep words out of it"
        raise _not_an_array(f"{name} is the text {str(value)!r}", hint)
    if np.ma.isMaskedArray(value) and np.ma.getmaskarray(value).any():
        raise _not_an_array(
            f"{name} is masked", "fill it with numpy.ma.filled, or weigh samples with weights="
        )
    try:
        array = np.asarray(value)
    except Exception as error:
        raise _not_an_array(f"{name} is no array: {error}", "give NumPy or JAX arrays, or numbers") from error
    if array.dtype.kind == "c":
        raise _not_an_array(f"{name} is complex", "give its real and imaginary parts as two arrays")
    if array.dtype.name not in TENSOR_NAMES:
        hint = "give arrays of one length each, of numbers or booleans"
        if array.dtype.names:
            hint = "give each field as an array of its own: array[" + repr(array.dtype.names[0]) + "]"
        raise _not_an_array(f"{name} has dtype {array.dtype}, which is no number", hint)
    if not x64() and array.dtype.name in _NARROW:
        if not isinstance(value, (bool, int, float)):
            narrowing.names.append(name)
        array = _narrowed(array, name)
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)


def _not_an_array(message: str, hint: str) -> LearnerFailure:
    return LearnerFailure(message, kind="not-an-array", hint=hint)


def _narrowed(array: np.ndarray, name: str) -> np.ndarray:
    target = np.dtype(_NARROW[array.dtype.name])
    with np.errstate(over="ignore", invalid="ignore"):
        narrowed = array.astype(target)
    if target.kind in "iu":
        lost = narrowed.astype(array.dtype) != array
    else:
        lost = ~np.isfinite(narrowed) & np.isfinite(array)
    if lost.any():
        value = array[lost][0]
        raise LearnerFailure(
            f"{name} holds {value}, which does not fit in {target.name}, and jax_enable_x64 is off",
            kind="narrowing",
            hint="rescale it, or set jax.config.update('jax_enable_x64', True) in the system file",
        )
    return narrowed


def to_samples(samples: Any, name: str, narrowing: Narrowing) -> SampleArrays:
    """An array, or a tuple, list or dict of arrays, or a file of them, all of one length of at least 1."""
    embed = samples.embed if isinstance(samples, Samples) else None
    samples, narrowing = _given(samples, name, narrowing)
    keywords: tuple[str, ...] | None = None
    if isinstance(samples, dict):
        keywords = tuple(str(key) for key in samples)
        named = [(f'{name}["{key}"]', value) for key, value in samples.items()]
    elif isinstance(samples, (tuple, list)):
        named = [(f"{name}[{i}]", value) for i, value in enumerate(samples)]
    else:
        named = [(name, samples)]
    if not named:
        raise LearnerFailure(f"{name} is empty", kind="samples", hint="give at least one array")
    arrays = tuple(to_array(value, label, narrowing) for label, value in named)
    for (label, _), array in zip(named, arrays, strict=True):
        if array.ndim == 0 or len(array) == 0:
            raise LearnerFailure(
                f"{label} has shape {array.shape}, so no sample",
                kind="samples",
                hint="the first axis counts the samples",
            )
        if len(array) != len(arrays[0]):
            raise LearnerFailure(
                f"{label} has {len(array)} samples, {named[0][0]} has {len(arrays[0])}",
                kind="sample-length",
                hint="give arrays of one length",
            )
    return SampleArrays(arrays, keywords, embed)


def _given(samples: Any, name: str, narrowing: Narrowing) -> tuple[Any, Narrowing]:
    """What `Samples` stands for; a CSV file's numbers have no width, so none is said to be narrowed."""
    if not isinstance(samples, Samples):
        return samples, narrowing
    where = f"{samples.place} {name}"
    if samples.embed not in (None, True, False):
        raise LearnerFailure(
            f"embed={samples.embed!r}", kind="embed", where=where, hint="give True, False or None"
        )
    if is_path(samples.source):
        quiet = str(samples.source).lower().endswith(".csv")
        return read_file(samples, name), Narrowing() if quiet else narrowing
    for option in ("arrays", "header"):
        if getattr(samples, option) is not None:
            raise LearnerFailure(
                f"{option}= is for files, and the samples are arrays",
                kind="sample-file", where=where, hint="leave it out, or give the path of a file",
            )  # fmt: skip
    return samples.source, narrowing


def to_weights(weights: Any, count: int, dtype: str, narrowing: Narrowing) -> np.ndarray:
    """One finite number a sample, in the element of the contract."""
    weights, narrowing = _given(weights, "weights", narrowing)
    array = to_array(weights, "weights", narrowing)
    if array.shape != (count,) or array.dtype.kind not in "fiub":
        raise LearnerFailure(
            f"weights have shape {array.shape} and dtype {array.dtype}, for {count} samples",
            kind="weights",
            hint=f"give one real number a sample, shape ({count},)",
        )
    if not np.isfinite(array.astype(np.float64)).all():
        raise LearnerFailure("weights hold a NaN or an infinity", kind="weights", hint="give finite numbers")
    return array.astype(dtype)
