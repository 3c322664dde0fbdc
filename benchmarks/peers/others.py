"""gloo and Open MPI over loopback TCP, or through its shared memory, where they are here; neither hashes."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Lines = list[dict[str, Any]]
Peer = Callable[[int, Sequence[int], float], Lines]
HERE = Path(__file__).resolve().parent
TIMEOUT_S = 120
MPI_SKIPPED = "Open MPI: skipped, it is not installed (apt install openmpi-bin libopenmpi-dev)"
MPIRUN = [
    "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-q", "--mca", "pml", "ob1",
    "--mca", "btl_base_warn_component_unused", "0",
]  # fmt: skip
MPI_TCP = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]
MPI_SHARED = ["--mca", "btl", "vader,self"]


def found() -> dict[str, Peer]:
    """Those that are here; a line on standard error for each that is not."""
    peers: dict[str, Peer] = {}
    if has_torch("gloo"):
        peers["gloo"] = gloo
    if (mpicc := _tool("mpicc")) and (mpirun := _tool("mpirun")):
        peers["Open MPI"] = _mpi("Open MPI", mpicc, mpirun, MPI_TCP)
    else:
        print(MPI_SKIPPED, file=sys.stderr)
    return peers


def has_torch(peer: str) -> bool:
    """Whether PyTorch is here; a line on standard error, which names the peer, where it is not."""
    if importlib.util.find_spec("torch") is not None:
        return True
    print(f"{peer}: skipped, PyTorch is not installed (pip install torch)", file=sys.stderr)
    return False


def found_shared() -> dict[str, Peer]:
    """Open MPI through shared memory; gloo has no such way."""
    if (mpicc := _tool("mpicc")) and (mpirun := _tool("mpirun")):
        return {"Open MPI shared": _mpi("Open MPI shared", mpicc, mpirun, MPI_SHARED)}
    print(MPI_SKIPPED, file=sys.stderr)
    return {}


def _mpi(name: str, mpicc: str, mpirun: str, way: Sequence[str]) -> Peer:
    worker = Path(tempfile.mkdtemp(prefix="alpha-bench-mpi-")) / "worker"
    subprocess.run([mpicc, "-O3", "-o", str(worker), str(HERE / "mpi_worker.c")], check=True)
    command = [mpirun, *MPIRUN, *way]

    def run(members: int, sizes: Sequence[int], seconds: float) -> Lines:
        lines = _read([[*command, "-np", str(members), str(worker), str(seconds), *map(str, sizes)]])
        return [{**line, "system": name} for line in lines]

    return run


def gloo(members: int, sizes: Sequence[int], seconds: float) -> Lines:
    return _ranks("gloo_worker.py", members, str(seconds), *map(str, sizes))


def data_parallel(members: int, model: str, steps: int) -> Lines:
    """PyTorch's DistributedDataParallel over gloo: one line, of so many steps."""
    return _ranks("ddp_worker.py", members, model, str(steps))


def _ranks(script: str, members: int, *arguments: str) -> Lines:
    """One process a rank of PyTorch's, each given rank, members and a free port before the arguments."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    worker = [sys.executable, str(HERE / script)]
    return _read([[*worker, str(rank), str(members), str(port), *arguments] for rank in range(members)])


def _tool(name: str) -> str | None:
    return shutil.which(f"{name}.openmpi")


def _read(commands: list[list[str]]) -> Lines:
    """Lines of the first of some processes that run together; none when they fail or hang."""
    with tempfile.TemporaryFile() as errors:
        running = [
            subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
            for words in commands
        ]
        try:
            texts = [process.communicate(timeout=TIMEOUT_S)[0] for process in running]
        except subprocess.TimeoutExpired:
            texts = [b""]
        finally:
            for process in running:
                process.kill()
                process.wait()
    return [json.loads(line) for line in texts[0].decode().splitlines() if line.startswith("{")]
