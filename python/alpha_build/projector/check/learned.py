"""The protocol that a learner follows: start; rounds of gradient, combine, deliver, update; publication."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...learner.program import LearnerProgram, StopRule
from ...system.forms import Combine, Deliver, Everyone, Form, Repeat, Sequence
from ...system.place import Place
from ...system.region import Region, Word

START_BYTES = 40  # generation (8, big-endian) and the root manifest's digest: the commit word too
DIGEST_BYTES = 32

# Names of the communicating forms' constants, in the order of their numbers.
_NAMES = ("Start", "Gradient", "Total")
_NAMES_AFTER = ("Manifest", "Commit")

# What the learner's own operations write.
LEARNER_WRITES = {"gradient": ("gradient",), "update": (), "evaluate": ("metrics",)}


@dataclass(frozen=True)
class Every(Form):
    """Inside a repeat: the body runs after each `period`-th pass, and after the last."""

    period: int
    body: Form


@dataclass(frozen=True)
class Start(Form):
    """The root says from which generation every owner starts."""

    region: str


@dataclass(frozen=True)
class Until(Form):
    """Inside a repeat: the root's word, in `region`, says whether this pass is the last."""

    region: str
    rule: StopRule


@dataclass(frozen=True)
class Publish(Form):
    """Manifest digests move up in `region`, the root commits, its digest moves down in `region_down`."""

    region: str
    region_down: str


def learner_protocol(learner: LearnerProgram, place: Place, mesh_root: int | None = None) -> Form:
    """The replicated learner's protocol; on a mesh metrics are combined in parts, for its root to gather."""
    steps: list[Form] = [
        Everyone("gradient", place=place),
        Combine("gradient", place=place),
        Deliver("gradient", place=place),
        Everyone("update", place=place),
    ]
    stop = None if learner.stop is None else Until("stop", learner.stop, place=place)
    if stop is not None and stop.rule.of_loss:
        steps.append(stop)
    if learner.metric is not None:
        parts: list[Form] = [Everyone("evaluate", place=place), Combine("metrics", place=place)]
        if mesh_root is not None:
            parts.append(Deliver("metrics", owners=mesh_root, place=place))
        if stop is not None and not stop.rule.of_loss:
            parts.append(stop)
        evaluation = Sequence(*parts, place=place)
        steps.append(Every(learner.every, evaluation, place=place))
    return Sequence(
        Start("generation", place=place),
        Repeat(learner.rounds, Sequence(*steps, place=place), place=place),
        Publish("manifest", "generation", place=place),
        place=place,
    )


def learner_names(learner: LearnerProgram, mesh: bool) -> tuple[str, ...]:
    """Constant names of the learner's communicating forms, by number."""
    metrics = () if learner.metric is None else ("Metrics", "Result") if mesh else ("Metrics",)
    stop = () if learner.stop is None else ("Stop",)
    measured = (*stop, *metrics) if learner.stop and learner.stop.of_loss else (*metrics, *stop)
    return (*_NAMES, *measured, *_NAMES_AFTER)


def learner_regions(learner: LearnerProgram, place: Place) -> dict[str, Region | Word]:
    """Regions of the learner's protocol: the loss and then the gradient's leaves, the metrics, what start and
    publication carry."""
    leaves = learner.state[: learner.parameters]
    elements = 1 + sum(prod(leaf.array.shape) for leaf in leaves)
    regions: dict[str, Region | Word] = {
        "generation": Region("bytes", (START_BYTES,), 0, place=place),
        "gradient": Region(learner.element, (elements,), place=place),
        "manifest": Region("bytes", (DIGEST_BYTES,), 0, place=place),
    }
    if learner.metric is not None:
        regions["metrics"] = Region(learner.element, (len(learner.metric_names),), place=place)
    if learner.stop is not None:
        regions["stop"] = Word(place=place)
    return regions
