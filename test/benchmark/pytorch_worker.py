# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a workload in PyTorch, so many steps for every line it reads.

Every line on standard input is a number of steps; the answer is one line of
JSON: seconds and loss of each step, and the process's largest resident size.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from workloads import CLIP_NORM, LEARNING_RATE, WEIGHT_DECAY, WORKLOADS


def make_optimizer(model: nn.Module) -> torch.optim.Optimizer:
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others}]
    return torch.optim.AdamW(groups, lr=LEARNING_RATE, weight_decay=0.0, fused=True)


def peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("no VmHWM in /proc/self/status")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workload", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(arguments.threads)
    workload = WORKLOADS[arguments.workload]
    model = workload.build().train()
    optimizer = make_optimizer(model)

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        logits = model(x)
        logits = getattr(logits, "logits", logits)
        return functional.cross_entropy(logits.flatten(0, -2), y.flatten())

    function = torch.compile(loss_of) if arguments.compile else loss_of
    step = 0
    for line in sys.stdin:
        seconds, losses = [], []
        for _ in range(int(line)):
            x, y = workload.read_batch(arguments.data, step)
            step += 1
            begin = time.perf_counter()
            optimizer.zero_grad(set_to_none=True)
            loss = function(x, y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
            optimizer.step()
            seconds.append(time.perf_counter() - begin)
            losses.append(loss.item())
        answer = {"seconds": seconds, "losses": losses, "peak_bytes": peak_bytes()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
