"""Faults put into the runtime or its flags one at a time: a system's bits must show each."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from native import CPP
from role import toy
from role.launch import Toolchain, run
from role.toy import Shape

pytestmark = pytest.mark.gates

# What is changed, where, from what to what, and the system that shows it.
MUTANTS = {
    "a short block is padded": (
        "role/learner.cpp",
        "const u64 rows = share.own.end - begin < block ? share.own.end - begin : block;",
        "const u64 rows = block;",
        Shape(1, 1, "canonical"),
    ),
    "two addends change places": (
        "role/combine_step.cpp",
        "    const Slot slot = step.to[i];\n    Transfer what = transfer;",
        "    const Slot slot = step.to[step.to.size() - 1 - i];\n    Transfer what = transfer;",
        Shape(4, 3),
    ),
    "subnormal numbers are flushed": (
        "role/participant.cpp",
        "  session.log = print_line;\n",
        "  session.log = print_line;\n"
        '  const unsigned flush = 0x9fc0;\n  asm volatile("ldmxcsr %0" : : "m"(flush));\n',
        Shape(1, 1),
    ),
}


def said(toolchain: Toolchain, shape: Shape, folder: Path, *options: str) -> list[str]:
    """The root's lines in a system of the toy compiled with more options or sources."""
    linked = toy.linked_with(toolchain, folder / "toy", *options)
    ended = run([toy.member(shape, role, linked) for role in range(shape.members)], folder, budget_s=60)
    return ended[0].lines


def right(shape: Shape) -> list[str]:
    w, lines = toy.reference(shape)
    return [*lines, f"alpha-build: role 0: complete: {toy.ROUNDS} rounds, state {toy.state_hash(w)}"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the flush is an instruction of x86-64")
@pytest.mark.parametrize("name", MUTANTS)
def test_a_changed_runtime_shows_in_the_bits(name: str, native: Toolchain, tmp_path: Path) -> None:
    path, old, new, shape = MUTANTS[name]
    text = (CPP / path).read_text()
    assert text.count(old) == 1, f"{path} has changed; so must this mutant"
    changed = tmp_path / "changed.cpp"
    changed.write_text(text.replace(old, new))
    assert said(native, shape, tmp_path, str(changed)) != right(shape)


@pytest.mark.skipif("fma" not in Path("/proc/cpuinfo").read_text(), reason="no instruction to contract to")
def test_a_compiler_that_may_contract_shows_in_the_bits(native: Toolchain, tmp_path: Path) -> None:
    shape = Shape(1, 1)
    assert said(native, shape, tmp_path / "off", "-march=x86-64-v3") == right(shape)
    assert said(native, shape, tmp_path / "on", "-march=x86-64-v3", "-ffp-contract=fast") != right(shape)
