"""State folders: a kill at each call that changes one, media that fail, folders that are not ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from role.launch import Ended, Member, Toolchain, run
from role.test_learner import check, members
from role.toy import Shape

pytestmark = [
    pytest.mark.gates,
    pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed"),
]

SHAPE = Shape(2, 1)
CALLS = ("openat", "write", "fsync", "renameat", "mkdirat", "unlinkat", "sendto")
CALLS_MAX = 60  # of one kind in one run; a bound of the search below


@pytest.fixture(scope="module")
def system(native: Toolchain) -> list[Member]:
    return members(native, SHAPE)


@pytest.fixture(scope="module")
def published(system: list[Member], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with generation 1 of both roles."""
    folder = tmp_path_factory.mktemp("published")
    assert [end.code for end in run(system, folder).values()] == [0, 0]
    return folder / "state"


def inject(call: str, fault: str, *, path: Path | None = None) -> list[str]:
    filters = ["-P", str(path)] if path else []
    return [
        "strace",
        "-qq",
        "-o",
        "/dev/null",
        *filters,
        "-e",
        f"trace={call}",
        "-e",
        f"inject={call}:{fault}",
    ]


def pointer(home: Path) -> int:
    return int((home / "published").read_text().split()[0]) if (home / "published").exists() else 0


def is_whole(home: Path, generation: int) -> bool:
    """The pointer's digest is the manifest's, the manifest's the shard's."""
    folder = home / f"generation-{generation}"
    text = (folder / "manifest.json").read_bytes()
    shard = (folder / "state.safetensors").read_bytes()
    return (home / "published").read_text() == f"{generation} {sha256(text).hexdigest()}\n" and (
        json.loads(text)["shard"]["sha256"] == sha256(shard).hexdigest()
    )


@pytest.mark.slow
@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("call", CALLS)
def test_kill_at_each_call(
    system: list[Member], published: Path, role: int, call: str, tmp_path: Path
) -> None:
    """Before the root's rename the old generation stands, after it the new one, whole; the next goes on."""
    killed = 0
    for number in range(1, CALLS_MAX):
        folder = tmp_path / str(number)
        shutil.copytree(published, folder / "state")
        ended = run(system, folder, prefix={role: inject(call, f"signal=KILL:when={number}")}, budget_s=2)
        root, own = folder / "state" / "role-0", folder / "state" / f"role-{role}"
        generation = pointer(root)
        assert generation in (1, 2)
        assert is_whole(root, generation)
        assert is_whole(own, pointer(own))
        if ended[role].code == 0:
            break  # past the last call of this kind
        killed += 1
        # A peer that was done may have completed; it never hangs, and never says so before the commit.
        assert ended[1 - role].code in (0, 74, 75, 76, 77)
        assert generation == 2 or ended[1 - role].code != 0
        again = run(system, folder)
        assert [end.code for end in again.values()] == [0, 0], again
        check(SHAPE, folder, generation=generation + 1)
        shutil.rmtree(folder)
    assert 0 < killed < CALLS_MAX - 1


def fail_one(system: list[Member], folder: Path, role: int, prefix: list[str]) -> Ended:
    ended = run(system, folder, prefix={role: prefix}, budget_s=2)
    assert ended[1 - role].code != 0
    return ended[role]


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize(
    ("call", "error", "file", "words"),
    [
        ("write", "ENOSPC", "generation-2/state.safetensors", "cannot write"),
        ("fsync", "EIO", "generation-2/state.safetensors", "cannot flush"),
        ("write", "ENOSPC", "generation-2/manifest.json", "cannot write"),
        ("openat", "EDQUOT", "generation-2/manifest.json", "cannot create"),
        ("mkdirat", "ENOSPC", "generation-2", "cannot make"),
    ],
)
def test_medium_that_fails(
    system: list[Member],
    published: Path,
    role: int,
    call: str,
    error: str,
    file: str,
    words: str,
    tmp_path: Path,
) -> None:
    shutil.copytree(published, tmp_path / "state")
    target = Path("state") / f"role-{role}" / file
    # mkdirat and openat name the path relative to a descriptor, so strace is given the last part.
    path = Path(target.name) if call in ("openat", "mkdirat") else tmp_path / target
    end = fail_one(system, tmp_path, role, inject(call, f"error={error}", path=path))
    assert end.code == 80, end
    line = end.lines[-1]
    assert line.startswith(f"alpha-build: role {role}: checkpoint failed: {words} {target}: "), line
    assert is_whole(tmp_path / "state" / "role-0", 1)
    again = run(system, tmp_path)
    assert [each.code for each in again.values()] == [0, 0]
    check(SHAPE, tmp_path, generation=2)


