"""Identities against docs/identity.md, recomputed from that page alone, and what changes which of them."""

from __future__ import annotations

import dataclasses
import hashlib
import struct
from typing import Any

import pytest
from learner_program import learner_program, learner_system

import alpha_build as ab
from alpha_build.learner.program import StopRule
from alpha_build.projector.check import check


def cbor(value: Any) -> bytes:
    """Core deterministic encoding of what the page uses, written from RFC 8949."""

    def head(major: int, number: int) -> bytes:
        if number < 24:
            return bytes([major << 5 | number])
        for code, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if number < 1 << 8 * width:
                return bytes([major << 5 | code]) + number.to_bytes(width, "big")
        raise AssertionError(number)

    match value:
        case None:
            return b"\xf6"
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(cbor, value))
        case dict():
            items = sorted((cbor(key), cbor(each)) for key, each in value.items())
            return head(5, len(items)) + b"".join(key + each for key, each in items)
        case float():
            return b"\xf9" + struct.pack(">e", value)  # the page's examples here are halves
    raise AssertionError(value)


def named(domain: str, value: Any) -> bytes:
    return hashlib.sha256(f"alpha-build {domain} 1\0".encode() + cbor(value)).digest()


MEMBERSHIP_OF_3 = named(
    "membership", {"universe": 3, "epoch": 0, "identity": b"", "selection": ["stride", 0, 1, 3]}
)


def own_system(**fields: Any) -> ab.System:
    scale = ab.Operation("scale", reads=["x"], writes=["y"], cpp="y[0] = x[0];", preamble="int z;")
    given: dict[str, Any] = {
        "name": "own",
        "members": 3,
        "topology": ab.Star(),
        "contract": ab.Contract(normalization="sum"),
        "regions": {
            "x": ab.Region("f32", (4,), initial=1),
            "y": ab.Region("f32", (4,)),
            "go": ab.Word(initial=1),
        },
        "operations": [scale],
        "protocol": ab.Repeat(
            5,
            ab.Sequence(
                ab.Everyone("scale"),
                ab.Choice(0, "go", ab.Transfer(0, 1, "x"), routes=[(0, 1)]),
                ab.Combine("y", topology=ab.Star()),
                ab.Deliver("y", owners=2),
                ab.Local(2, scale),
                ab.Deliver("y"),
                ab.Skip(),
            ),
        ),
    }
    return ab.System(**(given | fields))


def test_a_protocols_identity_follows_the_page() -> None:
    contract = {
        "element": None,
        "accumulation": None,
        "rounding": "fused",
        "order": "tree",
        "block": None,
        "evaluation_block": None,
        "normalization": "sum",
        "denominator": None,
        "nonfinite": "refuse",
        "delivery": None,
    }
    forms = [
        "repeat",
        5,
        [
            "sequence",
            ["everyone", "scale"],
            ["choice", 0, "go", ["transfer", 0, 1, "x"], ["skip"], [[0, 1]]],
            ["combine", "y", ["star"], None],
            ["deliver", "y", 2],
            ["local", 2, "scale", ["x"], ["y"]],
            ["deliver", "y", None],
            ["skip"],
        ],
    ]
    regions = [["go", "word", [], 1], ["x", "f32", [4], 1.0], ["y", "f32", [4], None]]
    source = hashlib.sha256(b"int z;\0y[0] = x[0];").digest()
    protocol = {"forms": forms, "regions": regions, "operations": [["scale", source, ["x"], ["y"]]]}
    run = {
        "format": 1,
        "frame_bytes": 1048576,
        "topology": ["star"],
        "learner": None,
        "contract": named("contract", contract),
        "membership": MEMBERSHIP_OF_3,
        "protocol": named("protocol", protocol),
    }
    identity = check(own_system()).identity
    assert identity.contract == named("contract", contract)
    assert identity.protocol == named("protocol", protocol)
    assert identity.run == named("run", run)
    assert identity.learner is None
    assert identity.state is None


