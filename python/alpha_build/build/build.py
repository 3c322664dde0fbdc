"""A system to executables: trace, check, project, emit, compile, stamp, and the manifest that lists them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from alpha_build.build import output
from alpha_build.build.checked import checked_system
from alpha_build.build.classes import group
from alpha_build.build.compilers import Compilers, likely_targets
from alpha_build.build.manifest import Manifest
from alpha_build.build.sources import lowered_learners, source_texts
from alpha_build.build.stamping import Stamper
from alpha_build.learner.program import LearnerProgram
from alpha_build.projector.check import Checked
from alpha_build.system.errors import MembershipFailure
from alpha_build.system.load import load_system
from alpha_build.system.system import System

SAVED_LEARNER = "learner.cbor"

# Stage ("check", "project", "emit", "compile", "stamp"), steps done, steps in all.
Progress = Callable[[str, int, int], None]


def build(
    system: System | str,
    out: Path | str,
    *,
    roles: Collection[int] | None = None,
    jobs: int | None = None,
    program: Path | str | None = None,
    toolchain: str | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Manifest:
    """Executables of a system's roles (all, or some) in the folder `out`.

    `system` is a System, or where to find one (file.py[:name], package.module:name); `program` a learner.cbor
    to take in place of tracing; `toolchain` "gnu" or "zig" to insist on one; `jobs` compilers at once.

    Raises:
        AlphaError: the system is refused, or a BuildFailure: a compiler, a file or a source of the user's own
            is missing or does not work.
    """
    local_cache = Path(out).absolute() / "build" / "cache"
    with Compilers(jobs, local_cache, toolchain, partial(progress, "compile")) as compilers:
        found = load_system(system) if isinstance(system, str) else system
        compilers.begin(likely_targets(found, roles))  # beside the tracing, which takes as long
        progress("check", 0, 1)
        checked = checked_system(found, program)
        progress("check", 1, 1)
        wanted = wanted_roles(checked, roles)
        progress("project", 0, 1)
        classes = group(checked, wanted)
        progress("project", 1, 1)
        compilers.begin({each.program.target for each in classes}, missing_ok=False)
        lines = _user_lines(system if isinstance(system, str) else "")
        learners = lowered_learners(checked, classes)
        texts = source_texts(checked, classes, learners, lines, partial(progress, "emit"))
        with output.output_folder(Path(out)) as folder:
            output.write_sources(folder / "src", texts)
            user_files = frozenset(operation.place.file for operation in checked.operations.values())
            images = compilers.compile(folder, classes, texts, user_files, kernels=bool(learners))
            _save_learner(folder, checked.learner)
            scratch_bytes = {target: learner.scratch_bytes for target, learner in learners.items()}
            stamper = Stamper(checked, classes, images, scratch_bytes)
            manifest = stamper.write(folder, partial(progress, "stamp"))
    notices = (*(checked.learner.notices if checked.learner else ()), *checked.warnings)
    return replace(manifest, notices=notices)


def wanted_roles(checked: Checked, roles: Collection[int] | None) -> Sequence[int]:
    """All members, or those that are asked for, ascending.

    Raises:
        MembershipFailure: a role that is asked for is not a member.
    """
    if roles is None:
        return [checked.group.member(position) for position in range(len(checked.group))]
    for role in roles:
        if role not in checked.group:
            raise MembershipFailure(
                f"role {role} is not a member", kind="participant-out-of-range",
                hint=f"members are in {checked.group.first} to {checked.group.last}",
            )  # fmt: skip
    return sorted(set(roles))


def _user_lines(spec: str) -> dict[str, list[str]]:
    """Lines of the user's file by its name; nothing for a system that is given as a value or a module."""
    path = Path(spec.rpartition(":")[0] if not Path(spec).is_file() else spec)
    if path.suffix != ".py" or not path.is_file():
        return {}
    return {path.name: path.read_text(encoding="utf-8", errors="replace").splitlines()}


def _save_learner(folder: Path, learner: LearnerProgram | None) -> None:
    path = folder / SAVED_LEARNER
    if learner is None:
        path.unlink(missing_ok=True)
        return
    from alpha_build.learner.saved import to_bytes

    output.replace(path, [to_bytes(learner)])
