"""Executables of single roles from their classes' images, and the manifest that lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from alpha_build.build import manifest, output
from alpha_build.build.classes import RoleClass
from alpha_build.build.elf import Image, Note
from alpha_build.build.memory import memory_bytes
from alpha_build.build.stamp import encode
from alpha_build.build.stamps import role_stamp
from alpha_build.projector.check import Checked
from alpha_build.projector.project.program import RoleRows

ENTRY_NOTE, HEAD_NOTE = 1, 2
EXECUTABLE = 0o755


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

    def write(
        self,
        folder: Path,
        roles: Sequence[int],
        rows: Mapping[int, RoleRows],
        on_step: Callable[[int, int], None],
    ) -> manifest.Manifest:
        """Write the roles' executables, then the manifest; an earlier build's leftovers go last.

        Where only some roles are asked for, the same build's other entries stay.
        """
        earlier = output.earlier_manifest(folder)
        entries = {}
        for done, role in enumerate(roles, 1):
            entries[role] = self._write_role(folder, rows[role])
            on_step(done, len(roles))
        listed = {role: entry.as_json() for role, entry in entries.items()}
        if {key: value for key, value in earlier.items() if key != "roles"} == self._head:
            listed |= {entry["role"]: entry for entry in earlier["roles"] if entry["role"] not in listed}
        whole = {**self._head, "roles": [listed[role] for role in sorted(listed)]}
        output.replace(folder / manifest.FILE, [manifest.pretty(whole)])
        output.remove_stale(folder, earlier, {str(entry["file"]) for entry in listed.values()})
        return manifest.Manifest(self._head, tuple(entries.values()))

    def _write_role(self, folder: Path, rows: RoleRows) -> manifest.Entry:
        role_class = self._classes[rows.role]
        image, target = self._images[role_class.name], role_class.program.target
        stamp = role_stamp(self._checked, rows)
        pieces = encode(stamp)
        memory = memory_bytes(
            role_class.program, self._checked.learner, rows, self._scratch_bytes.get(target, 0),
            image.memory_bytes + sum(map(len, pieces)),
        )  # fmt: skip
        entry = manifest.entry_json(rows.role, role_class.name, target, stamp.edges, memory)
        finished, digest = image.finish(pieces, [Note(ENTRY_NOTE, manifest.compact(entry)), self._head_note])
        file = f"{self._head['name']}.role-{rows.role}.{target}"
        output.replace(folder / file, finished, EXECUTABLE)
        size = sum(map(len, finished))
        return manifest.Entry(rows.role, role_class.name, target, file, size, digest, stamp.edges, memory)
