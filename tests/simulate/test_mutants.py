"""Faults put into the endpoint code one at a time: the simulator must find each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from native import CPP
from simulate.simulator import Build, run

pytestmark = [
    pytest.mark.native,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]

COUNT = 3000  # seeds of each system until one has findings, two seconds at most
NETWORK = ("tree", "announced", "exchange", "long", "crowd")
STATE = ("state", "lives")
CANONICAL = ("canonical", "canonical-pair")

# What is changed, where, from what to what, and what is said of it.
NETWORK_MUTANTS = {
    "body read before the header compared": (
        "socket/arrival.cpp",
        "kHeaderBytes) return {arrival.staging + got, kHeaderBytes - got};",
        "kHeaderBytes) return {arrival.staging + got, kHeaderBytes + 512 - got};",
        "fails unharmed",
    ),
    "version not checked": (
        "frame/header.cpp",
        "    if (!same_bytes(left + row.first, right",
        "    if (row.field != Field::version && !same_bytes(left + row.first, right",
        "completes on altered bytes",
    ),
    "digest compared on 31 bytes": (
        "socket/arrival.cpp",
        "found, kTrailerBytes)) return differs",
        "found, kTrailerBytes - 1)) return differs",
        "completes on altered bytes",
    ),
    "listener closed late": (
        "socket/accept.cpp",
        "  close_descriptor(link.listener);\n  acceptance.strangers.tell_further();",
        "  acceptance.strangers.tell_further();",
        "a listener is open after establishment",
    ),
    "a child is added before its trailer": (
        "role/combine_step.cpp",
        "if (child.arrived > child.released && child.arrived <= limit) {",
        "if (child.arrived > child.released) {",
        "unverified bytes in its sum",
    ),
    "a sum goes down before its last part is in it": (
        "role/combine_step.cpp",
        "pass_down(combine.delivery, combine.total == 0 ? combine.round.region.bytes : limit);",
        "pass_down(combine.delivery, combine.round.region.bytes);",
        "sees a wrong value",
    ),
    "more frames are read than there is staging for": (
        "role/combine_step.cpp",
        "child.held = frame - next >= kStagedFramesMax;",
        "child.held = false;",
        "sees a wrong value",
    ),
    "bytes re-arm the frame budget": (
        "socket/arrival.cpp",
        "if (before == 0) arrival.since_ns = now_ns;",
        "arrival.since_ns = now_ns;",
        "ends after its budgets",
    ),
    "interrupted receives are errors": (
        "socket/stream.cpp",
        "} while (got == -kernel::kInterrupted);",
        "} while (false);",
        "fails unharmed",
    ),
    "a failed attempt keeps its descriptor": (
        "socket/connect.cpp",
        "    close_descriptor(link.fd);\n    return Outcome::again;",
        "    link.fd = -1;\n    return Outcome::again;",
        "leaves a descriptor open",
    ),
    "the end of the stream is not awaited": (
        "socket/close.cpp",
        "|| !await_end(session, link)",
        "",
        "completes on altered bytes",
    ),
    "descriptors are counted without edges": (
        "role/main.cpp",
        "prepare_process(session, role.edges)",
        "prepare_process(session, 0)",
        "goes on with fewer descriptors than its edges need",
    ),
    "no deadline in the engine": (
        "socket/exchange.cpp",
        "if (!in_time()) return false;",
        "",
        "spins",
    ),
}
STATE_MUTANTS = {
    "a file is named before it is flushed": (
        "state/file.cpp",
        "const i64 synced = kernel::fsync(fd_);",
        "const i64 synced = 0;",
        "has a torn pointer",
    ),
    "the pointer is written before the state": (
        "role/state_steps.cpp",
        "  if (!prepare_generation(",
        "  if (step.from == kNoSlot && !publish_generation(&folder, generation, {}, failure)) return false;\n"
        "  if (!prepare_generation(",
        "publishes what is not whole",
    ),
    "the pointer is written in place": (
        "state/generation.cpp",
        '#include "state/read.h"\n',
        '#include "state/read.h"\n#define kPointerNextName kPointerName\n',
        "has a torn pointer",
    ),
    "the folder is not flushed after the rename": (
        "state/generation.cpp",
        'const i64 synced = sync_folder(folder->fd, ".");',
        "const i64 synced = 0;",
        "completes without a published state",
    ),
    "a generation's own name is not flushed": (
        "state/manifest_write.cpp",
        'if (synced >= 0) synced = sync_folder(folder.fd, ".");',
        "",
        "has not the manifest that was committed",
    ),
    "everybody publishes what they have prepared": (
        "role/state_steps.cpp",
        "  if (step.from == kNoSlot) {\n    if (!publish",
        "  {\n    if (!publish",
        "publishes what the root did not",
    ),
    "the root tells before its rename": (
        "role/state_steps.cpp",
        "    if (!publish_generation(&folder, generation, manifest, failure)) return false;\n"
        "    store_word(word",
        "    store_word(word, generation, manifest);\n"
        "    if (!relay(participant, *step.region_down, step.from, step.to)) return false;\n"
        "    return publish_generation(&folder, generation, manifest, failure);\n    store_word(word",
        "publishes what the root did not",
    ),
    "a pointer that was renamed and not flushed is told": (
        "state/folder.cpp",
        "const i64 flushed = kernel::fsync(folder->fd);",
        "const i64 flushed = 0;",
        "publishes what the root did not",
    ),
    "a folder that is there is not flushed": (
        "state/folder.cpp",
        "const i64 flushed = flush_entry(path, end);\n",
        "const i64 flushed = 0;\n",
        "completes without a published state",
    ),
}
CANONICAL_MUTANTS = {
    "a node is added to before it has left": (
        "role/canonical.cpp",
        "combine.leaving == nullptr ? bytes : combine.leaving->sent",
        "bytes",
        "fails unharmed",  # the other role sees a wrong value
    ),
    "the first node of a list stands for all": (
        "role/canonical.cpp",
        "const u64 earlier = list.what.total - bytes;",
        "const u64 earlier = 0;",
        "sees a wrong value",
    ),
    "several nodes leave before all are made": (
        "role/canonical.cpp",
        "end == bytes ? up.what.total : end",
        "up.what.total",
        "sees a wrong value",
    ),
    "a result goes down before it is whole": (
        "role/canonical.cpp",
        "pass_down(combine.delivery, limit);",
        "pass_down(combine.delivery, bytes);",
        "sees a wrong value",
    ),
}
MUTANTS = NETWORK_MUTANTS | STATE_MUTANTS | CANONICAL_MUTANTS


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    made = Build(tmp_path_factory.mktemp("mutants"), ("-O1", "-w"))
    done = run(made.link(made.folder / "driver"), 0, COUNT)
    assert done.returncode == 0, done.stdout
    return made


@pytest.mark.parametrize("name", MUTANTS)
def test_the_simulator_finds(name: str, build: Build, tmp_path: Path) -> None:
    path, old, new, said = MUTANTS[name]
    systems = NETWORK if name in NETWORK_MUTANTS else STATE if name in STATE_MUTANTS else CANONICAL
    source = CPP / path
    text = source.read_text()
    assert text.count(old) == 1, f"{path} has changed; so must this mutant"
    changed = tmp_path / source.name
    changed.write_text(text.replace(old, new))
    build.compile(changed, tmp_path / "changed.o", stands_for=source)
    # Some of the state's need two harms in two lives.
    count = COUNT if name in NETWORK_MUTANTS else 2 * COUNT
    done = run(build.link(tmp_path / "driver", {source: tmp_path / "changed.o"}), 0, count, *systems)
    assert done.returncode == 1, f"{name}: {done.stdout}"
    assert said in done.stdout
    print(f"\n{name}: " + next(line for line in done.stdout.splitlines() if said in line))
