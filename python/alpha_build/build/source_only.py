"""A system as C++ and CMake files that make its executables on a machine without Python and alpha-build."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

from alpha_build import paths
from alpha_build.build import manifest, output
from alpha_build.build.classes import RoleClass
from alpha_build.build.elf import Note, encode_note
from alpha_build.build.generate import Generated, Progress, find_system, generate
from alpha_build.build.sources import CMAKE_FILE, cmake_text, targets_of
from alpha_build.build.stamp import encode
from alpha_build.build.stamping import ENTRY_NOTE, HEAD_NOTE
from alpha_build.build.stamps import role_stamp
from alpha_build.projector.emit.template import template
from alpha_build.projector.project import project_rows
from alpha_build.system.system import System
from alpha_build.version import version

_RUNTIME_FOLDERS = ("base", "frame", "learner", "role", "socket", "state")


def write_source_only(
    system: System | str,
    out: Path,
    *,
    roles: Collection[int] | None = None,
    program: Path | str | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Generated:
    """A system, or the one that is found where `system` says, in the folder `out`.

    That is CMakeLists.txt, `roles`, and the runtime's own sources.

    Raises:
        AlphaError: the system is refused, or a BuildFailure: the folder cannot be written.
    """
    made = generate(*find_system(system), roles, program, progress)
    name = made.checked.system.name
    files = {
        role: (f"{name}.role-{role}.{each.program.target}", each)
        for each in made.classes
        for role in each.roles
    }
    with output.writing(out):
        folder = out.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        listed = cmake_text(made.classes, kernels=made.kernels, roles=[files[role] for role in sorted(files)])
        output.write_sources(folder / "roles", {**made.texts, CMAKE_FILE: listed})
        written: set[str] = set()
        for done, role in enumerate(sorted(files), 1):
            file, each = files[role]
            written |= _write_role(folder / "roles", made, role, each, file)
            progress("stamp", done, len(files))
        _remove_stale(folder / "roles", written)
        _copy_runtime(folder / "alpha_build")
        whole = template("embedded.txt.j2", __file__).render(
            name=name,
            source=made.classes[0].program.source,
            version=version(),
            targets=targets_of(made.classes),
        )
        output.replace(folder / CMAKE_FILE, [whole.encode()])
    return made


def _write_role(folder: Path, made: Generated, role: int, role_class: RoleClass, file: str) -> set[str]:
    """Writes what makes one role of its class; returns the names."""
    stamp = role_stamp(made.checked, project_rows(made.checked, role))
    beside = None if stamp.learner is None else stamp.learner.file
    samples = manifest.samples_json(beside)
    entry = manifest.entry_json(role, role_class.name, role_class.program.target, stamp.edges, None, samples)
    notes = (
        Note(ENTRY_NOTE, manifest.compact(entry)),
        Note(HEAD_NOTE, manifest.compact(manifest.head_json(made.checked))),
    )
    pieces = {f"{file}.stamp": encode(stamp), f"{file}.notes": list(map(encode_note, notes))}
    if beside is not None:
        pieces[beside.name] = [beside.data]
    for name, data in pieces.items():
        output.replace(folder / name, data)
    return set(pieces)


def _remove_stale(folder: Path, files: set[str]) -> None:
    for ending in ("stamp", "notes", "samples.safetensors"):
        for path in folder.glob(f"*.role-*.{ending}"):
            if path.name not in files:
                path.unlink()


def _copy_runtime(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    runtime = paths.runtime()
    shutil.copytree(paths.cmake(), folder / "cmake")
    shutil.copytree(runtime / "toolchains", folder / "runtime" / "toolchains")
    for name in _RUNTIME_FOLDERS:
        shutil.copytree(runtime / "cpp" / name, folder / "runtime" / "cpp" / name)
    for path in (runtime / "cpp").glob("*.*"):
        shutil.copy(path, folder / "runtime" / "cpp")
