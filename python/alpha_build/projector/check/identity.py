"""Run identity and state identity, part by part (docs/identity.md gives the encodings)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

from ...learner.program import LearnerProgram
from ...system.contract import Contract
from ...system.digest import digest
from ...system.forms import (
    Choice,
    Combine,
    Deliver,
    Everyone,
    Form,
    Local,
    Repeat,
    Sequence,
    Skip,
    Transfer,
)
from ...system.region import Operation, Region, Word
from ...system.topology import Mesh, Pair, Star, Topology, Tree
from .contract import travelling_element
from .learned import Every, Publish, Start, Until


@dataclass(frozen=True)
class Identity:
    """Digests of 32 bytes; `learner` and `state` are None in a protocol of one's own."""

    run: bytes
    learner: bytes | None
    contract: bytes
    membership: bytes
    protocol: bytes
    state: bytes | None


@dataclass(frozen=True)
class ContractFacts:
    """The contract with every default filled in."""

    contract: Contract
    element: str | None
    block: int | None  # samples; canonical only
    evaluation_block: int | None
    denominator: str | None  # "batch", "weights", "members"; None under sum
    delivery: str | None  # "every"; None: the protocol's own Deliver forms say it


def run_identity(
    *,
    frame_bytes: int,
    topology: list[Any],
    learner: LearnerProgram | None,
    facts: ContractFacts,
    contract: bytes,
    membership: bytes,
    protocol: bytes,
) -> Identity:
    """The run's identity and each part of it."""
    learner_digest = None if learner is None else learner.digest
    run = digest(
        "run",
        {
            "format": 1,
            "frame_bytes": frame_bytes,
            "topology": topology,
            "learner": learner_digest,
            "contract": contract,
            "membership": membership,
            "protocol": protocol,
        },
    )
    state = None if learner_digest is None else state_identity(learner_digest, facts, membership, topology)
    return Identity(run, learner_digest, contract, membership, protocol, state)


def topology_array(topology: Topology, mesh_fanout: int | None) -> list[Any]:
    """["pair"], ["star"], ["tree", fanout] or ["mesh", fanout]: what fixes the order of a combine."""
    match topology:
        case Pair():
            return ["pair"]
        case Star():
            return ["star"]
        case Tree(fanout):
            return ["tree", int(fanout)]
        case Mesh():
            return ["mesh", mesh_fanout]


def contract_digest(facts: ContractFacts) -> bytes:
    """The contract with its defaults filled in; values accumulate in their element, narrow ones as f32."""
    contract = facts.contract
    return digest(
        "contract",
        {
            "element": facts.element,
            "accumulation": travelling_element(facts.element),
            "rounding": contract.rounding,
            "order": contract.order,
            "block": facts.block,
            "evaluation_block": facts.evaluation_block,
            "normalization": contract.normalization,
            "denominator": facts.denominator,
            "nonfinite": contract.nonfinite,
            "delivery": facts.delivery,
        },
    )


def state_identity(learner: bytes, facts: ContractFacts, membership: bytes, topology: list[Any]) -> bytes:
    """What a saved state may be continued by: who holds it matters unless the order is canonical."""
    contract = facts.contract
    parts: dict[str, Any] = {
        "learner": learner,
        "element": facts.element,
        "rounding": contract.rounding,
        "order": contract.order,
        "block": facts.block,
        "normalization": contract.normalization,
        "nonfinite": contract.nonfinite,
    }
    if contract.order != "canonical":
        parts |= {"membership": membership, "topology": topology}
    return digest("state", parts)


def protocol_digest(
    protocol: Form,
    regions: Mapping[str, Region | Word],
    operations: Mapping[str, Operation],
    contract: bytes,
    topology: list[Any],
) -> bytes:
    """Forms as written, then regions and operations in name order."""
    encoded = form_array(protocol, operations, contract, topology)
    return digest(
        "protocol",
        {
            "forms": encoded,
            "regions": [_region_array(name, region) for name, region in sorted(regions.items())],
            "operations": [_operation_array(operation) for _, operation in sorted(operations.items())],
        },
    )


def form_array(
    form: Form, operations: Mapping[str, Operation], contract: bytes, topology: list[Any]
) -> list[Any]:
    """One checked form: its name, then its fields in the order of the protocol page, absent ones null."""

    def array(part: Form) -> list[Any]:
        return form_array(part, operations, contract, topology)

    match form:
        case Skip():
            return ["skip"]
        case Local(role=role, operation=given):
            operation = operations[operation_name(given)]
            return ["local", index(role), operation.name, list(operation.reads), list(operation.writes)]
        case Transfer(sender=sender, receiver=receiver, region=region):
            return ["transfer", index(sender), index(receiver), region]
        case Sequence(parts):
            return ["sequence", *map(array, parts)]
        case Repeat(count, body):
            return ["repeat", index(count), array(body)]
        case Choice(authority=authority, selector=selector, then=then, otherwise=otherwise, routes=routes):
            pairs = None if routes is None else [list(map(index, route)) for route in routes]
            return ["choice", index(authority), selector, array(then), array(otherwise), pairs]
        case Everyone(operation=given):
            return ["everyone", operation_name(given)]
        case Combine(region=region, topology=given_topology, contract=own):
            laid = None if given_topology is None else topology  # others than the system's were refused
            return ["combine", region, laid, None if own is None else contract]
        case Deliver(region=region, owners=owners):
            owner = owners if owners is None or isinstance(owners, str) else index(owners)
            return ["deliver", region, owner]
        case Every(period=period, body=body):
            return ["every", period, array(body)]
        case Start(region=region):
            return ["start", region]
        case Until(region=region, rule=rule):
            return ["until", region, rule.what, rule.patience, rule.mode]
        case Publish(region=region, region_down=region_down):
            return ["publish", region, region_down]
        case _:
            raise AssertionError(f"{form!r} was not checked")


def operation_name(given: str | Operation) -> str:
    """An operation's name, however the form gives it."""
    return given.name if isinstance(given, Operation) else given


def _region_array(name: str, region: Region | Word) -> list[Any]:
    initial: Any = region.initial
    if initial is not None:
        initial = float(initial) if region.element in ("f32", "f64") else index(initial)
    return [name, region.element, list(map(index, region.shape)), initial]


def _operation_array(operation: Operation) -> list[Any]:
    source = f"{operation.preamble}\0{operation.cpp}".encode()
    parts = [list(operation.parts)] if operation.parts else []
    names = [list(operation.reads), list(operation.writes), *parts]
    return [operation.name, hashlib.sha256(source).digest(), *names]
