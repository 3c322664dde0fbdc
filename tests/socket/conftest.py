"""The compiled socket layer, and participants that are freed whatever happens."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from alpha_build.gates.peer import Peer
from alpha_build.gates.ring import SharingPeer
from native import compile_library
from participant import RUN, Participant, load


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("socket") / "libsocket.so"
    return load(compile_library(Path(__file__).with_name("driver.cpp"), out, "base", "frame", "socket"))


@pytest.fixture
def shared(request: pytest.FixtureRequest) -> bool:
    """Whether edges go through memory; of a test that is not asked, not."""
    return bool(getattr(request, "param", False))


@pytest.fixture
def make(library: ctypes.CDLL, shared: bool) -> Iterator[Callable[..., Participant]]:
    """`make(role, {peer: port}, ...)`: a C++ participant."""
    made: list[Participant] = []

    def one(role: int, peers: dict[int, int], **more: Any) -> Participant:
        made.append(Participant(library, role, peers, shared=shared, **more))
        return made[-1]

    yield one
    for participant in made:
        participant.free()
    library.take_log()


@pytest.fixture
def foreign(shared: bool) -> Iterator[Callable[..., Peer]]:
    """`foreign(role, ...)`: a participant in plain Python."""
    made: list[Peer] = []

    def one(role: int, **more: Any) -> Peer:
        kind = SharingPeer if shared else Peer
        made.append(kind(role, more.pop("run", RUN), more.pop("frame_bytes", 1 << 16), **more))
        return made[-1]

    yield one
    for peer in made:
        peer.abandon()
