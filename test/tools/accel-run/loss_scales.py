# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the loss scales that a run has recorded with the published state machines.

Both are written from their documentation and know nothing of the plan: they are given the overflows of the run, and say
which scale each step must have used. `against-torch` checks the first of them with torch.amp.GradScaler itself.
"""
import argparse
import json
import random


class GradScaler:
    """torch.amp.GradScaler: init_scale 2^16, growth_factor 2, backoff_factor 0.5, growth_interval 2000."""

    def __init__(self, interval=2000):
        self.scale, self.interval, self.tracker = 2.0**16, interval, 0

    def update(self, found_inf):
        if found_inf:
            self.scale *= 0.5
            self.tracker = 0
            return
        self.tracker += 1
        if self.tracker == self.interval:
            self.scale *= 2.0
            self.tracker = 0


class DynamicGradScaler:
    """Megatron-LM's: initial_scale 2^32, min_scale 1, growth_interval 1000, hysteresis 2."""

    def __init__(self, interval=1000):
        self.scale, self.interval, self.hysteresis = 2.0**32, interval, 2
        self.tracker, self.left = 0, 2

    def update(self, found_inf):
        if found_inf:
            self.tracker = 0
            self.left -= 1
            if self.left <= 0:
                self.scale = max(self.scale * 0.5, 1.0)
        else:
            self.tracker += 1
            if self.tracker == self.interval:
                self.tracker = 0
                self.left = self.hysteresis
                self.scale *= 2.0


MACHINES = {"torch": GradScaler, "megatron": DynamicGradScaler}


def check(path, machine, overflows):
    """Raises unless every step of the run used the machine's scale, and at least `overflows` of them overflowed."""
    skipped = 0
    found = 0
    with open(path) as lines:
        for line in map(json.loads, lines):
            assert line["loss_scale"] == machine.scale, f"step {line['step']}: {line['loss_scale']}, not {machine.scale}"
            overflowed = line["skipped_steps"] > skipped
            assert overflowed == (line["grad_norm"] is None), line
            skipped = line["skipped_steps"]
            found += overflowed
            machine.update(overflowed)
    assert found >= overflows, f"{found} overflows: the run says nothing of them"


def compare_with_torch():
    import torch

    for interval in (3, 2000):
        ours = GradScaler(interval)
        theirs = torch.amp.GradScaler("cpu", growth_interval=interval)
        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([weight], lr=0.0)
        rng = random.Random(1)
        for step in range(5000):
            overflow = rng.random() < (0.2 if interval == 3 else 0.0004) and ours.scale > 1
            theirs.scale(weight.sum() * (float("inf") if overflow else 1.0)).backward()
            theirs.step(optimizer)
            theirs.update()
            optimizer.zero_grad()
            ours.update(overflow)
            assert theirs.get_scale() == ours.scale, (step, theirs.get_scale(), ours.scale)
            if ours.scale > 2.0**60:
                break


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", choices=[*MACHINES, "against-torch"])
    parser.add_argument("metrics", nargs="?")
    parser.add_argument("--interval", type=int)
    parser.add_argument("--overflows", type=int, default=0)
    options = parser.parse_args()
    if options.policy == "against-torch":
        compare_with_torch()
    else:
        machine = MACHINES[options.policy]
        check(options.metrics, machine(options.interval) if options.interval else machine(), options.overflows)
