"""Gate identity: executables of two builds refuse each other; an artifact is what its manifest says."""

from __future__ import annotations

import hashlib
import json

from alpha_build.build.elf import read_artifact
from alpha_build.build.stamp import decode
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, expect
from alpha_build.gates.sums import need_jax
from alpha_build.gates.systems import OTHERS, fit


def _identity(bench: Bench) -> None:
    need_jax()
    for what in OTHERS:
        check_other(bench, what)


def check_other(bench: Bench, what: str) -> None:
    """One role of a build that differs in one thing: both ends refuse, name both runs, write nothing."""
    own, other = bench.dist(fit()), bench.dist(OTHERS[what])
    expect(own.manifest["run"] != other.manifest["run"], f"another {what} has the same identity")
    mixed = own.with_file(1, other.artifact(1), bench.new_folder() / "dist")
    outcome = mixed.run()
    expect(not outcome.ok and outcome.cause is not None, "the run completed")
    assert outcome.cause is not None
    expect(outcome.cause.kind == "frame", outcome.cause.text)
    expect({outcome.cause.role, outcome.cause.peer} == {0, 1}, outcome.cause.text)
    for end, (mine, theirs) in zip(outcome.ends[:2], ((own, other), (other, own)), strict=True):
        names = f"expected run {mine.manifest['run']}, got {theirs.manifest['run']}"
        expect(end.exit == 70 and end.said is not None and names in end.said.text, end.text)
    written = [path for path in (mixed.path / "state").rglob("*") if path.is_file()]
    expect(not written, f"state was written: {written[:4]}")
    bench.say(f"another {what}: refused at both ends, each naming both identities; nothing written")


def _artifacts(bench: Bench, dist: Dist) -> None:
    """Digest, stamp and note of every executable against the manifest."""
    for entry in dist.manifest["roles"]:
        data = dist.artifact(entry["role"]).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        expect(digest == entry["sha256"], f"{entry['file']}: SHA-256 {digest}, manifest {entry['sha256']}")
        artifact = read_artifact(data)
        stamp = decode(artifact.stamp)
        expect(stamp.role == entry["role"], f"{entry['file']}: stamped for role {stamp.role}")
        expect(stamp.run == dist.run_identity, f"{entry['file']}: stamped for run {stamp.run.hex()}")
        note = json.loads(artifact.notes[0].data)
        said = {key: value for key, value in entry.items() if key in note}
        expect(note == said, f"{entry['file']}: its note says {note}, the manifest {said}")
    bench.say(
        f"{len(dist.roles)} executables of run {dist.manifest['run']}: digest, stamp, note as in the manifest"
    )


GATES = (
    Gate(
        "identity", "another learner, rate, contract or membership is refused by name", _identity, _artifacts
    ),
)
