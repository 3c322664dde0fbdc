"""What a user writes: every spelling constructs, places are recorded, failures read as one line."""

from __future__ import annotations

import dataclasses

import pytest

import alpha_build as ab
from alpha_build.system.errors import raise_failures
from alpha_build.system.place import user_place


def test_every_keyword_of_the_interface_exists() -> None:
    ab.Contract(
        order="tree",
        rounding="fused",
        element="f32",
        accumulate="f32",
        block=32,
        normalization="mean",
        nonfinite="refuse",
        fanout=2,
    )
    ab.Learner(
        len,
        state=0,
        optimizer=0,
        samples=0,
        batch=1,
        rounds=1,
        partition="none",
        weights=None,
        shuffle=3,
        shares=[1],
        evaluation=ab.Evaluation(len, samples=(0, 0), every=10),
        stop=ab.Stop("loss", patience=5),
        key="key",
        seed=0,
    )
    ab.Target("x86_64", gpu="GPU-1")
    ab.ParticipantGroup(universe=9, epoch=1, identity=b"", selection=ab.stride(0, 1, 3))
    ab.Budgets(connect=30, accept=30, wait=300, frame=30, session=None)
    ab.Choice(authority=0, selector="go", routes=[(0, 1)], then=ab.Skip(), otherwise=ab.Skip())
    ab.Local(0, "work", reads=["x"], writes=["y"])
    ab.Combine("x", topology=ab.Star(), contract=ab.Contract())
    ab.Deliver("x", owners=0)


def test_defaults() -> None:
    system = ab.System(name="s", members=1)
    assert system.topology == ab.Tree(fanout=8)
    assert system.contract == ab.Contract(
        order="tree", rounding="fused", normalization="mean", nonfinite="refuse"
    )
    assert system.frame_bytes == 1 << 20


def test_each_form_knows_its_line_and_compares_without_it() -> None:
    line = user_place().line
    one = ab.Transfer(0, 1, "x")
    other = ab.Sequence(
        ab.Transfer(0, 1, "x"),
    ).parts[0]
    assert str(one.place) == f"test_values.py:{line + 1}"
    assert other.place.line == line + 3
    assert one == other
    assert "place" not in repr(one)
    operation = ab.Operation("a", reads="x", cpp="")
    assert operation.reads == ("x",)
    assert operation.place.line == line + 9


def test_values_are_frozen() -> None:
    for value in (ab.Skip(), ab.Contract(), ab.Region("f32"), ab.Operation("a"), ab.Sequence(), ab.Star()):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.place = None  # type: ignore[union-attr, misc, assignment]


def test_a_generator_of_routes_is_read_once() -> None:
    choice = ab.Choice(0, "go", ab.Skip(), routes=((0, role) for role in (1, 2)))
    assert list(choice.routes or ()) == list(choice.routes or ()) == [(0, 1), (0, 2)]


def test_a_failure_reads_as_place_fault_and_remedy() -> None:
    failure = ab.ProtocolFailure("it is wrong", kind="wrong", where="a.py:1 form", hint="put it right")
    assert str(failure) == "a.py:1 form: it is wrong; put it right"
    assert str(ab.Refused("alone", kind="frame")) == "alone"
    assert isinstance(failure, ab.AlphaError)


def test_several_failures_travel_with_the_first() -> None:
    failures = [ab.ContractFailure("one", kind="a"), ab.MembershipFailure("two", kind="b")]
    with pytest.raises(ab.ContractFailure) as failed:
        raise_failures(failures)
    assert failed.value.failures == tuple(failures)
    assert failed.value.__notes__ == ["MembershipFailure: two"]


def test_all_names_are_there() -> None:
    for name in ab.__all__:
        assert name == "load_state" or getattr(ab, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ab.nothing  # noqa: B018
