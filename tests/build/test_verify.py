"""`verify`, the bill of materials, `inspect` of folders and wheels: what a build proves, or what differs."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from alpha_build import verify as verify_module
from alpha_build.build import bill
from alpha_build.build.bind import bind
from alpha_build.build.build import build
from alpha_build.build.cache import user_cache
from alpha_build.inspect import inspect, text
from alpha_build.system.errors import AlphaError
from alpha_build.verify import verify
from build.systems import write_pair

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    build(write_pair(folder), folder / "dist")
    return folder


@pytest.fixture
def dist(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built / "dist", tmp_path / "dist"))


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verification that may take what was compiled before, for tests of what it compares."""
    monkeypatch.setattr(verify_module, "Cache", lambda folder: user_cache())


def _spec(built: Path) -> str:
    return str(built / "pair.py")


def test_made_again_without_the_cache(dist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc")  # whatever looks there finds nothing
    done = verify(dist, None, None)
    assert done.differences == {} and len(done.files) == 2


@pytest.mark.usefixtures("cached")
def test_of_the_system_and_of_a_bound_build(built: Path, dist: Path, tmp_path: Path) -> None:
    assert verify(dist, _spec(built), None).as_json()["ok"]
    addresses = {"roles": {"0": {"address": "10.0.0.1", "ports": {"1": 4000}}}}
    (tmp_path / "addresses.json").write_text(json.dumps(addresses))
    bind(dist, tmp_path / "addresses.json")
    assert verify(dist, _spec(built), None).differences == {}
    assert verify(dist, None, None).differences == {}


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize(
    ("changed", "what"),
    [("factor", "rows"), ("budgets", "rows"), ("members", "neighbours"), ("fewer", "cannot be read")],
)
def test_another_system(changed: str, what: str, built: Path, dist: Path, tmp_path: Path) -> None:
    spec = Path(write_pair(tmp_path, factor="3.0f" if changed == "factor" else "2.0f"))
    if changed == "budgets":
        spec.write_text(spec.read_text().replace("members=2", "members=2, budgets=ab.Budgets(wait=7)"))
    if changed == "members":
        spec.write_text(
            spec.read_text().replace("members=2, topology=ab.Pair()", "members=3, topology=ab.Star()")
        )
    if changed == "fewer":
        (dist / "pair.role-1.x86_64").unlink()
    differences = verify(dist, str(spec), None).differences
    assert any(what in difference for difference in differences.values()), differences


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize("at", ["code", "end"])
def test_altered_executable(at: str, dist: Path) -> None:
    path = dist / "pair.role-1.x86_64"
    data = bytearray(path.read_bytes())
    data[4200 if at == "code" else -1] ^= 1
    path.write_bytes(data)
    if at == "code":  # and the manifest altered to match
        manifest = (dist / "manifest.json").read_text()
        entry = json.loads(manifest)["roles"][1]
        altered = manifest.replace(entry["sha256"], hashlib.sha256(data).hexdigest())
        (dist / "manifest.json").write_text(altered)
    (found,) = verify(dist, None, None).differences.items()
    assert found[0] == path.name and ("code" if at == "code" else "manifest") in found[1]


@pytest.mark.parametrize(
    ("altered", "what"),
    [
        ({"target": "riscv"}, "riscv"),
        ({"class": "../../passwd"}, "passwd"),
        ({"class": None}, "None"),
        ({"src": b"x("}, "verify DIST SYSTEM"),
        ({"src": b"\xff"}, "verify DIST SYSTEM"),
    ],
)
def test_what_cannot_be_made_again_is_named(altered: dict[str, Any], what: str, dist: Path) -> None:
    """And no log that goes with the temporary folder."""
    if "src" in altered:
        (dist / "src" / "CMakeLists.txt").write_bytes(altered["src"])
    else:
        manifest = json.loads((dist / "manifest.json").read_text())
        manifest["roles"][1].update(altered)
        (dist / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(AlphaError) as caught:
        verify(dist, None, None)
    assert what in str(caught.value) and "log" not in str(caught.value)
    assert str(caught.value.where).startswith(str(dist / ("src" if "src" in altered else "manifest.json")))


def test_bill_lists_what_is_there(built: Path) -> None:
    dist = built / "dist"
    manifest = json.loads((dist / "manifest.json").read_text())
    found = bill.read(dist, manifest)
    files = [each for each in found["components"] if each["type"] == "file"]
    listed = {each["name"] for each in files}
    assert listed == {
        *(entry["file"] for entry in manifest["roles"]),
        *(f"src/{path.name}" for path in (dist / "src").glob("*.cpp")),
    }
    for each in files:
        digest = hashlib.sha256((dist / each["name"]).read_bytes()).hexdigest()
        assert each["hashes"] == [{"alg": "SHA-256", "content": digest}]
    references = {
        found["metadata"]["component"]["bom-ref"],
        *(each["bom-ref"] for each in found["components"]),
    }
    for each in found["dependencies"]:
        assert {each["ref"], *each["dependsOn"]} <= references
    assert list(bill.compilers(found)) == ["gnu-x86_64"]


def test_bill_is_as_its_standard_says(built: Path) -> None:
    pytest.importorskip("cyclonedx")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    (path,) = (built / "dist").glob("*.cdx.json")
    validator, whole = JsonStrictValidator(SchemaVersion.V1_6), json.loads(path.read_text())
    assert validator.validate_str(path.read_text()) is None
    assert validator.validate_str(json.dumps({**whole, "components": [{"name": "no type"}]})) is not None


def test_a_bill_that_cannot_be_used_is_none(dist: Path) -> None:
    manifest = json.loads((dist / "manifest.json").read_text())
    for bill_text in ("", "[]", "{}", '{"components": [1]}', '{"metadata": []}', "[" * 100_000):
        (dist / bill.file_name(manifest)).write_text(bill_text)
        assert bill.read(dist, manifest) == {}


def test_bill_follows_bind(dist: Path, tmp_path: Path) -> None:
    (tmp_path / "addresses.json").write_text('{"roles": {"0": {"address": "10.0.0.1"}}}')
    bind(dist, tmp_path / "addresses.json")
    test_bill_lists_what_is_there(dist.parent)


def test_inspect_a_wheel_and_a_folder(dist: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "some-1.0-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("some-1.0.dist-info/METADATA", "Name: some\nVersion: 1.0\n")
        archive.writestr("some-1.0.dist-info/WHEEL", "Tag: py3-none-linux_x86_64\n")
        archive.writestr("web/manifest.json", '{"icons": []}')
        for path in dist.iterdir():
            if path.is_file():
                archive.write(path, f"some/roles/{path.name}")
    facts: dict[str, Any] = inspect(wheel)
    assert (facts["name"], facts["version"], facts["tags"]) == ("some", "1.0", ["py3-none-linux_x86_64"])
    (one,) = facts["builds"]
    assert (one["file"], one["name"], len(one["roles"])) == ("some/roles", "pair", 2)
    assert "pair.role-1.x86_64" in text(facts)
    assert inspect(dist.parent)["builds"][0]["file"] == "dist"
    assert "roles" in inspect(dist)

    (dist / "pair.role-0.x86_64").write_bytes(b"")
    with pytest.raises(AlphaError, match="not the one that was built"):
        inspect(dist.parent)
    with zipfile.ZipFile(wheel, "a") as archive:  # a build without its executables; a place outside the wheel
        archive.write(dist / "manifest.json", "other/manifest.json")
        archive.write(dist / "manifest.json", "/../manifest.json")
    with pytest.raises(AlphaError, match="executable cannot be read") as caught:
        inspect(wheel)
    assert str(caught.value.where).startswith(f"{wheel}, ")
    for damage in (b"", wheel.read_bytes()[:-100]):
        wheel.write_bytes(damage)
        with pytest.raises(AlphaError, match="wheel"):
            inspect(wheel)
