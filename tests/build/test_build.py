"""Whole builds: what they write, when they compile, what they say when they cannot."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build import toolchains
from alpha_build.build.build import build
from alpha_build.build.cache import user_cache
from alpha_build.build.elf import read_artifact
from alpha_build.run import run_build
from alpha_build.system.errors import AlphaError, BuildFailure
from build.conftest import CompilerCount
from build.systems import write_pair

pytestmark = pytest.mark.native


def _manifest(dist: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((dist / "manifest.json").read_text())
    return found


def _bytes(dist: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in dist.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build in a folder with spaces, brackets and letters beyond ASCII."""
    folder = tmp_path_factory.mktemp("α b") / "proj (1)"
    out = folder / "dist β"
    build(write_pair(folder), out)
    return out


def test_it_runs(dist: Path) -> None:
    outcome = run_build(dist)
    assert outcome.ok


def test_manifest_says_what_is_there(dist: Path) -> None:
    manifest = _manifest(dist)
    assert {
        "format",
        "name",
        "run",
        "learner",
        "contract",
        "membership",
        "protocol",
        "frame_bytes",
        "roles",
    } <= set(manifest)
    for role, entry in enumerate(manifest["roles"]):
        data = (dist / entry["file"]).read_bytes()
        assert entry["file"] == f"pair.role-{role}.x86_64"
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert len(data) < 64 << 10
        note = {key: value for key, value in entry.items() if key not in ("file", "bytes", "sha256")}
        artifact = read_artifact(data)
        assert [json.loads(each.data) for each in artifact.notes] == [
            note, {key: value for key, value in manifest.items() if key != "roles"},
        ]  # fmt: skip
    assert [entry["edges"] for entry in manifest["roles"]] == [
        [{"peer": 1, "address": "127.0.0.1", "port": 0, "side": "lower"}],
        [{"peer": 0, "address": "127.0.0.1", "port": 0, "side": "higher"}],
    ]


def test_memory_bound(dist: Path) -> None:
    """A role completes in the memory that the manifest says; without its last MiB it is not admitted."""
    manifest = _manifest(dist)
    bounds = [entry["memory_bytes"] for entry in manifest["roles"]]
    assert _run_pair(dist, bounds) == [0, 0]
    assert _run_pair(dist, [bounds[0], bounds[1] - (1 << 20)])[1] == 78


def _run_pair(dist: Path, bounds: list[int]) -> list[int]:
    """Exit statuses of both roles, each in an address space of its bound and what the kernel maps."""

    def command(role: int) -> list[str]:
        limit = bounds[role] // 1024 + 64
        return ["sh", "-c", f'ulimit -v {limit} && exec "$0"', str(dist / f"pair.role-{role}.x86_64")]

    with subprocess.Popen(command(0), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as first:
        assert first.stdout is not None
        port = first.stdout.read(2)
        second = subprocess.run(command(1), input=port, capture_output=True, timeout=60, check=False)
        if second.returncode != 0:
            first.kill()
    return [first.returncode, second.returncode]


def test_two_folders_give_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    build(write_pair(tmp_path / "elsewhere"), tmp_path / "d")
    assert _bytes(tmp_path / "d") == _bytes(dist)


def test_only_what_changed_is_compiled(
    tmp_path: Path, compiler_count: CompilerCount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing, when nothing changed; the classes, when an operation changed or they were altered since."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    out = tmp_path / "dist"
    spec = write_pair(tmp_path)
    build(spec, out)
    classes = {entry["class"] for entry in _manifest(out)["roles"]}
    assert len(classes) == 2
    assert classes <= set(compiler_count.take())
    before = _bytes(out)

    build(spec, out)
    assert compiler_count.take() == []
    assert _bytes(out) == before

    write_pair(tmp_path, factor="3.0f")
    build(spec, out)
    assert set(compiler_count.take()) == {f"{name}{end}" for name in classes for end in ("", ".cpp.obj")}

    after = _bytes(out)
    for name in classes:
        (out / "build" / "gnu-x86_64" / name).write_bytes(b"not what was linked")
    user_cache().clear()
    build(spec, out)
    assert classes <= set(compiler_count.take())
    assert _bytes(out) == after != before
    write_pair(tmp_path)
    build(spec, out)
    assert _bytes(out) == before


def test_compile_error_names_the_users_line(tmp_path: Path) -> None:
    spec = write_pair(tmp_path, extra=" + nothing")
    line = next(n for n, text in enumerate(Path(spec).read_text().splitlines(), 1) if "nothing" in text)
    with pytest.raises(BuildFailure) as failure:
        build(spec, tmp_path / "dist")
    assert failure.value.where == f"pair.py:{line}"
    assert "'nothing' was not declared" in failure.value.message
    assert str(tmp_path / "dist" / "build" / "gnu-x86_64.log") in str(failure.value)


def test_undefined_function_is_a_link_failure(tmp_path: Path) -> None:
    declared = "static float three() { extern float sinf(float); return sinf(1); } "
    spec = write_pair(tmp_path, before=declared, extra=" + three()")
    with pytest.raises(BuildFailure, match="nothing defines sinf") as failure:
        build(spec, tmp_path / "dist")
    assert "no C library" in str(failure.value)


def test_stale_artifacts_go(tmp_path: Path) -> None:
    """What an earlier build made and this one does not is removed; what others put there stays."""
    out = tmp_path / "dist"
    spec = write_pair(tmp_path)
    build(spec, out)
    (out / "notes.txt").write_text("mine")
    manifest = _manifest(out)
    stale = "pair.role-5.x86_64"
    (out / stale).write_bytes(b"")
    manifest["roles"].append({**manifest["roles"][0], "role": 5, "file": stale})
    manifest["run"] = "0" * 64
    (out / "manifest.json").write_text(json.dumps(manifest))
    build(spec, out, roles=[1])
    assert not (out / stale).exists()
    assert not (out / "pair.role-0.x86_64").exists()
    assert (out / "notes.txt").exists()
    assert [entry["role"] for entry in _manifest(out)["roles"]] == [1]
    build(spec, out, roles=[0])
    assert [entry["role"] for entry in _manifest(out)["roles"]] == [0, 1]
    with pytest.raises(AlphaError, match="role 2 is not a member"):
        build(spec, out, roles=[2])


@pytest.mark.parametrize("place", ["file/dist", "/proc/dist"])
def test_output_that_cannot_be_written(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildFailure, match="output folder cannot be written") as failure:
        build(write_pair(tmp_path), tmp_path / place)
    assert failure.value.kind == "output"


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchains, "_zig_program", lambda: None)
    with pytest.raises(BuildFailure, match="no compiler for x86_64") as failure:
        build(write_pair(tmp_path), tmp_path / "dist")
    assert "apt-get install g++" in str(failure.value)
    assert not (tmp_path / "dist").exists()
