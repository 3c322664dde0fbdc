"""One rank of gloo: `gloo_worker.py RANK MEMBERS PORT SECONDS SIZE ...`; rank 0 prints the lines."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist


def measure(size: int, seconds: float) -> None:
    """A checked sum of ones, a few to warm up, then as many as fit into the time."""
    members = dist.get_world_size()
    array = torch.ones(size // 4)
    dist.all_reduce(array)
    assert bool((array == members).all())
    array.zero_()
    warm = 1 if size > 1 << 22 else 10
    begin = time.perf_counter()
    for _ in range(warm):
        dist.all_reduce(array)
    each = (time.perf_counter() - begin) / warm
    count = torch.tensor([max(5, min(5000, int(seconds / each)))])
    dist.broadcast(count, 0)
    walls, spent = [], time.process_time()
    for _ in range(int(count)):
        start = time.perf_counter()
        dist.all_reduce(array)
        walls.append(1e6 * (time.perf_counter() - start))
    cpu = torch.tensor([1e6 * (time.process_time() - spent) / len(walls)])
    dist.all_reduce(cpu)
    if dist.get_rank() == 0:
        line = {
            "system": "gloo",
            "n": members,
            "bytes": size,
            "median_us": round(statistics.median(walls), 2),
        }
        print(
            json.dumps(
                line | {"min_us": round(min(walls), 2), "cpu_us": round(float(cpu), 2), "iters": len(walls)}
            )
        )


def main() -> None:
    rank, members, port = sys.argv[1:4]
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "GLOO_SOCKET_IFNAME": "lo"}
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=int(rank), world_size=int(members))
    for size in map(int, sys.argv[5:]):
        measure(size, float(sys.argv[4]))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
