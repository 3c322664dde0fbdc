"""What stands around a learner (members, topology, contract, targets, budgets), saved beside its programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..system.contract import Budgets, Contract, Target
from ..system.learner import Learner
from ..system.membership import ParticipantGroup
from ..system.place import Place
from ..system.selection import Joined, Repetition, Stride
from ..system.system import System
from ..system.topology import Mesh, Pair, Star, Tree

_AROUND = ("name", "members", "topology", "contract", "pairing", "budgets", "frame_bytes", "place")
_OF_LEARNER = ("rounds", "batch", "shares", "key", "seed", "place")
_FORMS: dict[str, type] = {
    form.__name__: form
    for form in (
        *(ParticipantGroup, Stride, Repetition, Joined),
        *(Pair, Star, Tree, Mesh),
        *(Contract, Target, Budgets, Place),
    )
}


def system_data(system: System) -> dict[str, Any]:
    """All of a learner's system but what the programs and their data hold already."""
    assert system.learner is not None
    learner = {name: _data(getattr(system.learner, name)) for name in _OF_LEARNER}
    return {**{name: _data(getattr(system, name)) for name in _AROUND}, "learner": learner}


def system_of(data: Mapping[str, Any]) -> System:
    """The system again, its learner without functions and data: those are in the saved programs.

    Raises ValueError, KeyError or TypeError for data that system_data did not give.
    """
    learner = {name: _value(data["learner"][name]) for name in _OF_LEARNER}
    around = {name: _value(data[name]) for name in _AROUND}
    return System(
        **around, learner=Learner(_traced_before, state=None, optimizer=None, samples=None, **learner)
    )


def _traced_before(*_: Any) -> None:
    raise AssertionError("a saved learner is not traced again")


def _data(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        given = {
            field.name: _data(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init
        }
        return {"form": type(value).__name__, **given}
    if isinstance(value, Mapping):
        return {"pairs": [[_data(key), _data(part)] for key, part in sorted(value.items())]}
    if isinstance(value, (list, tuple)):
        return [_data(part) for part in value]
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return int(value)
    return value


def _value(data: Any) -> Any:
    if isinstance(data, dict):
        if "pairs" in data:
            return {_value(key): _value(part) for key, part in data["pairs"]}
        given = {name: _value(part) for name, part in data.items() if name != "form"}
        return _FORMS[data["form"]](**given)
    return tuple(_value(part) for part in data) if isinstance(data, list) else data
