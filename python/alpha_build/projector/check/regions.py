"""Rules of regions and operations: names, elements, extents, initial values, what an operation may name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...system.errors import AlphaError, ProtocolFailure
from ...system.region import Operation, Region, Word
from .names import is_identifier
from .numbers import whole

ELEMENT_BYTES = {"bytes": 1, "f32": 4, "f64": 8, "i32": 4, "i64": 8, "word": 8, "bf16": 2, "f16": 2}
_FLOATS = frozenset({"f32", "f64", "bf16", "f16"})
_INTEGER_RANGE = {
    "bytes": (0, 255),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "word": (0, 1),
}
REALIZED = ("f32", "f64", "i32", "i64", "bytes")  # moved and worked on in this release


def check_regions(regions: Mapping[str, Any], where: str, found: list[AlphaError]) -> None:
    """Every region's name, element, shape and initial value."""
    for name, region in regions.items():
        if not isinstance(region, Region | Word):
            found.append(
                _failure("region", where, f"region {name!r} is {region!r}", "use Region(...) or Word()")
            )
            continue
        here = f"{region.place} region {name!r}"
        if not is_identifier(name):
            found.append(_name_failure(here, name))
        if isinstance(region, Region):
            _check_array(region, here, found)
        _check_initial(region, here, found)


def _check_array(region: Region, here: str, found: list[AlphaError]) -> None:
    if region.element not in ELEMENT_BYTES or region.element == "word":
        message = f"{region.element!r} is not an element type"
        found.append(_failure("region-element", here, message, f"use one of {', '.join(REALIZED)}"))
    shape: Any = region.shape
    if not isinstance(shape, tuple) or any(size is None or size < 0 for size in map(whole, shape)):
        message = f"shape {shape!r} is not a tuple of sizes"
        found.append(_failure("region-shape", here, message, "write a vector of n elements as (n,)"))


def _check_initial(region: Region | Word, here: str, found: list[AlphaError]) -> None:
    value = region.initial
    if value is None:
        return
    if region.element in _FLOATS:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if fits and region.element != "f64" and math.isfinite(value):
            fits = abs(value) <= 3.4028235677973366e38
    else:
        low, high = _INTEGER_RANGE.get(region.element, (0, 0))
        number = whole(value)
        fits = number is not None and low <= number <= high
    if not fits:
        message = f"initial={value!r} does not fit element {region.element}"
        found.append(_failure("region-initial", here, message, "give one number of that type"))


def check_operations(
    operations: Any, regions: Mapping[str, Any], where: str, found: list[AlphaError]
) -> dict[str, Operation]:
    """Operations by name, with what each reads and writes known."""
    known: dict[str, Operation] = {}
    for operation in operations:
        if not isinstance(operation, Operation):
            message = f"operations= holds {operation!r}"
            found.append(_failure("operation", where, message, "use Operation(name, reads=, writes=, cpp=)"))
            continue
        here = f"{operation.place} operation {operation.name!r}"
        if not is_identifier(operation.name):
            found.append(_name_failure(here, operation.name))
        if operation.name in known:
            message = f"two operations are called {operation.name!r}"
            found.append(_failure("operation-twice", here, message, "give each a name of its own"))
        known[operation.name] = operation
        for name in dict.fromkeys((*operation.reads, *operation.writes)):
            if name not in regions:
                found.append(unknown_region(name, here, regions))
        for name in operation.parts:
            whole_word = isinstance(regions.get(name), Word)
            if whole_word or name not in (*operation.reads, *operation.writes):
                message = f"parts= names {name!r}, which {'is a word' if whole_word else 'it does not use'}"
                hint = "name regions of reads= and writes="
                found.append(_failure("operation-parts", here, message, hint))
    return known


def unknown_region(name: object, where: str, regions: Mapping[str, Any]) -> ProtocolFailure:
    """A name that is no region of the system."""
    listed = ", ".join(sorted(map(str, regions))) or "none"
    return _failure("unknown-region", where, f"there is no region {name!r}", f"regions= has {listed}")


def _name_failure(where: str, name: object) -> ProtocolFailure:
    return _failure(
        "name",
        where,
        f"{name!r} cannot be a name in C++",
        "use letters, digits and single underscores, a letter first; no keyword, `round`, `std`, `alpha`",
    )


def _failure(kind: str, where: str, message: str, hint: str) -> ProtocolFailure:
    return ProtocolFailure(message, kind=kind, where=where, hint=hint)