def test_flushed_before_named(system: list[Member], tmp_path: Path) -> None:
    """C1: in the root's trace every file is flushed before the rename, and the folder after it; what a start
    finds is flushed first."""
    trace = tmp_path / "trace"
    prefix = ["strace", "-qq", "-y", "-o", str(trace), "-e", "trace=fsync,renameat"]
    assert [end.code for end in run(system, tmp_path, prefix={0: prefix}).values()] == [0, 0]
    lines = [line for line in trace.read_text().splitlines() if "generation-1" in line or "published" in line
             or "role-0>" in line]  # fmt: skip
    kinds = []
    for line in lines:
        kinds.append(
            "rename" if line.startswith("renameat") else line.split("<")[1].split(">")[0].rsplit("/", 1)[1]
        )
    assert kinds == ["role-0", "state.safetensors", "manifest.json", "generation-1", "role-0",
                     "published.next", "rename", "role-0"]  # fmt: skip


def alter(name: str) -> Callable[[Path], None]:
    def change(home: Path) -> None:
        path = home / name
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)

    return change


def rename_generation(home: Path) -> None:
    """A pointer and a generation of a later number than the root's."""
    text = (home / "generation-1" / "manifest.json").read_text().replace('"generation": 1', '"generation": 7')
    (home / "generation-1" / "manifest.json").write_text(text)
    (home / "generation-1").rename(home / "generation-7")
    (home / "published").write_text(f"7 {sha256(text.encode()).hexdigest()}\n")


BROKEN: dict[str, tuple[int, Callable[[Path], object], int, str]] = {
    "pointer": (0, lambda home: (home / "published").write_text("1 abc\n"), 80, "published: malformed"),
    "pointer's tail": (1, lambda home: (home / "published").write_bytes(
        (home / "published").read_bytes() + b"x"), 80, "published: malformed"),
    "empty pointer": (0, lambda home: (home / "published").write_text(""), 80, "published: malformed"),
    "manifest": (0, alter("generation-1/manifest.json"), 80, "manifest.json: not the manifest"),
    "shard": (1, alter("generation-1/state.safetensors"), 80, "state.safetensors: not the file"),
    "shard's end": (0, lambda home: (home / "generation-1" / "state.safetensors").write_bytes(b"x"), 80,
                    "state.safetensors: not the file"),
    "no shard": (0, lambda home: (home / "generation-1" / "state.safetensors").unlink(), 80,
                 "cannot read state/role-0/generation-1/state.safetensors: no such file"),
    "no manifest": (1, lambda home: (home / "generation-1" / "manifest.json").unlink(), 80,
                    "cannot read state/role-1/generation-1/manifest.json: no such file"),
    "no folder": (1, shutil.rmtree, 80,
                  "the root has published generation 1, which is not here: "
                  "cannot read state/role-1/generation-1/manifest.json: no such file"),
    "root behind": (1, rename_generation, 80, "the root has published generation 1, but state/role-1 "
                    "holds generation 7: a state folder of another run"),
    "a file": (0, lambda home: (shutil.rmtree(home), home.write_text("")), 78, "cannot open state/role-0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_folder_that_is_not_whole(system: list[Member], published: Path, name: str, tmp_path: Path) -> None:
    role, damage, code, words = BROKEN[name]
    shutil.copytree(published, tmp_path / "state")
    damage(tmp_path / "state" / f"role-{role}")
    before = snapshot(tmp_path / "state")
    ended = run(system, tmp_path, budget_s=2)
    assert ended[role].code == code, ended
    assert words in ended[role].lines[-1]
    assert ended[1 - role].code != 0
    after = snapshot(tmp_path / "state")
    assert {path: after.get(path) for path in before} == before  # nothing lost, nothing published


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_other_learners_state(system: list[Member], published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path / "state")
    others = [replace(m, learner=replace(m.learner, state_identity=b"\1" * 32)) for m in system if m.learner]
    ended = run(others, tmp_path, budget_s=2)
    assert ended[0].code == 78
    assert "state/role-0/generation-1/manifest.json: the state of another learner" in ended[0].lines[-1]


def test_folder_that_cannot_be_used(system: list[Member], tmp_path: Path) -> None:
    """Decided before any edge is opened: at once, whatever the budgets."""
    for state, words in (
        ("/proc/nowhere", "cannot make /proc/nowhere/role-0: "),
        ("x" * 5000, "the path is too long"),
    ):
        ended = run(system[:1], tmp_path, arguments=["--state", state], budget_s=60)
        assert ended[0].code == 78, ended
        assert words in ended[0].lines[-1]
    read_only = inject("openat", "error=EROFS", path=Path("published.next"))
    ended = run(system[:1], tmp_path, prefix={0: read_only}, budget_s=60)
    assert ended[0].code == 78
    assert "cannot write state/role-0/published.next: read-only file system" in ended[0].lines[-1]


def test_state_in_a_folder_of_folders(system: list[Member], tmp_path: Path) -> None:
    ended = run(system, tmp_path, arguments=["--state", "a b/ö//c/"])
    assert [end.code for end in ended.values()] == [0, 0], ended
    check(SHAPE, tmp_path, state="a b/ö/c")
