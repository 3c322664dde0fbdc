"""The protocol that a learner follows: start; rounds of gradient, combine, deliver, update; publication."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...learner.program import LearnerProgram
from ...system.forms import Combine, Deliver, Everyone, Form, Repeat, Sequence
from ...system.place import Place
from ...system.region import Region

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
    if learner.metric is not None:
        parts: list[Form] = [Everyone("evaluate", place=place), Combine("metrics", place=place)]
        if mesh_root is not None:
            parts.append(Deliver("metrics", owners=mesh_root, place=place))
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
    return (*_NAMES, *metrics, *_NAMES_AFTER)


def learner_regions(learner: LearnerProgram, place: Place) -> dict[str, Region]:
    """Regions of the learner's protocol: the loss and then the gradient's leaves, the metrics, what start and
    publication carry."""
    leaves = learner.state[: learner.parameters]
    elements = 1 + sum(prod(leaf.array.shape) for leaf in leaves)
    regions = {
        "generation": Region("bytes", (START_BYTES,), 0, place=place),
        "gradient": Region(learner.element, (elements,), place=place),
        "manifest": Region("bytes", (DIGEST_BYTES,), 0, place=place),
    }
    if learner.metric is not None:
        regions["metrics"] = Region(learner.element, (len(learner.metric_names),), place=place)
    return regions
