"""Bad input in a system file: one message each, with place and remedy, and status 1."""

from __future__ import annotations

import json
import os
from pathlib import Path
from textwrap import dedent

import pytest

from cli.command import alpha_build, one_message

STAR = """\
import alpha_build as ab
system = ab.System(
    name="star", members={members}, topology={topology},
    regions={{"g": ab.Region("f32", (6,), initial=1.0)}},
    protocol=ab.Sequence(ab.Combine("g"), ab.Deliver("g")),
)
"""
LEARNER = """\
import numpy as np, jax.numpy as jnp, optax
import alpha_build as ab
x, y = np.ones((8, 3), np.float32), np.ones(8, np.float32)
def loss(params, x, y):
    return (x @ params["w"] - y) ** 2
state = {"w": np.zeros(3, np.float32)}
"""
SYSTEM = """\
system = ab.System(name="fit", members=2, topology=ab.Pair(),
    learner=ab.Learner(loss, state=state, optimizer=optax.sgd(0.1), samples=(x, y), rounds=3))
"""


def star(members: str = "3", topology: str = "ab.Star()") -> str:
    return STAR.format(members=members, topology=topology)


# The file's text, what the message must name, and where.
REFUSED: dict[str, tuple[str, list[str]]] = {
    "a syntax error": ("x = (\n", ["system.py:1", "syntax"]),
    "raises": ("import alpha_build\nx = 1 / 0\n", ["system.py:2", "ZeroDivisionError"]),
    "a missing module": ("import nothing_of_the_kind\n", ["system.py:1", "nothing_of_the_kind"]),
    "no System": ("x = 1\n", ["no System"]),
    "two Systems": (star() + star().replace("system =", "other ="), ["other", "system.py:other"]),
    "members 0": (star("0"), ["0"]),
    "members -1": (star("-1"), ["-1"]),
    "members 2.5": (star("2.5"), ["2.5"]),
    "a pair of three": (star("3", "ab.Pair()"), ["pair", "3"]),
    "a tree without fan-out": (star("3", "ab.Tree(fanout=0)"), ["fanout"]),
    "a state with NaN": (LEARNER + 'state["w"][1] = np.nan\n' + SYSTEM, ["params/w", "NaN"]),
    "a batch loss": (
        LEARNER + SYSTEM.replace("(loss,", "(lambda params, x, y: (x @ params['w'] - y) * jnp.ones(4),"),
        ["scalar"],
    ),
    "a 64-bit integer": (LEARNER + "y = np.full(8, 2**40)\n" + SYSTEM, ["samples[1]", "jax_enable_x64"]),
    "samples of unequal length": (LEARNER + "y = y[:7]\n" + SYSTEM, ["7", "8"]),
    "a batch that is too large": (LEARNER + SYSTEM.replace("rounds=3", "batch=9, rounds=3"), ["9", "8"]),
    "an unsupported primitive": (
        LEARNER
        + SYSTEM.replace("(loss,", "(lambda params, x, y: jnp.linalg.cholesky(jnp.outer(x, x))[0, 0] + y,"),
        ["system.py:8", "cholesky"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_one_message_with_place_and_remedy(tmp_path: Path, name: str) -> None:
    text, words = REFUSED[name]
    (tmp_path / "system.py").write_text(text)
    done = alpha_build("check", tmp_path / "system.py")
    message = one_message(done)
    for word in words:
        assert word in message, message
    assert "system.py" in message or str(tmp_path) in message, "no place"
    assert "; " in message, "no remedy"


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in one_message(alpha_build("check", tmp_path / "nothing.py"))
    assert "no_such_module" in one_message(alpha_build("check", "no_such_module:system"))


def test_two_systems_can_be_told_apart(tmp_path: Path) -> None:
    (tmp_path / "system.py").write_text(star() + star("5").replace("system =", "other ="))
    done = alpha_build("check", f"{tmp_path / 'system.py'}:other", "--json")
    assert json.loads(done.stdout)["members"] == 5


def test_every_failure_is_printed(tmp_path: Path) -> None:
    """Of the system and of its learner, not only the first."""
    text = LEARNER + 'state["w"][1] = np.nan\n' + SYSTEM.replace("name=", "frame_bytes=-1, name=")
    (tmp_path / "system.py").write_text(text)
    done = alpha_build("check", tmp_path / "system.py", "--json")
    assert done.returncode == 1 and done.stderr.count("\n") == 2
    assert len(json.loads(done.stdout)["failures"]) == 2
    assert "frame_bytes" in done.stderr and "NaN" in done.stderr


def test_pyproject_names_the_system(tmp_path: Path) -> None:
    assert "pyproject.toml" in one_message(alpha_build("check", cwd=tmp_path))
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert "pyproject.toml" in one_message(alpha_build("check", cwd=tmp_path))
    (tmp_path / "pyproject.toml").write_text('[tool.alpha-build]\nsystem = "star.py:system"\n')
    (tmp_path / "star.py").write_text(star())
    assert alpha_build("check", cwd=tmp_path).returncode == 0


def test_project_prints_a_roles_schedule_and_refuses_a_stranger(tmp_path: Path) -> None:
    (tmp_path / "star.py").write_text(star("200000", "ab.Tree(fanout=64)"))
    done = alpha_build("project", tmp_path / "star.py", "--role", "199999")
    assert done.returncode == 0 and "combine g" in done.stdout
    assert "200000" in one_message(alpha_build("project", tmp_path / "star.py", "--role", "200000"))


def test_narrowing_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "system.py").write_text(LEARNER + "x = x.astype(np.float64)\n" + SYSTEM)
    done = alpha_build("check", tmp_path / "system.py")
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "64-bit" in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs to be refused by the file system, which root is not")
def test_an_output_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "star.py").write_text(star())
    (tmp_path / "taken").write_text("")
    message = one_message(alpha_build("roles", tmp_path / "star.py", "--out", tmp_path / "taken" / "dist"))
    assert "taken" in message and "--out" in message
    assert "/proc" in one_message(alpha_build("roles", tmp_path / "star.py", "--out", "/proc/alpha"))


def test_a_saved_program_for_a_system_without_a_learner(tmp_path: Path) -> None:
    (tmp_path / "star.py").write_text(star())
    done = alpha_build(
        "roles", tmp_path / "star.py", "--out", tmp_path / "d", "--program", tmp_path / "x.cbor"
    )
    assert "learner" in one_message(done)


@pytest.mark.native
def test_a_path_with_spaces_and_other_letters_works(tmp_path: Path) -> None:
    folder = tmp_path / "α b" / "proj (1)"
    folder.mkdir(parents=True)
    (folder / "mein Stern.py").write_text(dedent(star()))
    done = alpha_build("roles", folder / "mein Stern.py", "--out", folder / "aus gabe")
    assert done.returncode == 0, done.stderr
    assert alpha_build("run", folder / "aus gabe").returncode == 0
