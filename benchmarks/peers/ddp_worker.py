"""One rank of PyTorch's DistributedDataParallel: `ddp_worker.py RANK MEMBERS PORT MODEL STEPS`.

Rank 0 prints a line: seconds of the clock and of all ranks' processors in so many steps, and how long it took
from the process's start to the end of the first one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from models import MODELS, RATE
from torch import nn

WARM = 3


def network(state: dict[str, torch.Tensor]) -> nn.Module:
    """The layers that a model's state is of: a line, or two with ReLU between them."""
    if "w" in state:
        layers = [nn.Linear(state["w"].shape[0], 1)]
        values = [(state["w"][None], state["b"][None])]
    else:
        layers = [nn.Linear(*state[name].shape) for name in ("w1", "w2")]
        values = [(state["w1"].T, state["b1"]), (state["w2"].T, state["b2"])]
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, values, strict=True):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1]) if len(layers) == 2 else layers[0]


def since_start_s() -> float:
    """Of this process, its imports included."""
    fields = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()
    return time.clock_gettime(time.CLOCK_BOOTTIME) - float(fields[19]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    rank, members, port, name, count = sys.argv[1:6]
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "GLOO_SOCKET_IFNAME": "lo"}
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=int(rank), world_size=int(members))
    model = MODELS[name]()
    share = slice(int(rank), None, int(members))
    x, y = (torch.from_numpy(each[share].copy()) for each in model.samples)
    net = nn.parallel.DistributedDataParallel(
        network({k: torch.from_numpy(v) for k, v in model.state.items()})
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        out = net(x)
        loss = (
            nn.functional.cross_entropy(out, y.long())
            if y.dtype == torch.int32
            else ((out[:, 0] - y) ** 2).mean()
        )
        loss.backward()
        optimizer.step()

    step()
    first_s = since_start_s()
    for _ in range(WARM):
        step()
    start, spent = time.perf_counter(), time.process_time()
    for _ in range(int(count)):
        step()
    wall_s = time.perf_counter() - start
    cpu = torch.tensor([time.process_time() - spent])
    dist.all_reduce(cpu)
    if rank == "0":
        print(json.dumps({"wall_s": wall_s, "cpu_s": float(cpu), "first_s": first_s}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
