"""Executables of single roles from their classes' images, and the manifest that lists them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from alpha_build.build import manifest, output
from alpha_build.build.classes import RoleClass
from alpha_build.build.elf import Image, Note
from alpha_build.build.memory import memory_bytes
from alpha_build.build.stamp import SampleFile, encode
from alpha_build.build.stamps import role_stamp
from alpha_build.projector.check import Checked
from alpha_build.projector.project import project_rows
from alpha_build.projector.project.program import RoleRows

ENTRY_NOTE, HEAD_NOTE = 1, 2
EXECUTABLE = 0o755
WRITERS = 2  # files are written beside the stamping of the next ones
WRITES_WAITING_MAX = 32  # and bound the memory that waits


class Stamper:
    """Holds one prepared image a class."""

    def __init__(
        self,
        checked: Checked,
        classes: Sequence[RoleClass],
        images: Mapping[str, bytes],
        scratch_bytes: Mapping[str, int],
    ) -> None:
        """`scratch_bytes` of the learner's programs, by target."""
        self._checked = checked
        self._images = {name: Image(data) for name, data in images.items()}
        self._classes = {role: each for each in classes if each.name in self._images for role in each.roles}
        self._scratch_bytes = scratch_bytes
        self._head = manifest.head_json(checked)
        self._head_note = Note(HEAD_NOTE, manifest.compact(self._head))

    def write(self, folder: Path, on_step: Callable[[int, int], None]) -> manifest.Manifest:
        """Write the roles' executables, then the manifest; an earlier build's leftovers go last.

        Where only some roles are asked for, the same build's other entries stay.
        """
        earlier = output.earlier_manifest(folder)
        entries, writes = {}, deque[Future[None]]()
        with ThreadPoolExecutor(WRITERS) as pool:
            for done, role in enumerate(sorted(self._classes), 1):
                entries[role], pieces, samples = self._stamp(project_rows(self._checked, role))
                path = folder / entries[role].file
                if samples is not None:
                    writes.append(pool.submit(output.replace, folder / samples.name, [samples.data]))
                writes.append(pool.submit(output.replace, path, pieces, EXECUTABLE))
                while len(writes) > WRITES_WAITING_MAX:
                    writes.popleft().result()
                on_step(done, len(self._classes))
            for write in writes:
                write.result()
        listed = {role: entry.as_json() for role, entry in entries.items()}
        if {key: value for key, value in earlier.items() if key != "roles"} == self._head:
            listed |= {entry["role"]: entry for entry in earlier["roles"] if entry["role"] not in listed}
        whole = {**self._head, "roles": [listed[role] for role in sorted(listed)]}
        output.replace(folder / manifest.FILE, [manifest.pretty(whole)])
        output.remove_stale(folder, earlier, listed.values())
        return manifest.Manifest(self._head, tuple(entries.values()))

    def _stamp(self, rows: RoleRows) -> tuple[manifest.Entry, list[bytes], SampleFile | None]:
        """One role's entry, the bytes of its executable, and what lies beside it."""
        role_class = self._classes[rows.role]
        image, target = self._images[role_class.name], role_class.program.target
        stamp = role_stamp(self._checked, rows)
        pieces = encode(stamp)
        samples = None if stamp.learner is None else stamp.learner.file
        memory = memory_bytes(
            role_class.program, self._checked.learner, rows, self._scratch_bytes.get(target, 0),
            image.memory_bytes + sum(map(len, pieces)), 0 if samples is None else len(samples.data),
        )  # fmt: skip
        listed = manifest.samples_json(samples)
        note = manifest.entry_json(rows.role, role_class.name, target, stamp.edges, memory, listed)
        finished, digest = image.finish(pieces, [Note(ENTRY_NOTE, manifest.compact(note)), self._head_note])
        file = f"{self._head['name']}.role-{rows.role}.{target}"
        size = sum(map(len, finished))
        entry = manifest.Entry(
            rows.role, role_class.name, target, file, size, digest, stamp.edges, memory, listed
        )
        return entry, finished, samples
