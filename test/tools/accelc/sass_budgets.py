#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds kernels to what they may cost in a GPU's own instructions: sass_budgets.py FILE SET, of a file that accelc --emit=sass
has written. docs/cuda.md has the table and says where the numbers come from.
"""

import re
import sys
from dataclasses import dataclass, field

LABEL = re.compile(r"\s*(\.L_x_\d+):")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,5}\*/\s+(?:@!?U?P\d+\s+)?(\S+)(.*);")
TARGET = re.compile(r"`\((\.L_x_\d+)\)")


@dataclass
class Budget:
    what: str
    kernels: str  # a pattern of the whole name
    per_byte: float  # instructions of a thread for each byte that it loads or stores
    uses: str = ""  # kernels with this instruction only: others have such names, too
    narrowest: int = 8  # access in bytes
    is_loop: bool = True  # counts the innermost loops, not all that a thread does once


BUDGETS = {}
BUDGETS["bf16"] = [
    Budget("GELU", r"sigmoid_\d+", 12.5),
    Budget("gradient of GELU", r"tanh_\d+", 10.0),
    # ptxas has unrolled the row; its mean and the inverse of its deviation are four bytes each.
    Budget("residual and LayerNorm", r"(gather_)?reduce_sum_rsqrt_\d+", 1.9, narrowest=4, is_loop=False),
    Budget("gradient of LayerNorm", r"reduce_sum_\d+", 1.9, uses="SHFL"),
    Budget("cross entropy and its gradient", r"reduce_sum_reduce_max_exp_\d+", 11.0),
    Budget("AdamW", r"sqrt_div_\d+", 2.0),
    Budget("cast", r"cast_[01]", 1.4),
]
BUDGETS["fp8"] = [
    Budget("transposed copy", r"copy_\d+", 0.5, uses="PRMT", narrowest=16, is_loop=False),
    # The scale has four bytes, and so has a word of four numbers that is stored by rows.
    Budget("cast and its transposed copy", r"mul_copy_\d+", 5.0, uses="PRMT", narrowest=4, is_loop=False),
]


@dataclass
class Kernel:
    instructions: list = field(default_factory=list)  # (name, operands)
    labels: dict = field(default_factory=dict)  # label -> number of the instruction behind it

    def loops(self):
        """The innermost loops that access global memory, as lists of instructions' names."""
        ends = []
        for last, (name, operands) in enumerate(self.instructions):
            target = TARGET.search(operands) if name.startswith("BRA") else None
            first = self.labels.get(target.group(1), last) if target else last
            if first < last:
                ends.append((first, last))
        inner = [a for a in ends if not any(a != b and a[0] <= b[0] and b[1] <= a[1] for b in ends)]
        bodies = [[name for name, _ in self.instructions[first : last + 1]] for first, last in inner]
        return [body for body in bodies if any(access_bytes(name) for name in body)]

    def whole(self):
        """The names of all instructions; what is behind the last end of a thread fills up."""
        names = [name for name, _ in self.instructions]
        return names[: len(names) - names[::-1].index("EXIT")]


def access_bytes(name):
    """What a load or store of global memory accesses; 0: it is none."""
    if not name.startswith(("LDG", "STG")):
        return 0
    parts = name.split(".")
    widths = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}
    return next((widths[part] for part in parts if part in widths), 4)


def read(path):
    kernels, current = {}, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(".text."):
                current = kernels.setdefault(line[len(".text.") :].split(":")[0], Kernel())
            elif current and (label := LABEL.match(line)):
                current.labels[label.group(1)] = len(current.instructions)
            elif current and (found := INSTRUCTION.match(line)):
                current.instructions.append(found.groups())
    return kernels


def check_loop(where, body, budget):
    """Describes what is wrong with a loop, or with a kernel."""
    widths = [access_bytes(name) for name in body if access_bytes(name)]
    cost = len(body) / sum(widths)
    print(f"{where}: {len(body)} instructions for {sum(widths)} bytes, {cost:.2f} for one; accesses of {sorted(set(widths))}")
    if min(widths) < budget.narrowest:
        yield f"{where}: expected accesses of {budget.narrowest} bytes or more, got one of {min(widths)}"
    if cost > budget.per_byte:
        yield f"{where}: expected at most {budget.per_byte} instructions for a byte, got {cost:.2f}"


def check(kernels, budget):
    loops = 0
    for name, kernel in kernels.items():
        names = [instruction for instruction, _ in kernel.instructions]
        is_meant = any(re.match(budget.uses, instruction) for instruction in names)
        if not re.fullmatch(budget.kernels, name) or not is_meant:
            continue
        if any(instruction.startswith(("LDL", "STL")) for instruction in names):
            yield f"{name}: expected no access of local memory, which spilled registers make"
        for body in kernel.loops() if budget.is_loop else [kernel.whole()]:
            loops += 1
            yield from check_loop(f"{budget.what}: {name}", body, budget)
    if loops == 0:
        yield f"{budget.what}: expected a kernel {budget.kernels}, got none: is it called otherwise now?"


def main():
    kernels = read(sys.argv[1])
    problems = [problem for budget in BUDGETS[sys.argv[2]] for problem in check(kernels, budget)]
    for problem in problems:
        print(f"error: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
