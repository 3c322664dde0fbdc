"""Digests of loop programs and of a whole learner: what the run identity binds."""

from __future__ import annotations

import hashlib
from dataclasses import astuple
from typing import Any

import numpy as np

from ..system.digest import digest
from .program import Aval, LearnerProgram, Literal_, Operand, Program

SEMANTICS = 1  # raised with any change of what bits a program gives


def aval_data(aval: Aval) -> list[Any]:
    return [aval.dtype, list(aval.shape)]


def operand_data(operand: Operand) -> Any:
    return [operand.dtype, operand.data] if isinstance(operand, Literal_) else operand


def param_data(value: Any) -> Any:
    """A parameter as plain data; programs within (loop bodies) as their own maps."""
    if isinstance(value, Program):
        return program_data(value)
    if isinstance(value, dict):
        return {key: param_data(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [param_data(part) for part in value]
    return value


def array_data(array: np.ndarray) -> list[Any]:
    """[dtype, shape, SHA-256 of the little-endian bytes]."""
    data = np.ascontiguousarray(array).tobytes()
    return [array.dtype.name, list(array.shape), hashlib.sha256(data).digest()]


def program_data(program: Program) -> dict[str, Any]:
    """`{semantics, inputs, constants, equations, outputs}` of learners-state; no names, no places."""
    return {
        "semantics": SEMANTICS,
        "inputs": [aval_data(aval) for aval in program.inputs],
        "constants": [array_data(array) for array in program.constants],
        "equations": [
            [
                equation.primitive,
                [operand_data(operand) for operand in equation.inputs],
                [aval_data(program.values[number]) for number in equation.outputs],
                param_data(equation.params),
            ]
            for equation in program.equations
        ],
        "outputs": [operand_data(operand) for operand in program.outputs],
    }


def program_digest(program: Program) -> bytes:
    """32 bytes, equal for equal arithmetic, whatever the names, places and files."""
    return digest("program", program_data(program))


def learner_digest(learner: LearnerProgram) -> bytes:
    """32 bytes over programs, named initial state, samples, batch rule, rounds and evaluation."""
    return digest(
        "learner",
        {
            "block": program_digest(learner.block),
            "update": program_digest(learner.update),
            "metric": program_digest(learner.metric) if learner.metric else None,
            "metric_names": list(learner.metric_names),
            "state": [[leaf.name, *array_data(leaf.array)] for leaf in learner.state],
            "parameters": learner.parameters,
            "element": learner.element,
            "samples": [array_data(array) for array in learner.samples],
            "weighted": learner.weighted,
            "evaluation_samples": [array_data(array) for array in learner.evaluation_samples],
            "batch": learner.batch,
            "rounds": learner.rounds,
            "every": learner.every,
            "stop": None if learner.stop is None else list(astuple(learner.stop)),
        },
    )
