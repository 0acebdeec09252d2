# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a training step of a GPT-2, or of a ResNet-50, in PyTorch on a GPU, as plans of gpu-check compute it: one line of JSON.

usage: measure_pytorch.py f32|tf32|bf16 eager|compile LENGTH MODEL, where MODEL is JSON: size, layers, heads, or image, its size; and batch, microbatches, steps

If a microbatch does not fit the GPU's memory, it takes twice as many of half the size; the JSON says of how many samples.
"""

import json
import sys
import time

import torch
from resnet import CLASSES, ResNet50
from torch import nn
from torch.nn import functional

VOCABULARY = 50257
WARM_UP = 3


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        batch, length, size = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(size, dim=2))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, size))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, length, size, layers, heads):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, size), nn.Embedding(length, size)
        self.blocks = nn.ModuleList(Block(size, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class Images(nn.Module):
    """Channels last, as plans have them, and PyTorch is faster with them."""

    def __init__(self):
        super().__init__()
        self.model = ResNet50().to(memory_format=torch.channels_last)

    def forward(self, images, labels):
        return functional.cross_entropy(self.model(images).float(), labels)


def make_data(options, length):
    """What the model takes of a step: inputs and targets."""
    samples = options["batch"] * options["microbatches"]
    if "image" in options:
        images = torch.randn(samples, 3, options["image"], options["image"], device="cuda").to(memory_format=torch.channels_last)
        return images, torch.randint(0, CLASSES, (samples,), device="cuda")
    tokens = torch.randint(0, VOCABULARY, (samples, length + 1), device="cuda")
    return tokens[:, :-1], tokens[:, 1:]


def make_step(model, precision, compiles):
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=1e-4, fused=True)
    function = torch.compile(model, mode="reduce-overhead") if compiles else model

    def step(data, batch):
        optimizer.zero_grad(set_to_none=True)
        total = 0
        for inputs, targets in zip(*(each.split(batch) for each in data)):
            if compiles:
                torch.compiler.cudagraph_mark_step_begin()
            with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                loss = function(inputs, targets) * (batch / len(data[0]))
            loss.backward()
            total = total + loss.detach()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return total.item()

    return step


def measure(model, options, length, batch, precision, compiles):
    step = make_step(model, precision, compiles)
    data = make_data(options, length)
    seconds = []
    for _ in range(WARM_UP + options["steps"]):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = step(data, batch)
        seconds.append(time.perf_counter() - begin)
    return {"version": torch.__version__, "batch": batch, "seconds": seconds[WARM_UP:], "loss": loss, "peak_bytes": torch.cuda.max_memory_allocated()}


def main():
    precision, mode, length, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
    # As plans do, which say so if they take TF32.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    # Ours take engines that give the same bits each time, and so should these; they may try which is the fastest.
    torch.backends.cudnn.deterministic = torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = (Images() if "image" in options else Gpt2(length, options["size"], options["layers"], options["heads"])).train()
    batch = options["batch"]
    while True:
        try:
            print(json.dumps(measure(model, options, length, batch, precision, mode == "compile")))
            return
        except torch.OutOfMemoryError:
            if batch == 1:
                raise
            batch //= 2
        model.zero_grad(set_to_none=True)
        torch.compiler.reset()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
