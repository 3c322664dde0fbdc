"""Finishing an executable after the link: the stamp as a read-only segment of its own, notes, fresh tables.

The linked file is cut after its last loaded byte and continued with

    zeros, program headers, section headers, section names | stamp | notes

where the stamp's file offset is congruent to its address for pages of up to 64 KiB.  What comes before the
program headers is the same in every role of a class, so it is hashed once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from alpha_build.system.errors import BuildFailure

STAMP_ADDRESS = 0x4000F900  # cpp/role/stamp.h: kStampAddress
STAMP_SECTION = ".alpha.stamp"
NOTE_SECTION = ".note.alpha"
NOTE_NAME = b"alpha-build\0"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NOTE = struct.Struct("<III")

_PAGE_BYTES = {62: 0x1000, 183: 0x10000}  # x86-64; AArch64, whose kernels have pages of 4, 16 or 64 KiB
MACHINES = {62: "x86_64", 183: "aarch64"}

_EXECUTABLE = 2
_LOAD, _DYNAMIC, _INTERPRETER, _NOTES, _THREAD_LOCAL, _STACK = 1, 2, 3, 4, 7, 0x6474E551
_READ, _READ_WRITE = 4, 6
_SECTION_PROGRAM, _SECTION_STRINGS, _SECTION_NOTE = 1, 3, 7
_ALLOCATED = 2


@dataclass(frozen=True)
class Note:
    """One note of ours: kind 1 is the manifest entry, kind 2 the head of the manifest, both JSON."""

    kind: int
    data: bytes


@dataclass(frozen=True)
class Segment:
    kind: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int
    alignment: int


class Image:
    """A class's executable, prepared for any number of stamps.

    Raises:
        BuildFailure: the bytes are not a static ELF executable for one of our targets.
    """

    def __init__(self, data: bytes) -> None:
        header = _read_header(data)
        self.machine: int = header[2]
        self.page_bytes = _PAGE_BYTES[self.machine]
        segments = _read_segments(data, header)
        self.loads = [s for s in segments if s.kind == _LOAD and s.address != STAMP_ADDRESS]
        end = max(s.offset + s.file_bytes for s in self.loads)
        sections = [s for s in _read_sections(data, header) if s[1][2] & _ALLOCATED and s[0] != STAMP_SECTION]

        names = b"\0" + b"".join(name.encode() + b"\0" for name, _ in sections)
        names += b"".join(name.encode() + b"\0" for name in (STAMP_SECTION, NOTE_SECTION, ".shstrtab"))
        self._names = names
        self._section_count = len(sections) + 4
        self._sections = bytes(_SECTION.size) + b"".join(
            _SECTION.pack(_name(names, name), *fields[1:]) for name, fields in sections
        )
        tables_bytes = (
            (len(self.loads) + 3) * _PROGRAM.size + self._section_count * _SECTION.size + len(names)
        )
        least = _round_up(end, 8) + tables_bytes
        self.stamp_offset = least + (STAMP_ADDRESS - least) % self.page_bytes
        self._tables_offset = (self.stamp_offset - tables_bytes) // 8 * 8
        self._prefix = self._finished_header(header) + data[_HEADER.size : end].ljust(
            self._tables_offset - _HEADER.size, b"\0"
        )
        self._prefix_digest = sha256(self._prefix)

    @property
    def memory_bytes(self) -> int:
        """What the class's own segments take, in whole pages."""
        return sum(_round_up(load.memory_bytes, self.page_bytes) + self.page_bytes for load in self.loads)

    def finish(self, stamp: list[bytes], notes: Iterable[Note]) -> tuple[list[bytes], str]:
        """The artifact as pieces to write one after the other, and its SHA-256 in hex."""
        stamp_bytes = sum(map(len, stamp))
        padding = bytes(-stamp_bytes % 8)
        note_bytes = b"".join(map(encode_note, notes))
        note_offset = self.stamp_offset + stamp_bytes + len(padding)
        tables = self._tables(stamp_bytes, note_offset, len(note_bytes))
        rest = [tables, *stamp, padding, note_bytes]
        digest = self._prefix_digest.copy()
        for piece in rest:
            digest.update(piece)
        return [self._prefix, *rest], digest.hexdigest()

    def _finished_header(self, header: tuple[Any, ...]) -> bytes:
        fields = list(header)
        fields[5] = self._tables_offset
        fields[6] = self._tables_offset + (len(self.loads) + 3) * _PROGRAM.size
        fields[10] = len(self.loads) + 3
        fields[11:14] = _SECTION.size, self._section_count, self._section_count - 1
        return _HEADER.pack(*fields)

    def _tables(self, stamp_bytes: int, note_offset: int, note_bytes: int) -> bytes:
        at = STAMP_ADDRESS
        programs = [
            _PROGRAM.pack(
                s.kind, s.flags, s.offset, s.address, s.address, s.file_bytes, s.memory_bytes, s.alignment
            )
            for s in self.loads
        ]
        programs += [
            _PROGRAM.pack(_LOAD, _READ, self.stamp_offset, at, at, stamp_bytes, stamp_bytes, self.page_bytes),
            _PROGRAM.pack(_NOTES, _READ, note_offset, 0, 0, note_bytes, note_bytes, 4),
            _PROGRAM.pack(_STACK, _READ_WRITE, 0, 0, 0, 0, 0, 16),
        ]
        names = self._names
        names_offset = (
            self._tables_offset + len(programs) * _PROGRAM.size + self._section_count * _SECTION.size
        )
        kinds = (
            (STAMP_SECTION, _SECTION_PROGRAM, _ALLOCATED, at, self.stamp_offset, stamp_bytes, 64),
            (NOTE_SECTION, _SECTION_NOTE, 0, 0, note_offset, note_bytes, 4),
            (".shstrtab", _SECTION_STRINGS, 0, 0, names_offset, len(names), 1),
        )
        sections = self._sections + b"".join(
            _SECTION.pack(_name(names, name), kind, flags, address, offset, size, 0, 0, alignment, 0)
            for name, kind, flags, address, offset, size, alignment in kinds
        )
        tables = b"".join(programs) + sections + names
        return tables.ljust(self.stamp_offset - self._tables_offset, b"\0")


