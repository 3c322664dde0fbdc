"""Rules of the numerical contract, and what this release does of it."""

from __future__ import annotations

from typing import Any

from ...system.contract import Contract
from ...system.errors import AlphaError, ContractFailure
from ...system.place import Place
from .numbers import whole
from .shape import Shape

COMBINED_ELEMENTS = ("f32", "f64", "i32", "i64")
# A learner's contributions are rounded to one of these once, and travel and are added as f32.
NARROW_ELEMENTS = ("bf16", "f16")
MESH_FANOUT = 8  # as Tree() has it, so that both give the same bits
_CHOICES = {
    "order": ("tree", "sequence", "canonical"),
    "rounding": ("fused", "separate"),
    "normalization": ("mean", "sum"),
    "nonfinite": ("refuse", "propagate"),
}


def check_contract(
    contract: Any, place: Place, shape: Shape | None, learns: bool, found: list[AlphaError]
) -> None:
    """Values, and combinations that mean nothing or that this release does not do."""
    if not isinstance(contract, Contract):
        found.append(
            _failure("contract", f"{place} system", f"{contract!r} is not a contract", "use Contract(...)")
        )
        return
    where = f"{contract.place} contract"
    for name, values in _CHOICES.items():
        if getattr(contract, name) not in values:
            message = f"{name}={getattr(contract, name)!r} is not a value"
            found.append(_failure(name, where, message, f"use one of {', '.join(values)}"))
    _check_element(contract, where, learns, found)
    _check_block(contract, where, learns, found)
    _check_fanout(contract, where, shape, found)


def travelling_element(element: str | None) -> str | None:
    """What values of a contract's element travel and are added as."""
    return "f32" if element in NARROW_ELEMENTS else element


def mesh_fanout(contract: Contract, members: int) -> int:
    """Fan-out of the tree in whose order a mesh combines; order sequence is that of a tree of one level."""
    if contract.order == "sequence":
        return max(members - 1, 1)
    return MESH_FANOUT if contract.fanout is None else int(contract.fanout)


def _check_fanout(contract: Contract, where: str, shape: Shape | None, found: list[AlphaError]) -> None:
    if contract.fanout is None:
        return
    if shape is not None and shape.tree is not None:
        message = "fanout= in a contract is the combining tree's on a mesh, and the topology is none"
        hint = "give the fan-out as topology=Tree(fanout=F)"
        found.append(_failure("contract-fanout", where, message, hint))
    elif contract.order != "tree":
        message = f"fanout= has no meaning under order {contract.order!r}"
        found.append(_failure("contract-fanout", where, message, "use order='tree', or leave it out"))
    elif (whole(contract.fanout) or 0) < 1:
        message = f"fanout={contract.fanout!r} is not a number of children"
        found.append(_failure("contract-fanout", where, message, "give a whole number from 1 up"))


def _check_element(contract: Contract, where: str, learns: bool, found: list[AlphaError]) -> None:
    element = contract.element
    narrow = learns and element in NARROW_ELEMENTS
    if element is not None and element not in COMBINED_ELEMENTS and not narrow:
        message = f"element={element!r} is not in this release"
        found.append(_failure("element", where, message, f"use one of {', '.join(COMBINED_ELEMENTS)}"))
    if contract.accumulate is not None and contract.accumulate != ("f32" if narrow else element):
        message = f"accumulate={contract.accumulate!r} with element={element!r} is not in this release"
        found.append(
            _failure("accumulate", where, message, "leave it out: values accumulate in their element")
        )


def _check_block(contract: Contract, where: str, learns: bool, found: list[AlphaError]) -> None:
    if contract.order == "canonical" and not learns:
        message = "order 'canonical' follows the samples of a learner's batch, and there is no learner"
        found.append(_failure("canonical-without-learner", where, message, "use order='tree'"))
    if contract.block is None:
        return
    if (whole(contract.block) or 0) < 1:
        message = f"block={contract.block!r} is not a number of samples"
        found.append(_failure("block", where, message, "give a whole number from 1 up"))
    if contract.order != "canonical":
        message = f"block= has no meaning under order {contract.order!r}"
        found.append(_failure("block-unused", where, message, "use order='canonical', or leave it out"))


def default_block(samples: int) -> int:
    """Samples a block: the smallest power of two not under max(32, batch/64)."""
    block = 32
    while block * 64 < samples:
        block *= 2
    return block


def _failure(kind: str, where: str, message: str, hint: str) -> ContractFailure:
    return ContractFailure(message, kind=kind, where=where, hint=hint)
