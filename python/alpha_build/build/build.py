"""A system to executables: trace, check, project, emit, compile, stamp, and the manifest that lists them."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from alpha_build.build import bill, output
from alpha_build.build.cache import Cache, writable_cache
from alpha_build.build.compilers import Compilers, class_sources, likely_targets
from alpha_build.build.generate import Progress, find_system, generate
from alpha_build.build.manifest import SAVED_LEARNER, Manifest
from alpha_build.build.record import Recorder
from alpha_build.build.sources import targets_of
from alpha_build.build.stamping import Stamper
from alpha_build.projector.check import Checked
from alpha_build.system.system import System


def build(
    system: System | str,
    out: Path | str,
    *,
    roles: Collection[int] | None = None,
    jobs: int | None = None,
    program: Path | str | None = None,
    toolchain: str | None = None,
    cache: Cache | None = None,
    recorder: Recorder | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Manifest:
    """Executables of a system's roles (all, or some) in the folder `out`.

    `system` is a System, or where to find one (file.py[:name], package.module:name); `program` a learner.cbor
    to take in place of tracing; `toolchain` "gnu" or "zig" to insist on one; `jobs` compilers at once;
    `cache` stands in for the user's own; `recorder` writes down what the build was made from.

    Raises:
        AlphaError: the system is refused, or a BuildFailure: a compiler, a file or a source of the user's own
            is missing or does not work.
    """
    cache = cache or writable_cache(Path(out).absolute() / "build" / "cache")
    watch = recorder.watch if recorder else nullcontext()
    with Compilers(jobs, cache, toolchain, partial(progress, "compile")) as compilers:
        with watch:
            found, spec = find_system(system)
        compilers.begin(likely_targets(found, roles))  # beside the tracing, which takes as long
        with watch:
            made = generate(found, spec, roles, program, progress)
        compilers.begin(targets_of(made.classes), missing_ok=False)
        with output.output_folder(Path(out)) as folder:
            output.write_sources(folder / "src", made.texts)
            targets = {each.name: each.program.target for each in made.classes}
            sources = class_sources(targets, made.texts, kernels=made.kernels)
            images = compilers.compile(folder, sources, made.user_files)
            _save_learner(folder, made.checked)
            stamper = Stamper(made.checked, made.classes, images, made.scratch_bytes)
            manifest = replace(stamper.write(folder, partial(progress, "stamp")), notices=made.notices)
            toolchains = compilers.toolchains(targets.values())
            bill.write(folder, output.earlier_manifest(folder), made.texts, toolchains)
            if recorder:
                recorder.write(folder, manifest, made.texts, sources, compilers.headers(sources))
    return manifest


def _save_learner(folder: Path, checked: Checked) -> None:
    path = folder / SAVED_LEARNER
    if checked.learner is None:
        path.unlink(missing_ok=True)
        return
    from alpha_build.learner.saved import to_bytes

    output.replace(path, [to_bytes(checked.learner, checked.system)])
