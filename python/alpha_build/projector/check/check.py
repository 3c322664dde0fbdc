"""All checks of a system in one pass, each failure kept, and the value that only this can make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...learner.program import LearnerProgram
from ...system.contract import Contract
from ...system.errors import AlphaError, ProtocolFailure, raise_failures
from ...system.forms import Form
from ...system.learner import Learner
from ...system.membership import ParticipantGroup
from ...system.region import Operation, Region, Word
from ...system.system import System
from .checked import _SEAL, Checked
from .contract import NARROW_ELEMENTS, check_contract, default_block, mesh_fanout
from .exchange import mark_exchanges
from .identity import ContractFacts, Identity, contract_digest, protocol_digest, run_identity, topology_array
from .learned import learner_names, learner_protocol, learner_regions
from .members import resolve_group, resolve_shape
from .node import Node
from .parts import mark_parts
from .regions import check_operations, check_regions
from .release import check_learner, check_system
from .scope import Scope
from .shares import BatchCut, check_weights, declared_bounds, idle_warning
from .walk import Context, Walk
from .written import Written


def check(system: System, learner: LearnerProgram | None = None) -> Checked:
    """The checked system; `learner` is the traced `system.learner`.  Raises the first failure, which carries
    the others."""
    assert (learner is None) == (system.learner is None), "a learner is traced before its system is checked"
    found: list[AlphaError] = []
    checked = _check(system, learner, found)
    if found:
        raise_failures(found)
    assert checked is not None
    return checked


def failures(system: System) -> tuple[AlphaError, ...]:
    """All that can be said against a system before its learner is traced."""
    found: list[AlphaError] = []
    _check(system, None, found)
    return tuple(found)


def _check(system: System, learner: LearnerProgram | None, found: list[AlphaError]) -> Checked | None:
    """Notes every failure; returns a value only when there is none and the learner, if any, is traced."""
    group = resolve_group(system.members, system.place, found)
    shape = None if group is None else resolve_shape(system, group, found)
    check_system(system, group, found)
    check_contract(system.contract, system.place, shape, system.learner is not None, found)
    _check_work(system, found)
    if not isinstance(system.contract, Contract) or group is None or shape is None:
        return None
    if system.learner is not None and learner is None:
        return None
    mesh_root = group.first if shape.tree is None else None
    protocol, regions, operations = _protocol(system, learner, mesh_root, found)
    if protocol is None:
        return None
    learns = learner is not None
    scope = Scope(group, shape, system.place, system.contract, regions, operations, learns, found)
    nodes = _nodes(protocol, learner, scope)
    cuts, warnings = _cuts(system, learner, group, found)
    if found:
        return None
    facts = _facts(system.contract, learner, cuts)
    fanout = None if shape.tree is not None else mesh_fanout(system.contract, len(group))
    laid = topology_array(system.topology, fanout)
    identity = _identity(system, learner, group, facts, laid, protocol, scope)
    seal = _SEAL
    return Checked(
        system, learner, group, shape, facts, regions, operations, nodes, cuts, identity, warnings, seal
    )


def _check_work(system: System, found: list[AlphaError]) -> None:
    """Exactly one of a learner and a protocol."""
    where = f"{system.place} system"
    if system.learner is not None and system.protocol is not None:
        message = "learner= and protocol= are both given"
        hint = "keep one: a learner brings its own protocol"
        found.append(ProtocolFailure(message, kind="learner-and-protocol", where=where, hint=hint))
    if system.learner is None and system.protocol is None:
        message, hint = "there is nothing to do", "give learner= or protocol="
        found.append(ProtocolFailure(message, kind="no-protocol", where=where, hint=hint))
    if system.learner is not None:
        if isinstance(system.learner, Learner):
            check_learner(system.learner, system, found)
        else:
            message = f"learner={system.learner!r} is not a learner"
            found.append(ProtocolFailure(message, kind="learner", where=where, hint="use Learner(loss, ...)"))


def _protocol(
    system: System, learner: LearnerProgram | None, mesh_root: int | None, found: list[AlphaError]
) -> tuple[Form | None, Mapping[str, Region | Word], Mapping[str, Operation]]:
    if learner is not None:
        assert system.learner is not None
        place = system.learner.place
        return learner_protocol(learner, place, mesh_root), learner_regions(learner, place), {}
    where = f"{system.place} system"
    before = len(found)
    check_regions(system.regions, where, found)
    operations = check_operations(system.operations, system.regions, where, found)
    usable = all(isinstance(region, Region | Word) for region in system.regions.values())
    broken = any(failure.kind.startswith("region-") for failure in found[before:])
    return (system.protocol if usable and not broken else None), system.regions, operations


def _nodes(protocol: Form, learner: LearnerProgram | None, scope: Scope) -> tuple[Node, ...]:
    before = len(scope.found)
    walk = Walk(scope, None if learner is None else learner_names(learner, scope.shape.tree is None))
    nodes = walk.nodes(protocol, Context(outer=f"{scope.place} "))
    if scope.shape.tree is None:
        nodes = mark_parts(nodes, scope)
    if learner is None and len(scope.found) == before:
        Written(scope).check(nodes)
    return mark_exchanges(nodes, scope.operations) if scope.shape.is_pair else nodes


def _cuts(
    system: System, learner: LearnerProgram | None, group: ParticipantGroup, found: list[AlphaError]
) -> tuple[tuple[BatchCut, BatchCut, BatchCut] | None, tuple[str, ...]]:
    """The three kinds of batch, from declared shares where there are any."""
    if learner is None or system.learner is None:
        return None, ()
    contract, members, where = system.contract, len(group), f"{system.learner.place} learner"
    canonical = contract.order == "canonical"
    block = (contract.block or default_block(learner.batch)) if canonical else 0
    declared = None
    if system.learner.shares is not None:
        declared = declared_bounds(system.learner.shares, members, learner.batch, block, where, found)
    evaluated = len(learner.evaluation_samples[0]) if learner.metric is not None else 0
    evaluation_block = (contract.block or default_block(evaluated)) if canonical and evaluated else 0
    short = len(learner.samples[0]) % learner.batch
    cuts = (
        BatchCut(learner.batch, members, block, declared),
        BatchCut(short, members, block, declared),
        BatchCut(evaluated, members, evaluation_block),
    )
    if learner.weighted and contract.normalization == "mean":
        check_weights(learner, where, found)
    warning = idle_warning(cuts[0], where)
    return cuts, () if warning is None else (warning,)


def _facts(
    contract: Contract, learner: LearnerProgram | None, cuts: tuple[BatchCut, ...] | None
) -> ContractFacts:
    mean = contract.normalization == "mean"
    if learner is None or cuts is None:
        return ContractFacts(contract, contract.element, None, None, "members" if mean else None, None)
    denominator = "weights" if learner.weighted else "batch"
    return ContractFacts(
        contract,
        contract.element if contract.element in NARROW_ELEMENTS else learner.element,
        cuts[0].block or None,
        cuts[2].block or None,
        denominator if mean else None,
        "every",
    )


def _identity(
    system: System,
    learner: LearnerProgram | None,
    group: ParticipantGroup,
    facts: ContractFacts,
    topology: list[Any],
    protocol: Form,
    scope: Scope,
) -> Identity:
    contract = contract_digest(facts)
    return run_identity(
        frame_bytes=int(system.frame_bytes),
        topology=topology,
        learner=learner,
        facts=facts,
        contract=contract,
        membership=group.digest,
        protocol=protocol_digest(protocol, scope.regions, scope.operations, contract, topology),
    )
