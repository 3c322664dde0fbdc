"""Stamps: read back by the C++ struct on both targets, and by `inspect` and `bind` in Python."""

from __future__ import annotations

import dataclasses
import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from alpha_build.build import stamp as stamps
from alpha_build.build.elf import STAMP_ADDRESS, Image, Note, read_artifact
from alpha_build.build.stamp import EdgeStamp, LearnerStamp, decode, encode, with_edges
from alpha_build.system.errors import BuildFailure
from build.stamps import EDGES, FILED, LEARNER, PRINTED, PRINTED_FILED, STAMP
from native import TARGETS, Target, compile_executable

STUB = Path(__file__).parent / "stub.cpp"
NOTES = (Note(1, b'{"role":7}'), Note(2, b'{"name":"x"}'))


@dataclasses.dataclass(frozen=True)
class Stub:
    """A class's executable, as linked, and how its artifacts are started."""

    target: Target
    linked: bytes

    def run(self, path: Path) -> tuple[int, dict[str, list[int]]]:
        words = [self.target.emulator, str(path)] if self.target.emulator else [str(path)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        printed: dict[str, list[int]] = {}
        for line in done.stdout.splitlines():
            name, value = line.split(" ")
            printed.setdefault(name, []).append(int(value))
        return done.returncode, printed


@pytest.fixture(scope="module", params=TARGETS)
def stub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stub:
    out = tmp_path_factory.mktemp("stub") / "stub"
    compile_executable(request.param, STUB, out, "base", "socket", "frame")
    return Stub(request.param, out.read_bytes())


@pytest.fixture
def finished(stub: Stub, tmp_path: Path) -> Callable[[list[bytes]], Path]:
    def finish(pieces: list[bytes]) -> Path:
        path = tmp_path / "artifact"
        path.write_bytes(b"".join(Image(stub.linked).finish(pieces, NOTES)[0]))
        path.chmod(0o755)
        return path

    return finish


@pytest.mark.parametrize(("learner", "expected"), [(LEARNER, PRINTED), (FILED, PRINTED_FILED)])
def test_program_reads_its_stamp(
    stub: Stub, finished: Callable[[list[bytes]], Path], learner: LearnerStamp, expected: dict[str, list[int]]
) -> None:
    """Every field arrives where cpp/role/stamp.h expects it."""
    pieces = encode(dataclasses.replace(STAMP, learner=learner))
    code, printed = stub.run(finished(pieces))
    assert code == 7
    assert printed == {"bytes": [sum(map(len, pieces))], **expected}
    beside = decode(b"".join(pieces)).samples
    assert beside == (None if learner.file is None else (learner.file.name, 3, learner.file.sha256))


def test_bound_program_reads_its_new_edges(stub: Stub, finished: Callable[[list[bytes]], Path]) -> None:
    edges = tuple(dataclasses.replace(edge, dial_port=7, listen_address=5) for edge in EDGES)
    _, printed = stub.run(finished([with_edges(b"".join(encode(STAMP)), edges, 9)]))
    assert printed["host_roles"] == [9]
    assert printed["dial_port"] == [7, 7]
    assert printed["listen"] == [5, 5]
    assert {key: printed[key] for key in ("peer", "samples")} == {
        key: PRINTED[key] for key in ("peer", "samples")
    }


def test_elf(stub: Stub, finished: Callable[[list[bytes]], Path]) -> None:
    """Static, nothing both writable and executable, the stamp read-only and found by section and segment."""
    pieces = encode(STAMP)
    data = finished(pieces).read_bytes()
    elf = ELFFile(io.BytesIO(data))
    segments = list(elf.iter_segments())
    assert elf.header.e_type == "ET_EXEC"
    assert {segment.header.p_type for segment in segments} == {"PT_LOAD", "PT_NOTE", "PT_GNU_STACK"}
    loads = [segment.header for segment in segments if segment.header.p_type == "PT_LOAD"]
    assert all(load.p_flags & 3 != 3 for load in loads)
    assert all((load.p_vaddr - load.p_offset) % load.p_align == 0 for load in loads)
    assert loads == sorted(loads, key=lambda load: load.p_vaddr)
    (stack,) = [segment.header for segment in segments if segment.header.p_type == "PT_GNU_STACK"]
    assert stack.p_flags == 6
    (stamp,) = [load for load in loads if load.p_vaddr == STAMP_ADDRESS]
    assert (stamp.p_flags, stamp.p_filesz) == (4, sum(map(len, pieces)))
    assert stamp.p_align == (0x10000 if stub.target.name == "aarch64" else 0x1000)
    section = elf.get_section_by_name(".alpha.stamp")
    assert section.header.sh_offset == stamp.p_offset
    assert section.data() == b"".join(pieces)
    assert elf.get_section_by_name(".dynsym") is None
    notes = list(elf.get_section_by_name(".note.alpha").iter_notes())
    assert [(note["n_name"], note["n_descdata"]) for note in notes] == [
        ("alpha-build", NOTES[0].data), ("alpha-build", NOTES[1].data),
    ]  # fmt: skip
    assert stamp.p_offset + stamp.p_filesz < len(data) < 64 << 10


def test_finished_again_is_the_same(stub: Stub, finished: Callable[[list[bytes]], Path]) -> None:
    """An artifact serves as its class's image: bind needs nothing else."""
    data = finished(encode(STAMP)).read_bytes()
    artifact = read_artifact(data)
    assert (artifact.target, artifact.notes) == (stub.target.name, NOTES)
    assert b"".join(Image(data).finish([artifact.stamp], artifact.notes)[0]) == data


def test_linked_file_without_stamp_is_refused(stub: Stub) -> None:
    with pytest.raises(BuildFailure, match="carries no stamp"):
        read_artifact(stub.linked)


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x02\x01" + bytes(100), b"#!/bin/sh\n" + bytes(100)])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(BuildFailure):
        read_artifact(data)


def test_decode() -> None:
    data = b"".join(encode(STAMP))
    head = decode(data)
    assert (head.run, head.role, head.edges, head.budgets) == (STAMP.run, 7, EDGES, STAMP.budgets)
    assert head.size == len(data)
    with pytest.raises(BuildFailure, match="cut short"):
        decode(data[:-64])
    with pytest.raises(BuildFailure, match="not one of this version"):
        decode(b"ALPHAST2" + data[8:])


def test_edges_of_another_role_are_not_bound() -> None:
    with pytest.raises(AssertionError):
        with_edges(b"".join(encode(STAMP)), [EdgeStamp(1, 0, 0, 0, 0)] * 2, 0)


def test_embedded_bytes_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(map(len, encode(STAMP)))
    monkeypatch.setattr(stamps, "EMBEDDED_BYTES_MAX", size)
    assert encode(STAMP)
    monkeypatch.setattr(stamps, "EMBEDDED_BYTES_MAX", size - 1)
    with pytest.raises(BuildFailure, match=f"role 7 would embed {size} bytes"):
        encode(STAMP)
