"""`doctor` and `cache`: what they say of a machine that has everything, or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from alpha_build import doctor
from alpha_build.build import toolchains, tools
from alpha_build.build.cache import user_cache
from cli.command import alpha_build


def test_json_says_what_text_says() -> None:
    done = alpha_build("doctor", "--json")
    facts: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if facts["ok"] else 1)
    lines = alpha_build("doctor").stdout.splitlines()
    assert len(lines) == len(facts["tools"])
    for line, tool in zip(lines, facts["tools"], strict=True):
        assert tool["name"] in line
        assert (tool["found"] or tool["command"]) in line
        assert (tool["found"] is None) == (tool["command"] is not None) == (not line.startswith("yes"))


def test_empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing on PATH and no packages: each line names the command that brings the tool."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchains, "_zig_program", lambda: None)
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "_version", lambda package: None)
    findings = {each.name: each for each in doctor.examine()}
    host = toolchains.host_target()
    assert findings[f"g++ for {host}"].command == "apt-get install g++"
    assert [each.name for each in findings.values() if each.needed] == [f"g++ for {host}", "CMake", "Ninja"]
    assert not any(each.found for each in findings.values() if each.name != "NVIDIA driver")
    text = doctor.text(list(findings.values()))
    for command in (
        "pip install 'alpha-build[zig]'",
        "pip install cmake ninja",
        "qemu-user-static",
        "[cuda]",
    ):
        assert command in text


def test_cache_shows_and_clears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    user_cache().put("kind-0", b"data")
    (tmp_path / "mine.txt").write_text("")
    facts = json.loads(alpha_build("cache", "show", "--json").stdout)
    assert facts["folder"] == str(tmp_path / "alpha-build") and facts["entries"] == 1
    assert facts["bytes"] == (tmp_path / "alpha-build" / "kind-0").stat().st_size
    assert "1 entries" in alpha_build("cache").stdout
    assert alpha_build("cache", "clear").returncode == 0
    assert user_cache().get("kind-0") is None
    assert (tmp_path / "mine.txt").exists()
    assert "0 entries" in alpha_build("cache").stdout
