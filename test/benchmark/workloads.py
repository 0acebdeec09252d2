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
from transformers import (
    BertConfig,
    BertForMaskedLM,
    ConvNextConfig,
    ConvNextForImageClassification,
    GPT2Config,
    GPT2LMHeadModel,
    MobileNetV2Config,
    MobileNetV2ForImageClassification,
    ResNetConfig,
    ResNetForImageClassification,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e" / "models"))
from architectures import Classifier  # noqa: E402
from against_product import FEATURES  # noqa: E402
from convolutions import Convolutions  # noqa: E402

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
class Text:
    """Rows of one token file; a row's targets are its tokens, one further on."""

    length: int
    vocabulary: int

    def inputs(self) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.zeros(2, self.length, dtype=torch.int64)}

    def write(self, folder: Path, samples: int) -> list[str]:
        random = np.random.default_rng(7)
        tokens = random.integers(0, self.vocabulary, samples * self.length + 1)
        file = folder / "tokens.bin"
        tokens.astype(np.uint16).tofile(file)
        return [f"--data={file}"]

    def read(self, folder: Path, rows: range) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = np.fromfile(folder / "tokens.bin", np.uint16).astype(np.int64)
        pieces = [tokens[i * self.length : (i + 1) * self.length + 1] for i in rows]
        block = torch.from_numpy(np.stack(pieces))
        return block[:, :-1].contiguous(), block[:, 1:].contiguous()


