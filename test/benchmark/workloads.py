# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is trained: the model, its batch, and random data that both sides read.

Every builder returns the module with the same weights, so that both sides begin
with the same loss.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e" / "models"))
from architectures import Classifier  # noqa: E402
from exporting import export_dynamo  # noqa: E402

LEARNING_RATE = 1e-4
WEIGHT_DECAY = 0.01
CLIP_NORM = 1.0


def _gpt2(**sizes: int) -> nn.Module:
    torch.manual_seed(0)
    config = GPT2Config(
        **sizes,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = GPT2LMHeadModel(config)
    # A fresh model has equal norms and zero biases, which the exporter merges
    # and deletes: what is trained should be what a checkpoint holds.
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.02 * torch.randn(parameter.shape, generator=generator))
    return model


def _mlp() -> nn.Module:
    torch.manual_seed(0)
    return Classifier((784, 256, 128, 10), dropout=0.0)


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    batch: int
    length: int  # tokens of a sample; 0: a classifier of vectors
    build: Callable[[], nn.Module]
    steps: int  # that a round times
    is_attention: bool = False  # whether only its attention is timed

    def attention_shape(self) -> tuple[int, int, int, int]:
        """(batch, heads, tokens, size of a head)"""
        config = self.build().config
        size = config.n_embd // config.n_head
        return self.batch, config.n_head, self.length, size

    def attention_work(self) -> tuple[int, int] | None:
        """FLOPs of one layer's attention, causal: two products forward, five
        backward, half of each; None: a whole step is timed."""
        if not self.is_attention:
            return None
        batch, heads, tokens, size = self.attention_shape()
        return 7 * batch * heads * tokens * tokens * size, 0

    def export(self, path: Path) -> None:
        model = self.build().eval()
        if self.length:
            tokens = torch.zeros(2, self.length, dtype=torch.int64)
            inputs = {"input_ids": tokens}
        else:
            inputs = {"x": torch.zeros(2, 784)}
        export_dynamo(model, path, inputs, {0: "batch"}, weights="external")

    def optimizer_flags(self) -> list[str]:
        """accelc's, for what pytorch_worker.py does."""
        return [
            "--optimizer=adamw",
            f"--lr={LEARNING_RATE}",
            f"--weight-decay={WEIGHT_DECAY}",
            f"--clip-norm={CLIP_NORM}",
        ]

    def write_data(self, folder: Path, samples: int) -> list[str]:
        """Files for `samples` samples; returns accel-run's flags for them."""
        random = np.random.default_rng(7)
        if self.length:
            vocabulary = 50257 if "124m" in self.name else 96
            tokens = random.integers(0, vocabulary, samples * self.length + 1)
            file = folder / "tokens.bin"
            tokens.astype(np.uint16).tofile(file)
            return [f"--data={file}"]
        np.save(folder / "x.npy", random.standard_normal((samples, 784), np.float32))
        np.save(folder / "labels.npy", random.integers(0, 10, samples))
        return [f"--data=x={folder}/x.npy", f"--data=labels={folder}/labels.npy"]

    def read_batch(self, folder: Path, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The batch of a step, rows in order."""
        first = step * self.batch
        if self.length:
            tokens = np.fromfile(folder / "tokens.bin", np.uint16).astype(np.int64)
            rows = [
                tokens[i * self.length : (i + 1) * self.length + 1]
                for i in range(first, first + self.batch)
            ]
            block = torch.from_numpy(np.stack(rows))
            return block[:, :-1].contiguous(), block[:, 1:].contiguous()
        x = np.load(folder / "x.npy")[first : first + self.batch]
        labels = np.load(folder / "labels.npy")[first : first + self.batch]
        return torch.from_numpy(x), torch.from_numpy(labels)


def _attention(tokens: int, steps: int) -> Workload:
    return Workload(
        f"attention-t{tokens}",
        f"attention, 4 x {tokens}, 12 x 64",
        4,
        tokens,
        lambda: _gpt2(
            vocab_size=96, n_positions=tokens, n_embd=768, n_layer=2, n_head=12
        ),
        steps,
        is_attention=True,
    )


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("gpt2-124m-t64", "GPT-2 124M, 4 x 64", 4, 64, _gpt2, 4),
        Workload("gpt2-124m-t256", "GPT-2 124M, 4 x 256", 4, 256, _gpt2, 3),
        Workload(
            "character",
            "character model, 8 x 256",
            8,
            256,
            lambda: _gpt2(
                vocab_size=96, n_positions=256, n_embd=384, n_layer=6, n_head=6
            ),
            6,
        ),
        Workload("mlp", "MLP, 32", 32, 0, _mlp, 400),
        _attention(256, 8),
        _attention(1024, 4),
    )
}
