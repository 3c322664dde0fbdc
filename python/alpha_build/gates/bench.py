"""What gates stand on: a folder, builds that they share, processes that cannot stay, and what was seen."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from alpha_build.build.bind import bind
from alpha_build.build.build import build
from alpha_build.gates.dist import Dist
from alpha_build.gates.peer import Peer
from alpha_build.gates.processes import Starter, starter
from alpha_build.gates.ring import SharingPeer


class Bench:
    """One session of gates; `say` takes a line of what was seen."""

    def __init__(self, folder: Path, say: Callable[[str], None] = lambda line: None) -> None:
        self.folder = folder
        self.say = say
        self._builds: dict[str, Dist] = {}
        self._numbers = count()

    def dist(self, text: str) -> Dist:
        """The build of a system file, made once a session."""
        if text not in self._builds:
            file = self.new_folder() / "system.py"
            file.write_text(text)
            common = self.folder / "build"  # one folder for all, so that the runtime is compiled once
            build(str(file), common)
            self._builds[text] = Dist.read(common).copy(file.parent / "dist")
        return self._builds[text]

    def shared(self, text: str) -> Dist:
        """The same build with every edge through shared memory."""
        whole = self.dist(text)
        folder = whole.path.with_name("shared")
        if not folder.exists():
            bind(whole.copy(folder).path, shared=True)
        return Dist.read(folder)

    def new_folder(self) -> Path:
        folder = self.folder / str(next(self._numbers))
        folder.mkdir(parents=True)
        return folder

    @contextmanager
    def starting(self) -> Iterator[Starter]:
        with starter(self.new_folder()) as start:
            yield start

    @contextmanager
    def peer(self, dist: Dist, role: int) -> Iterator[Peer]:
        """A participant in plain Python, in place of a role's executable, with rings as that one."""
        kind = SharingPeer if any(edge.get("shared") for edge in dist.entry(role)["edges"]) else Peer
        made = kind(role, dist.run_identity, int(dist.manifest["frame_bytes"]))
        try:
            yield made
        finally:
            made.abandon()


@contextmanager
def bench(say: Callable[[str], None]) -> Iterator[Bench]:
    folder = Path(tempfile.mkdtemp(prefix="alpha-build-gates-"))
    try:
        yield Bench(folder, say)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
