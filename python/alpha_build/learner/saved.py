"""`dist/learner.cbor`: a LearnerProgram and its system, which give the same artifacts without JAX."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import cbor2
import numpy as np

from ..system.digest import canonical
from ..system.errors import LearnerFailure
from ..system.system import System
from .digest import learner_digest
from .program import Aval, Equation, LearnerProgram, Literal_, Operand, Program, StateLeaf, StopRule
from .saved_system import system_data, system_of

FORMAT = 1
T = TypeVar("T")


def save(learner: LearnerProgram, system: System, path: Path) -> None:
    """Write the program, its data included, and its system; equal ones give equal bytes."""
    path.write_bytes(to_bytes(learner, system))


def to_bytes(learner: LearnerProgram, system: System) -> bytes:
    fields = {field.name: getattr(learner, field.name) for field in dataclasses.fields(learner)}
    return canonical({"format": FORMAT, "learner": _data(fields), "system": system_data(system)})


def load(path: Path) -> LearnerProgram:
    """Read a saved program back.

    Raises:
        LearnerFailure: the file is missing, damaged, of another format, or its digest does not hold.
    """
    return _read(path, from_bytes)


def load_system(path: Path) -> System:
    """The system that a saved program was traced for, without its functions: `--program` with no SYSTEM.

    Raises:
        AlphaError: the file is missing, damaged or of another format.
    """
    return _read(path, lambda data: system_of(_saved(data)["system"]))


def _read(path: Path, read: Callable[[bytes], T]) -> T:
    try:
        return read(path.read_bytes())
    except (OSError, cbor2.CBORError, ValueError, KeyError, TypeError, IndexError) as error:
        raise LearnerFailure(
            f"{path} cannot be read as a saved learner: {error}",
            kind="saved-program",
            hint="give the learner.cbor that `alpha-build roles` wrote",
        ) from error


def from_bytes(data: bytes) -> LearnerProgram:
    """Raises ValueError, KeyError or TypeError for bytes that to_bytes did not give."""
    fields = _saved(data)["learner"]
    learner = LearnerProgram(
        block=_program(fields["block"]),
        update=_program(fields["update"]),
        metric=_program(fields["metric"]) if fields["metric"] else None,
        metric_names=tuple(fields["metric_names"]),
        state=tuple(StateLeaf(leaf["name"], _array(leaf["array"])) for leaf in fields["state"]),
        samples=tuple(_array(array) for array in fields["samples"]),
        evaluation_samples=tuple(_array(array) for array in fields["evaluation_samples"]),
        stop=None if fields["stop"] is None else StopRule(**fields["stop"]),
        notices=tuple(fields["notices"]),
        embed=tuple(fields["embed"]),
        **{name: fields[name] for name in _PLAIN},
    )
    if learner.digest != learner_digest(learner):
        raise ValueError("its digest does not hold")
    return learner


def _saved(data: bytes) -> Any:
    saved = cbor2.loads(data)
    if saved["format"] != FORMAT:
        raise ValueError(f"format {saved['format']}, this release reads {FORMAT}")
    return saved


_PLAIN = ("parameters", "element", "weighted", "batch", "rounds", "every", "structure", "digest")


def _data(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.name, "shape": list(value.shape), "data": value.tobytes()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _data(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _data(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_data(part) for part in value]
    return value


def _array(data: Any) -> np.ndarray:
    if data["dtype"] == "bfloat16":  # NumPy knows it once this is imported
        import ml_dtypes  # noqa: F401
    dtype = np.dtype(data["dtype"])
    return np.frombuffer(data["data"], dtype).reshape(data["shape"]).copy()


def _aval(data: Any) -> Aval:
    return Aval(data["dtype"], tuple(data["shape"]))


def _operand(data: Any) -> Operand:
    return data if isinstance(data, int) else Literal_(data["dtype"], data["data"])


def _param(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {field.name for field in dataclasses.fields(Program)}:
            return _program(value)
        return {key: _param(part) for key, part in value.items()}
    return [_param(part) for part in value] if isinstance(value, list) else value


def _program(data: Any) -> Program:
    return Program(
        inputs=tuple(_aval(aval) for aval in data["inputs"]),
        constants=tuple(_array(array) for array in data["constants"]),
        values=tuple(_aval(aval) for aval in data["values"]),
        equations=tuple(
            Equation(
                equation["primitive"],
                tuple(_operand(operand) for operand in equation["inputs"]),
                tuple(equation["outputs"]),
                _param(equation["params"]),
                equation["place"],
            )
            for equation in data["equations"]
        ),
        outputs=tuple(_operand(operand) for operand in data["outputs"]),
    )