@dataclass(frozen=True)
class Artifact:
    """What a finished executable carries: its target, its stamp's bytes and its notes."""

    target: str
    stamp: bytes
    notes: tuple[Note, ...]


def read_artifact(data: bytes) -> Artifact:
    """Take a finished executable apart.

    Raises:
        BuildFailure: it is not an executable of alpha-build.
    """
    header = _read_header(data)
    segments = _read_segments(data, header)
    stamps = [s for s in segments if s.kind == _LOAD and s.address == STAMP_ADDRESS]
    notes = [s for s in segments if s.kind == _NOTES]
    if not stamps or not notes:
        raise BuildFailure("not an executable of alpha-build: it carries no stamp", kind="artifact")
    stamp, note = stamps[0], notes[0]
    return Artifact(
        MACHINES[header[2]],
        data[stamp.offset : stamp.offset + stamp.file_bytes],
        tuple(decode_notes(data[note.offset : note.offset + note.file_bytes])),
    )


def encode_note(note: Note) -> bytes:
    data = note.data
    head = _NOTE.pack(len(NOTE_NAME), len(data), note.kind)
    return (
        head
        + NOTE_NAME.ljust(_round_up(len(NOTE_NAME), 4), b"\0")
        + data.ljust(_round_up(len(data), 4), b"\0")
    )


def decode_notes(data: bytes) -> Iterable[Note]:
    at = 0
    while at + _NOTE.size <= len(data):
        name_bytes, data_bytes, kind = _NOTE.unpack_from(data, at)
        name_at = at + _NOTE.size
        data_at = name_at + _round_up(name_bytes, 4)
        if data[name_at : name_at + name_bytes] == NOTE_NAME:
            yield Note(kind, data[data_at : data_at + data_bytes])
        at = data_at + _round_up(data_bytes, 4)


def _read_header(data: bytes) -> tuple[Any, ...]:
    if len(data) < _HEADER.size or data[:6] != b"\x7fELF\x02\x01":
        raise BuildFailure("not a 64-bit little-endian ELF file", kind="artifact")
    header = _HEADER.unpack_from(data)
    if header[1] != _EXECUTABLE or header[2] not in _PAGE_BYTES:
        raise BuildFailure("not a static executable for x86-64 or AArch64", kind="artifact")
    return header


def _read_segments(data: bytes, header: tuple[Any, ...]) -> list[Segment]:
    offset, count = header[5], header[10]
    if offset + count * _PROGRAM.size > len(data):
        raise BuildFailure("the executable is cut short", kind="artifact")
    segments = []
    for index in range(count):
        kind, flags, start, address, _, file_bytes, memory_bytes, alignment = _PROGRAM.unpack_from(
            data, offset + index * _PROGRAM.size
        )
        segments.append(Segment(kind, flags, start, address, file_bytes, memory_bytes, alignment))
    refused = {
        _DYNAMIC: "a dynamic section",
        _INTERPRETER: "an interpreter",
        _THREAD_LOCAL: "thread-local data",
    }
    for segment in segments:
        if segment.kind in refused:
            raise BuildFailure(f"the linked executable has {refused[segment.kind]}", kind="artifact")
        if segment.kind == _LOAD and segment.flags & 3 == 3:
            raise BuildFailure(
                "the linked executable has memory both writable and executable", kind="artifact"
            )
    return segments


def _read_sections(data: bytes, header: tuple[Any, ...]) -> list[tuple[str, tuple[int, ...]]]:
    offset, count, names_index = header[6], header[12], header[13]
    rows = [_SECTION.unpack_from(data, offset + index * _SECTION.size) for index in range(count)]
    names_at, names_bytes = rows[names_index][4], rows[names_index][5]
    names = data[names_at : names_at + names_bytes]
    return [(names[row[0] : names.index(b"\0", row[0])].decode(), row) for row in rows[1:]]


def _name(names: bytes, name: str) -> int:
    return names.index(b"\0" + name.encode() + b"\0") + 1


def _round_up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
