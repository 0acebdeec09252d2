# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a workload in PyTorch, so many steps for every line it reads.

It writes a line when it is ready. Every line on standard input is a number of
steps; the answer is one line of JSON: seconds and loss of each step, and the
process's largest resident size.
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
from workloads import CLIP_NORM, LEARNING_RATE, WEIGHT_DECAY, WORKLOADS, Workload


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


def read_loss(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    logits = model(x)
    logits = getattr(logits, "logits", logits)
    return functional.cross_entropy(logits.flatten(0, -2), y.flatten())


def make_step(model: nn.Module, compiles: bool, autocasts: bool):
    """A training step: from a batch to its loss."""
    optimizer = make_optimizer(model)

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return read_loss(model, x, y)

    function = torch.compile(loss_of) if compiles else loss_of

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=autocasts):
            loss = function(x, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
        optimizer.step()
        return loss

    return step


def make_attention(workload: Workload, compiles: bool):
    """One layer's attention, forward and backward, on operands that lie as
    PyTorch's kernel likes them best. Returns nothing."""
    shape = workload.attention_shape()
    q, k, v = (torch.randn(shape, requires_grad=True) for _ in range(3))
    gradient = torch.randn(shape)

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    function = torch.compile(attend) if compiles else attend

    def step(x: torch.Tensor, y: torch.Tensor) -> None:
        torch.autograd.grad(function(q, k, v), (q, k, v), gradient)

    return step


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workload", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--autocast", action="store_true", help="to bf16")
    parser.add_argument("--channels-last", action="store_true", help="of images")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(arguments.threads)
    workload = WORKLOADS[arguments.workload]
    layout = torch.channels_last if arguments.channels_last else torch.preserve_format
    model = workload.build().train().to(memory_format=layout)
    if workload.is_attention:
        function = make_attention(workload, arguments.compile)
    else:
        function = make_step(model, arguments.compile, arguments.autocast)
    print("ready", flush=True)
    step = 0
    for line in sys.stdin:
        seconds, losses = [], []
        for _ in range(int(line)):
            x, y = workload.read_batch(arguments.data, step)
            x = x.to(memory_format=layout)
            step += 1
            begin = time.perf_counter()
            loss = function(x, y)
            seconds.append(time.perf_counter() - begin)
            if workload.is_attention:
                loss = read_loss(model, x, y).detach() if step == 1 else None
            losses.append(None if loss is None else loss.item())
        answer = {"seconds": seconds, "losses": losses, "peak_bytes": peak_bytes()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
