# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times GPT-2 124M's training step in PyTorch on a GPU, as plans of gpu-check compute it: one line of JSON.

usage: measure_pytorch.py f32|tf32|bf16 eager|compile BATCH LENGTH STEPS
"""

import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

VOCABULARY, SIZE, LAYERS, HEADS = 50257, 768, 12, 12
WARM_UP = 5


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(SIZE), nn.LayerNorm(SIZE)
        self.qkv, self.out = nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
        self.up, self.down = nn.Linear(SIZE, 4 * SIZE), nn.Linear(4 * SIZE, SIZE)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(SIZE, dim=2))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, SIZE))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, SIZE), nn.Embedding(length, SIZE)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(SIZE)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def make_step(model, precision, compiles):
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=1e-4, fused=True)
    function = torch.compile(model, mode="reduce-overhead") if compiles else model

    def step(ids, targets):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = function(ids, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


def main():
    precision, mode, batch, length, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    # As plans do, which say so if they take TF32.
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.manual_seed(0)
    model = Gpt2(length).cuda().train()
    step = make_step(model, precision, mode == "compile")
    data = torch.randint(0, VOCABULARY, (batch, length + 1), device="cuda")
    seconds = []
    for _ in range(WARM_UP + steps):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = step(data[:, :-1], data[:, 1:]).item()
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"version": torch.__version__, "seconds": seconds[WARM_UP:], "loss": loss, "peak_bytes": torch.cuda.max_memory_allocated()}))


if __name__ == "__main__":
    main()
