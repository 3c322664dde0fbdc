"""A build is read and checked before anything starts: each fault is one message with place and remedy."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import pytest

from alpha_build.run import artifacts, run_build
from alpha_build.system.errors import AlphaError
from run.fake import make_build


def fault(folder: Path, state: Path | None = None) -> AlphaError:
    with pytest.raises(AlphaError) as caught:
        run_build(folder, state, json=True)
    assert caught.value.hint
    assert not (folder / "pids").exists(), "something was started"
    return caught.value


def change(build: Path, **fields: Any) -> Path:
    path = build / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return build


def test_no_build(tmp_path: Path) -> None:
    error = fault(tmp_path / "nothing")
    assert error.kind == "no-build" and "alpha-build roles" in str(error)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2, "roles": []}', '{"format": 1}', '{"format": 1, "roles": []}']
)
def test_bad_manifests(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    error = fault(tmp_path)
    assert error.kind == "bad-manifest" and error.where == str(tmp_path / "manifest.json")


def test_another_format_is_named(tmp_path: Path) -> None:
    assert "format is 2" in str(fault(change(make_build(tmp_path, ["pass"]), format=2)))


def test_a_changed_executable_is_not_started(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["pass", "pass"])
    path = next(build.glob("fake.role-1.*"))
    path.write_bytes(path.read_bytes() + b"\n")
    error = fault(build)
    assert error.kind == "artifact-digest" and "role 1" in str(error) and error.where == str(path)


def test_a_missing_executable(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["pass", "pass"])
    next(build.glob("fake.role-1.*")).unlink()
    assert fault(build).kind == "no-artifact"


def test_an_executable_that_may_not_be_executed(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["pass"])
    next(build.glob("fake.role-0.*")).chmod(0o644)
    error = fault(build)
    assert error.kind == "not-executable" and "chmod" in str(error)


def test_a_file_outside_the_folder_is_refused(tmp_path: Path) -> None:
    build = make_build(tmp_path / "dist", ["pass"])
    rows = json.loads((build / "manifest.json").read_text())["roles"]
    assert fault(change(build, roles=[{**rows[0], "file": "../x"}])).kind == "bad-manifest"


@pytest.mark.parametrize(
    ("field", "value"),
    [("role", "0"), ("role", 0.5), ("role", True), ("target", 7), ("file", 5), ("sha256", None),
     ("edges", {}), ("edges", [1]), ("edges", [{"side": "lower", "peer": "1", "port": 0}]), ("samples", [])],
)  # fmt: skip
def test_a_part_of_another_kind_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    build = make_build(tmp_path / "dist", ["pass"])
    rows = json.loads((build / "manifest.json").read_text())["roles"]
    error = fault(change(build, roles=[{**rows[0], field: value}]))
    assert error.kind == "bad-manifest" and "Error" not in str(error)


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", []), ("run", 5), ("roles", {}), ("budgets", [1]), ("budgets", {"wait": "1"})],
)
def test_a_head_of_another_kind_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    assert fault(change(make_build(tmp_path, ["pass"]), **{field: value})).kind == "bad-manifest"


def test_an_unknown_peer_is_refused(tmp_path: Path) -> None:
    assert "role 5" in str(fault(make_build(tmp_path, ["pass"], [(0, 5)])))


def test_no_emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts.shutil, "which", lambda name: None)
    foreign = "aarch64" if platform.machine() == "x86_64" else "x86_64"
    error = fault(make_build(tmp_path, ["pass"], target=foreign))
    assert error.kind == "no-emulator" and "apt-get install qemu-user-static" in str(error)


def test_state_and_logs_that_cannot_be_made(tmp_path: Path) -> None:
    build = change(make_build(tmp_path, ["pass"]), learner="00" * 32)
    (tmp_path / "taken").write_text("")
    assert fault(build, tmp_path / "taken").kind == "folder"
    (tmp_path / "logs").write_text("")
    assert "logs" in str(fault(build))


def test_only_a_learner_is_told_where_its_state_goes(tmp_path: Path) -> None:
    body = "say(repr(sys.argv[1:]))"
    build = change(make_build(tmp_path / "a", [body]), learner="00" * 32)
    assert run_build(build, tmp_path / "elsewhere", json=True).ok
    assert repr(["--state", str(tmp_path / "elsewhere")]) in (build / "logs/role-0.log").read_text()
    build = make_build(tmp_path / "b", [body])
    assert run_build(build, json=True).ok
    assert "[]" in (build / "logs/role-0.log").read_text() and not (build / "state").exists()