@pytest.mark.parametrize(
    "stop",
    [None, StopRule("loss", 5, "min"), StopRule("accuracy", 4, "max")],
    ids=["whole", "loss", "metric"],
)
def test_a_learners_identity_follows_the_page(stop: StopRule | None) -> None:
    system = learner_system(3, topology=ab.Tree(fanout=2), contract=ab.Contract(order="canonical", block=8))
    identity = check(system, learner_program(stop=stop)).identity
    contract = {
        "element": "f32",
        "accumulation": "f32",
        "rounding": "fused",
        "order": "canonical",
        "block": 8,
        "evaluation_block": 8,
        "normalization": "mean",
        "denominator": "batch",
        "nonfinite": "refuse",
        "delivery": "every",
    }
    parts = [["everyone", "evaluate"], ["combine", "metrics", None, None]]
    of_metric = [["until", "stop", "accuracy", 4, "max"]] if stop and not stop.of_loss else []
    evaluation = ["every", 3, ["sequence", *parts, *of_metric]]
    round_ = [
        "sequence",
        ["everyone", "gradient"],
        ["combine", "gradient", None, None],
        ["deliver", "gradient", None],
        ["everyone", "update"],
        *([["until", "stop", "loss", 5, "min"]] if stop and stop.of_loss else []),
        evaluation,
    ]
    regions = [
        ["generation", "bytes", [40], 0],
        ["gradient", "f32", [9], None],
        ["manifest", "bytes", [32], 0],
        ["metrics", "f32", [1], None],
        *([["stop", "word", [], None]] if stop else []),
    ]
    forms = [
        "sequence",
        ["start", "generation"],
        ["repeat", 10, round_],
        ["publish", "manifest", "generation"],
    ]
    run = {
        "format": 1,
        "frame_bytes": 1048576,
        "topology": ["tree", 2],
        "learner": b"\x11" * 32,
        "contract": named("contract", contract),
        "membership": MEMBERSHIP_OF_3,
        "protocol": named("protocol", {"forms": forms, "regions": regions, "operations": []}),
    }
    state = {
        "learner": b"\x11" * 32,
        "element": "f32",
        "rounding": "fused",
        "order": "canonical",
        "block": 8,
        "normalization": "mean",
        "nonfinite": "refuse",
    }
    assert identity.run == named("run", run)
    assert identity.state == named("state", state)
    assert identity.learner == b"\x11" * 32


def test_a_tree_orders_state_names_its_owners() -> None:
    identity = check(learner_system(3, topology=ab.Tree(fanout=2)), learner_program(every=0)).identity
    state = {
        "learner": b"\x11" * 32,
        "element": "f32",
        "rounding": "fused",
        "order": "tree",
        "block": None,
        "normalization": "mean",
        "nonfinite": "refuse",
        "membership": MEMBERSHIP_OF_3,
        "topology": ["tree", 2],
    }
    assert identity.state == named("state", state)


@pytest.mark.parametrize(
    "fields",
    [
        {"frame_bytes": 4096},
        {"topology": ab.Tree(fanout=2)},
        {"topology": ab.Tree(fanout=3)},
        {"contract": ab.Contract(normalization="sum", rounding="separate")},
        {"contract": ab.Contract(normalization="sum", nonfinite="propagate")},
        {"contract": ab.Contract(normalization="sum", element="f32")},
        {"members": ab.ParticipantGroup(universe=3, epoch=1)},
        {"members": ab.ParticipantGroup(universe=3, identity=b"other")},
        {"members": ab.ParticipantGroup(universe=4, selection=ab.stride(0, 1, 3))},
        {
            "members": ab.ParticipantGroup(
                universe=3, selection=ab.join(ab.stride(0, 1, 2), ab.stride(2, 1, 1))
            )
        },
        {
            "regions": {
                "x": ab.Region("f32", (4,), initial=2),
                "y": ab.Region("f32", (4,)),
                "go": ab.Word(initial=1),
            }
        },
        {
            "regions": {
                "x": ab.Region("f32", (2, 2), initial=1),
                "y": ab.Region("f32", (4,)),
                "go": ab.Word(initial=1),
            }
        },
        {"operations": [ab.Operation("scale", reads="x", writes="y", cpp="y[0] = x[1];", preamble="int z;")]},
        {
            "operations": [
                ab.Operation("scale", reads="x", writes="y", cpp="y[0] = x[0];", preamble="int  z;")
            ]
        },
    ],
)
def test_whatever_alters_a_run_alters_its_identity(fields: dict[str, Any]) -> None:
    protocol = ab.Sequence(ab.Everyone("scale"), ab.Combine("y"), ab.Deliver("y"))
    base = check(own_system(protocol=protocol)).identity.run
    assert check(own_system(protocol=protocol, **fields)).identity.run != base


def test_where_and_when_alter_nothing() -> None:
    base = check(own_system()).identity
    moved = own_system(
        name="other",
        pairing={1: ab.Target("aarch64")},
        budgets=ab.Budgets(wait=1),
        members=ab.ParticipantGroup(universe=3),
    )
    assert check(moved).identity == base


def test_a_canonical_state_may_change_owners_and_a_tree_state_may_not() -> None:
    for order, equal in (("canonical", True), ("tree", False)):
        contract = ab.Contract(order=order)  # type: ignore[arg-type]
        one = check(learner_system(1, contract=contract), learner_program()).identity
        four = check(learner_system(4, contract=contract, topology=ab.Star()), learner_program()).identity
        assert (one.state == four.state) == equal
        assert one.run != four.run


def test_another_learner_is_another_run_and_another_state() -> None:
    one = check(learner_system(), learner_program()).identity
    other = check(learner_system(), learner_program(digest=b"\x12" * 32)).identity
    assert one.run != other.run
    assert one.state != other.state


def test_only_check_makes_a_checked_system() -> None:
    checked = check(own_system())
    with pytest.raises(TypeError, match="only check"):
        dataclasses.replace(checked, seal=object())
