"""A learner's build: sizes, the saved program, the same bytes with and without tracing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from alpha_build.build import toolchains
from alpha_build.build.build import build
from alpha_build.build.elf import read_artifact
from alpha_build.run import run_build

pytest.importorskip("jax")
pytest.importorskip("optax")

pytestmark = [
    pytest.mark.cross,
    pytest.mark.slow,
    pytest.mark.skipif(not toolchains.available("aarch64"), reason="no compiler for aarch64"),
]

SYSTEM = """\
import numpy as np, jax, jax.numpy as jnp, optax
import alpha_build as ab

rng = np.random.default_rng(0)
x, y = rng.normal(size=(90, 16)).astype(np.float32), (np.arange(90) % 10).astype(np.int32)
w1, w2 = rng.normal(0, 0.1, (16, 8)).astype(np.float32), rng.normal(0, 0.1, (8, 10)).astype(np.float32)

def loss(params, x, y):
    logits = jax.nn.relu(x @ params["w1"]) @ params["w2"]
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits, y)

system = ab.System(
    name="mlp", members=4, topology=ab.Tree(fanout=2), pairing={3: ab.Target("aarch64")},
    learner=ab.Learner(
        loss, state={"w1": w1, "w2": w2}, optimizer=optax.adam(1e-2), samples=(x, y), batch=40, rounds=5),
)
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learner")
    (folder / "mlp.py").write_text(SYSTEM)
    build(str(folder / "mlp.py"), folder / "dist")
    return folder / "dist"


def test_sizes_without_data(dist: Path) -> None:
    for entry in json.loads((dist / "manifest.json").read_text())["roles"]:
        data = (dist / entry["file"]).read_bytes()
        artifact = read_artifact(data)
        assert artifact.target == entry["target"] == ("aarch64" if entry["role"] == 3 else "x86_64")
        assert len(data) - len(artifact.stamp) < 192 << 10


def test_classes(dist: Path) -> None:
    """Four roles are four classes only where target or place in the tree differ."""
    roles = json.loads((dist / "manifest.json").read_text())["roles"]
    assert len({entry["class"] for entry in roles}) == 4
    assert all(entry["class"].endswith(entry["target"]) for entry in roles)


def test_it_runs(dist: Path) -> None:
    assert run_build(dist).ok


@pytest.mark.parametrize("file", [True, False])
def test_saved_program_gives_the_same_bytes(dist: Path, tmp_path: Path, file: bool) -> None:
    """Another folder, the saved program in place of tracing, and in place of the system's own file too."""
    if file:
        build(str(dist.parent / "mlp.py"), tmp_path / "dist", program=dist / "learner.cbor")
    else:
        code = (
            "import sys\nsys.modules['jax'] = sys.modules['optax'] = None\n"  # importing them raises
            "from alpha_build.cli import main\nmain()"
        )
        command = ["roles", "--program", str(dist / "learner.cbor"), "--out", str(tmp_path / "dist")]
        subprocess.run([sys.executable, "-c", code, *command], check=True)
    names = sorted(path.name for path in dist.iterdir() if path.is_file())
    assert "learner.cbor" in names
    assert names == sorted(path.name for path in (tmp_path / "dist").iterdir() if path.is_file())
    for name in names:
        assert (tmp_path / "dist" / name).read_bytes() == (dist / name).read_bytes(), name
