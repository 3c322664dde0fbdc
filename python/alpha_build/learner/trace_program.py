"""A closed jaxpr as a loop Program: calls and custom rules inlined, dead code dropped, values renumbered."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax.extend import core

from ..system.errors import LearnerFailure, UnsupportedPrimitive
from .lower.table import parameters_read, supported
from .program import Aval, Dimension, Equation, Literal_, Operand, Program
from .trace_keys import SAME, is_key, over_words, random_body, words_shape
from .trace_loops import whole_predicate
from .trace_places import place_of

_CALLS = {
    "jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint",
    "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin",
}  # fmt: skip
_BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_SAME = {"device_put", "copy", "copy_p", "stop_gradient", "optimization_barrier", *SAME}


@dataclass(frozen=True)
class _Value:
    """A value during inlining; identity counts, so two of one type differ."""

    aval: Aval
    serial: int


_Node = _Value | Literal_


@dataclass(frozen=True)
class _Raw:
    primitive: str
    inputs: tuple[_Node, ...]
    outputs: tuple[_Value, ...]
    params: dict[str, Any]
    place: str


class _Inliner:
    """Walks a jaxpr and its calls, and lists equations over values that are numbered afterwards."""

    def __init__(self) -> None:
        self.equations: list[_Raw] = []
        self.constants: list[tuple[_Value, np.ndarray]] = []
        self.serial = 0

    def value(self, aval: Any) -> _Value:
        self.serial += 1
        return _Value(_aval(aval), self.serial)

    def constant(self, array: Any) -> _Node:
        data = np.asarray(jax.random.key_data(array) if is_key(array) else array)
        if data.shape == ():
            return Literal_(data.dtype.name, data.tobytes())
        value = _Value(Aval(data.dtype.name, data.shape), self._next())
        self.constants.append((value, np.ascontiguousarray(data)))
        return value

    def _next(self) -> int:
        self.serial += 1
        return self.serial

    def inline(self, jaxpr: Any, constants: Any, arguments: tuple[_Node, ...]) -> tuple[_Node, ...]:
        known: dict[Any, _Node] = {}
        for variable, array in zip(jaxpr.constvars, constants, strict=True):
            known[variable] = array if isinstance(array, (_Value, Literal_)) else self.constant(array)
        known.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> _Node:
            return self.constant(_typed(atom)) if isinstance(atom, core.Literal) else known[atom]

        for equation in jaxpr.eqns:
            inputs = tuple(read(atom) for atom in equation.invars)
            outputs = self._equation(equation, inputs)
            known.update(zip(equation.outvars, outputs, strict=True))
        return tuple(read(atom) for atom in jaxpr.outvars)

    def _equation(self, equation: Any, inputs: tuple[_Node, ...]) -> tuple[_Node, ...]:
        name = equation.primitive.name
        if name in _CALLS:
            inner = next(equation.params[key] for key in _BODIES if key in equation.params)
            if isinstance(inner, core.ClosedJaxpr):
                return self.inline(inner.jaxpr, inner.consts, inputs)
            return self.inline(inner, (), inputs)
        where = place_of(equation.source_info)
        drawn = random_body(equation, where)
        if drawn is not None:
            return self.inline(drawn.jaxpr, drawn.consts, inputs)
        params = over_words(equation, where)
        if name in ("scan", "while", "cond", "reduce", "reduce_window"):
            inputs, params = self._bodies(name, inputs, params)
        outputs = tuple(self.value(variable.aval) for variable in equation.outvars)
        if _changes_nothing(name, equation, inputs, outputs):
            return inputs
        self.equations.append(_Raw(name, inputs, outputs, params, where))
        return outputs

    def _bodies(
        self, name: str, inputs: tuple[_Node, ...], params: dict[str, Any]
    ) -> tuple[tuple[_Node, ...], dict[str, Any]]:
        """A loop's or branch's bodies as programs; what they close over follows the inputs, body by body."""
        changed = dict(params)
        if name in ("scan", "reduce", "reduce_window"):
            body = params["jaxpr"]
            closed = body if isinstance(body, core.ClosedJaxpr) else core.ClosedJaxpr(body, params["consts"])
            changed["jaxpr"], extra = self._body(closed)
            changed["extra"] = len(extra)
        elif name == "while":
            inputs, params = whole_predicate(inputs, params)
            changed = dict(params)
            changed["cond_jaxpr"], test_extra = self._body(params["cond_jaxpr"])
            changed["body_jaxpr"], body_extra = self._body(params["body_jaxpr"])
            changed |= {"cond_extra": len(test_extra), "body_extra": len(body_extra)}
            extra = (*test_extra, *body_extra)
        else:
            branches = [self._body(branch) for branch in params["branches"]]
            changed["branches"] = [program for program, _ in branches]
            changed["extra"] = [len(found) for _, found in branches]
            extra = tuple(node for _, found in branches for node in found)
        return (*inputs, *extra), changed

    def _body(self, closed: Any) -> tuple[Program, tuple[_Node, ...]]:
        """A program whose constants are inputs, after its own."""
        program = to_program(closed)
        nodes = tuple(self.constant(array) for array in program.constants)
        avals = tuple(Aval(array.dtype.name, array.shape) for array in program.constants)
        return replace(program, inputs=(*program.inputs, *avals), constants=()), nodes


def _typed(literal: Any) -> np.ndarray:
    return np.asarray(literal.val, dtype=literal.aval.dtype)


def _changes_nothing(
    name: str, equation: Any, inputs: tuple[_Node, ...], outputs: tuple[_Value, ...]
) -> bool:
    if name in _SAME:
        return True
    if len(inputs) != 1 or not isinstance(inputs[0], _Value) or inputs[0].aval != outputs[0].aval:
        return False
    if name == "integer_pow":
        return bool(equation.params["y"] == 1)
    if name == "broadcast_in_dim":
        return True
    return name in ("convert_element_type", "reshape") and equation.params.get("dimensions") is None


def _aval(aval: Any) -> Aval:
    if isinstance(aval, Aval):
        return aval
    if is_key(aval):
        return Aval("uint32", tuple(dimension(d) for d in words_shape(aval)))
    name = getattr(aval.dtype, "name", str(aval.dtype))
    return Aval(str(name), tuple(dimension(d) for d in aval.shape))


def dimension(size: Any) -> Dimension:
    """An integer or "rows"; anything else that holds rows is refused where it is made."""
    if isinstance(size, (int, np.integer)):
        return int(size)
    if str(size) == "rows":
        return "rows"
    raise LearnerFailure(
        f"an array has the dimension {size}, in samples of a block",
        kind="rows",
        hint="let the loss keep each sample apart: do not fold the samples into another axis",
    )


def plain(value: Any) -> Any:
    """A jaxpr parameter as CBOR-able data: enums by name, tuples as lists, dtypes by name, rows as "rows"."""
    if value is None or isinstance(value, (bool, str, bytes, Program)):
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if isinstance(value, core.Primitive):
        return value.name
    if isinstance(value, core.ClosedJaxpr):
        return to_program(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return dimension(value)


def to_program(closed: Any) -> Program:
    """The loop program of a closed jaxpr.

    Raises:
        UnsupportedPrimitive: a live equation has no lowering row on any target.
        LearnerFailure: an array folds the samples into another axis.
    """
    inliner = _Inliner()
    inputs = tuple(inliner.value(variable.aval) for variable in closed.jaxpr.invars)
    outputs = inliner.inline(closed.jaxpr, closed.consts, inputs)
    live = _live(inliner.equations, outputs)
    used = {node for raw in live for node in raw.inputs} | set(outputs)
    constants = [(value, array) for value, array in inliner.constants if value in used]
    return _number(inputs, constants, live, outputs)


def _live(equations: list[_Raw], outputs: tuple[_Node, ...]) -> list[_Raw]:
    needed: set[_Node] = set(outputs)
    kept: list[_Raw] = []
    for raw in reversed(equations):
        if needed.intersection(raw.outputs):
            needed.update(raw.inputs)
            kept.append(raw)
    return kept[::-1]


def _number(
    inputs: tuple[_Value, ...],
    constants: list[tuple[_Value, np.ndarray]],
    equations: list[_Raw],
    outputs: tuple[_Node, ...],
) -> Program:
    values: list[_Value] = [*inputs, *(value for value, _ in constants)]
    for raw in equations:
        values.extend(raw.outputs)
    number = {value: i for i, value in enumerate(values)}

    def operand(node: _Node) -> Operand:
        return node if isinstance(node, Literal_) else number[node]

    return Program(
        inputs=tuple(value.aval for value in inputs),
        constants=tuple(array for _, array in constants),
        values=tuple(value.aval for value in values),
        equations=tuple(
            Equation(
                raw.primitive,
                tuple(operand(node) for node in raw.inputs),
                tuple(number[value] for value in raw.outputs),
                _params(raw),
                raw.place,
            )
            for raw in equations
        ),
        outputs=tuple(operand(node) for node in outputs),
    )


def _params(raw: _Raw) -> dict[str, Any]:
    if not supported(raw.primitive):
        raise unsupported(raw.primitive, raw.place)
    return {name: plain(raw.params[name]) for name in parameters_read(raw.primitive)}


_INSTEAD = {
    "psum": "each sample stands alone: use layer or group norm",
    "psum_invariant": "each sample stands alone: use layer or group norm",
    "pmean": "each sample stands alone: use layer or group norm",
}


def unsupported(primitive: str, place: str) -> UnsupportedPrimitive:
    """The refusal of one primitive: the user's line, its name, what to write instead."""
    from .lower.table import primitives

    instead = _INSTEAD.get(primitive)
    hint = f"{instead}; supported: " if instead else "supported: "
    return UnsupportedPrimitive(
        f"primitive {primitive} has no lowering",
        kind="primitive",
        where=place or None,
        hint=hint + ", ".join(primitives()),
    )