@dataclasses.dataclass(frozen=True)
class Arrays:
    """An array of inputs, normal or (`vocabulary`) tokens, and one of classes."""

    name: str
    shape: tuple[int, ...]
    classes: int
    targets: tuple[int, ...] = ()
    vocabulary: int = 0
    labelled: float = 1.0  # of the targets; the others are -100

    def make(self, random: np.random.Generator, samples: int) -> np.ndarray:
        shape = (samples, *self.shape)
        if self.vocabulary:
            return random.integers(0, self.vocabulary, shape)
        return random.standard_normal(shape, np.float32)

    def inputs(self) -> dict[str, torch.Tensor]:
        return {self.name: torch.from_numpy(self.make(np.random.default_rng(7), 2))}

    def write(self, folder: Path, samples: int) -> list[str]:
        random = np.random.default_rng(7)
        np.save(folder / "x.npy", self.make(random, samples))
        labels = random.integers(0, self.classes, (samples, *self.targets))
        labels[random.random(labels.shape) >= self.labelled] = -100
        np.save(folder / "labels.npy", labels)
        return [f"--data={self.name}={folder}/x.npy", f"--data=labels={folder}/labels.npy"]

    def read(self, folder: Path, rows: range) -> tuple[torch.Tensor, torch.Tensor]:
        x, labels = (
            np.load(folder / f"{name}.npy", mmap_mode="r")[rows.start : rows.stop].copy()
            for name in ("x", "labels")
        )
        return torch.from_numpy(x), torch.from_numpy(labels)


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    batch: int
    data: Text | Arrays
    build: Callable[[], nn.Module]
    steps: int  # that a round times
    is_attention: bool = False  # whether only its attention is timed
    # What the default exporter would merge, batch norms, or fold.
    is_exported_as_it_is: bool = False
    flags: tuple[str, ...] = ()  # more of accelc's

    def is_image(self) -> bool:
        return isinstance(self.data, Arrays) and len(self.data.shape) == 3

    def attention_shape(self) -> tuple[int, int, int, int]:
        """(batch, heads, tokens, size of a head)"""
        config = self.build().config
        size = config.n_embd // config.n_head
        return self.batch, config.n_head, self.data.length, size

    def attention_work(self) -> tuple[int, int] | None:
        """FLOPs of one layer's attention, causal: two products forward, five
        backward, half of each; None: a whole step is timed."""
        if not self.is_attention:
            return None
        batch, heads, tokens, size = self.attention_shape()
        return 7 * batch * heads * tokens * tokens * size, 0

    def export(self, path: Path) -> None:
        model = self.build().train()
        inputs = self.data.inputs()
        shapes = {name: {0: torch.export.Dim("batch")} for name in inputs}
        torch.onnx.export(
            model,
            (),
            path,
            kwargs=inputs,
            dynamo=True,
            optimize=not self.is_exported_as_it_is,
            input_names=list(inputs),
            output_names=["logits"],
            dynamic_shapes=shapes,
            verbose=False,
        )

    def training_flags(self) -> list[str]:
        """accelc's, for what pytorch_worker.py does."""
        return [
            "--optimizer=adamw",
            f"--lr={LEARNING_RATE}",
            f"--weight-decay={WEIGHT_DECAY}",
            f"--clip-norm={CLIP_NORM}",
            *self.flags,
        ]

    def write_data(self, folder: Path, samples: int) -> list[str]:
        """Files for `samples` samples; returns accel-run's flags for them."""
        return self.data.write(folder, samples)

    def read_batch(self, folder: Path, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The batch of a step, rows in order."""
        first = step * self.batch
        return self.data.read(folder, range(first, first + self.batch))


def _attention(tokens: int, steps: int) -> Workload:
    return Workload(
        f"attention-t{tokens}",
        f"attention, 4 x {tokens}, 12 x 64",
        4,
        Text(tokens, 96),
        lambda: _gpt2(
            vocab_size=96, n_positions=tokens, n_embd=768, n_layer=2, n_head=12
        ),
        steps,
        is_attention=True,
    )


def _vision(
    name: str, title: str, batch: int, size: int, classes: int, model: type, config
) -> Workload:
    def build() -> nn.Module:
        torch.manual_seed(0)
        return model(config)

    config.num_labels = classes
    images = Arrays("pixel_values", (3, size, size), classes)
    return Workload(name, title, batch, images, build, 5, is_exported_as_it_is=True)


def _bert() -> nn.Module:
    torch.manual_seed(0)
    config = BertConfig(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return BertForMaskedLM(config)


CONVOLUTIONS_BATCH = 8


def _convolutions() -> nn.Module:
    torch.manual_seed(0)
    return Convolutions(CONVOLUTIONS_BATCH)


ALL = (
    Workload("gpt2-124m-t64", "GPT-2 124M, 4 x 64", 4, Text(64, 50257), _gpt2, 4),
    Workload("gpt2-124m-t256", "GPT-2 124M, 4 x 256", 4, Text(256, 50257), _gpt2, 3),
    Workload(
        "character",
        "character model, 8 x 256",
        8,
        Text(256, 96),
        lambda: _gpt2(vocab_size=96, n_positions=256, n_embd=384, n_layer=6, n_head=6),
        6,
    ),
    Workload("mlp", "MLP, 32", 32, Arrays("x", (784,), 10), _mlp, 400),
    _attention(256, 8),
    _attention(1024, 4),
    _vision(
        "resnet18",
        "ResNet-18, 32 x 3 x 32 x 32",
        32,
        32,
        10,
        ResNetForImageClassification,
        ResNetConfig(
            layer_type="basic", depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512]
        ),
    ),
    _vision(
        "resnet50",
        "ResNet-50, 8 x 3 x 64 x 64",
        8,
        64,
        1000,
        ResNetForImageClassification,
        ResNetConfig(),
    ),
    _vision(
        "mobilenet-v2",
        "MobileNet-V2, 8 x 3 x 64 x 64",
        8,
        64,
        1000,
        MobileNetV2ForImageClassification,
        MobileNetV2Config(tf_padding=False, classifier_dropout_prob=0.0),
    ),
    _vision(
        "convnext-t",
        "ConvNeXt-T, 8 x 3 x 64 x 64",
        8,
        64,
        1000,
        ConvNextForImageClassification,
        ConvNextConfig(),
    ),
    Workload(
        "bert-base",
        "BERT-base, 8 x 128",
        8,
        Arrays("input_ids", (128,), 30522, targets=(128,), vocabulary=30522),
        _bert,
        3,
        is_exported_as_it_is=True,
    ),
    Workload(
        "bert-base-masked",
        "BERT-base, 8 x 128, labels for 15 %",
        8,
        Arrays(
            "input_ids",
            (128,),
            30522,
            targets=(128,),
            vocabulary=30522,
            labelled=0.15,
        ),
        _bert,
        3,
        is_exported_as_it_is=True,
        flags=("--sparse-prediction",),
    ),
    Workload(
        "convolutions",
        "convolutions, batch of 8",
        CONVOLUTIONS_BATCH,
        Arrays("x", (FEATURES,), 10),
        _convolutions,
        8,
        is_exported_as_it_is=True,
    ),
)
WORKLOADS = {workload.name: workload for workload in ALL}
