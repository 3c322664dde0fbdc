"""The processes of one run as one process group that cannot outlive the launcher, however the launcher ends.

A guard, a shell that only waits for the end of its standard input, leads the group.  The launcher alone holds
the other end of that pipe: when it is gone, by SIGKILL too, the guard kills the whole group, itself included.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from alpha_build.system.errors import AlphaError

_GUARD = ["/bin/sh", "-c", "read -r _; kill -KILL 0"]


class ProcessGroup:
    """Starts processes in a group of their own, away from the terminal's Ctrl-C, and ends all of them."""

    def __init__(self) -> None:
        self._guard = subprocess.Popen(
            _GUARD,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, argv: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
        """A process with pipes on descriptors 0, 1 and 2, working in `folder`."""
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                bufsize=0,
                process_group=self._guard.pid,
            )
        except OSError as error:
            raise AlphaError(
                f"the program cannot be started: {error.strerror}",
                kind="not-started",
                where=argv[-1],
                hint="is the file system mounted noexec, or a limit reached (ulimit -n, ulimit -u)?",
            ) from None
        self._started.append(process)
        return process

    def kill(self) -> None:
        """Kills every process of the group and waits for each; SIGKILL, so that a stopped one goes too."""
        # The guard is not waited for yet, so its process and group number cannot belong to anyone else.
        if self._guard.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._guard.pid, signal.SIGKILL)
        for process in (*self._started, self._guard):
            process.wait()
        assert self._guard.stdin is not None
        self._guard.stdin.close()
