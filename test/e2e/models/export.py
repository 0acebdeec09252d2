#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the ONNX files of the end-to-end tests: NAME/model.onnx, NAME/opsetN.onnx.

    python export.py                 # all of them
    python export.py gpt2 decoder18  # some

README.md beside this file says what is peculiar about each.
"""

from __future__ import annotations

import argparse
import warnings

import architectures
import mixture
import noisy
import rebuilt
import recurrent
import torch
from exporting import HERE, export_dynamo, export_torchscript
from torch import nn


def _tokens(batch: int, length: int) -> torch.Tensor:
    return torch.zeros(batch, length, dtype=torch.int64)


def _gpt2(name: str, model: nn.Module, dims: dict[int, str], weights="inside"):
    inputs = {"input_ids": _tokens(2, 32)}
    export_dynamo(model, HERE / name / "model.onnx", inputs, dims, weights=weights)


def gpt2(name: str) -> None:
    _gpt2(name, architectures.gpt2().eval(), {0: "batch"})


def gpt2_fresh(name: str) -> None:
    """As most people export: new weights, so equal tensors are merged."""
    _gpt2(name, architectures.gpt2(fresh=True).eval(), {0: "batch"})


def gpt2_dropout(name: str) -> None:
    """The default p = 0.1; train() is what makes the exporter write Dropout."""
    _gpt2(name, architectures.gpt2(dropout=0.1).train(), {0: "batch"})


def gpt2_symbolic(name: str) -> None:
    _gpt2(name, architectures.gpt2().eval(), {0: "batch", 1: "seq"}, "external")


def gpt2_static(name: str) -> None:
    _gpt2(name, architectures.gpt2().eval(), {})


def _gpt2_with_loss() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    """With the model's own loss and dropout, and its inputs."""
    model = architectures.gpt2(dropout=0.1, kind=architectures.Gpt2WithLoss).train()
    inputs = {
        "input_ids": _tokens(2, 32),
        "attention_mask": torch.ones(2, 32, dtype=torch.int64),
        "labels": _tokens(2, 32),
    }
    return model, inputs


def gpt2_loss(name: str) -> None:
    """For training with the model's own loss: labels in, loss out."""
    model, inputs = _gpt2_with_loss()
    path = HERE / name / "model.onnx"
    export_torchscript(model, path, inputs, True, ("loss", "logits"))


def gpt2_loss23(name: str) -> None:
    """The same by the default exporter: with dropout, opset 23 adds a boolean
    mask to the scores."""
    model, inputs = _gpt2_with_loss()
    path = HERE / name / "model.onnx"
    export_dynamo(model, path, inputs, {0: "batch"}, 23, outputs=("loss", "logits"))


def gpt2_positions(name: str) -> None:
    """All that Hugging Face's forward takes as inputs, the default exporter."""
    model = architectures.gpt2(kind=architectures.Gpt2WithPositions).eval()
    inputs = {
        "input_ids": _tokens(2, 32),
        "attention_mask": torch.ones(2, 32, dtype=torch.int64),
        "position_ids": torch.arange(32).expand(2, 32).contiguous(),
        "labels": _tokens(2, 32),
    }
    path = HERE / name / "model.onnx"
    export_dynamo(model, path, inputs, {0: "batch"}, outputs=("loss", "logits"))


def gpt2_opsets(name: str) -> None:
    """The weights are those of `gpt2`, once for all operator sets."""
    path, data = HERE / name, b""
    for opset in (18, 19, 21, 22, 23):
        export_dynamo(
            architectures.gpt2().eval(),
            path / f"opset{opset}.onnx",
            {"input_ids": _tokens(2, 32)},
            {0: "batch"},
            opset,
            weights="external",
            data_name="weights.data",
        )
        before, data = data, (path / "weights.data").read_bytes()
        if before not in (b"", data):
            raise SystemExit(f"{name}: opset {opset} stores other weights")


def _grouped(name: str, model: nn.Module, opset: int | None = None) -> None:
    path = HERE / name / "model.onnx"
    inputs = {"input_ids": _tokens(2, 32)}
    export_dynamo(model.eval(), path, inputs, {0: "batch"}, opset)


def llama20(name: str) -> None:
    _grouped(name, architectures.llama(), opset=20)


def llama23(name: str) -> None:
    _grouped(name, architectures.llama(), opset=23)


def qwen3(name: str) -> None:
    _grouped(name, architectures.qwen3())


def mistral(name: str) -> None:
    _grouped(name, architectures.mistral())


def gemma(name: str) -> None:
    _grouped(name, architectures.gemma())


def indexing(name: str) -> None:
    path = HERE / name / "model.onnx"
    inputs = {"x": torch.zeros(2, 21)}
    export_dynamo(architectures.indexing(), path, inputs, {0: "batch"})


def experts(name: str) -> None:
    path = HERE / name / "model.onnx"
    inputs = {"x": torch.zeros(2, 21)}
    export_dynamo(mixture.experts(), path, inputs, {0: "batch"})


def lstm(name: str) -> None:
    """Three exports: weights folded, as they are with nodes that reorder them, and
    the old exporter's."""
    inputs, path = {"x": torch.zeros(2, 21)}, HERE / name
    for file, optimize in (("model.onnx", True), ("unfolded.onnx", False)):
        export_dynamo(
            recurrent.lstm(), path / file, inputs, {0: "batch"}, optimize=optimize
        )
    export_torchscript(recurrent.lstm(), path / "torchscript.onnx", inputs, True)


def gru(name: str) -> None:
    inputs = {"tokens": _tokens(2, 12)}
    export_dynamo(recurrent.gru(), HERE / name / "model.onnx", inputs, {0: "batch"})


def mlp_noise(name: str) -> None:
    """Random numbers, by both exporters."""
    inputs, path = {"x": torch.zeros(2, 21)}, HERE / name
    export_dynamo(noisy.mlp_noise(), path / "model.onnx", inputs, {0: "batch"})
    export_torchscript(noisy.mlp_noise(), path / "torchscript.onnx", inputs, True)


def reducing(name: str) -> None:
    path = HERE / name / "model.onnx"
    export_dynamo(noisy.reducing(), path, {"x": torch.zeros(2, 21)}, {0: "batch"})


def folded(name: str) -> None:
    path = HERE / name / "model.onnx"
    export_dynamo(architectures.folded(), path, {"x": torch.zeros(2, 21)}, {0: "batch"})


def rebuilt_weights(name: str) -> None:
    path = HERE / name / "model.onnx"
    export_dynamo(rebuilt.rebuilt(), path, {"x": torch.zeros(2, 21)}, {0: "batch"})


def _decoder(name: str, model: nn.Module, length: int, opset: int) -> None:
    path = HERE / name / "model.onnx"
    inputs = {"tokens": _tokens(2, length)}
    export_dynamo(model.eval(), path, inputs, {0: "batch"}, opset)


def decoder16(name: str) -> None:
    _decoder(name, architectures.decoder16(), length=32, opset=23)


def decoder18(name: str) -> None:
    _decoder(name, architectures.decoder(40, seed=11), length=24, opset=18)


def decoder23(name: str) -> None:
    _decoder(name, architectures.decoder(24, seed=13), length=24, opset=23)


def mlp(name: str) -> None:
    model = architectures.mlp().train()
    export_torchscript(
        model, HERE / name / "model.onnx", {"x": torch.zeros(2, 21)}, True
    )


def activations(name: str) -> None:
    inputs = {"x": torch.zeros(2, 21)}
    model = architectures.activations().train()
    export_torchscript(model, HERE / name / "model.onnx", inputs, True)


def convnet(name: str) -> None:
    inputs = {"image": torch.zeros(2, 3, 13, 11)}
    path = HERE / name / "model.onnx"
    export_dynamo(architectures.convnet().train(), path, inputs, {0: "batch"})


def mlp16(name: str) -> None:
    inputs = {"x": torch.zeros(16, 32)}
    export_torchscript(architectures.mlp16(), HERE / name / "model.onnx", inputs, True)


def mlp_dropout(name: str) -> None:
    model = architectures.mlp(dropout=0.1).train()
    export_torchscript(
        model, HERE / name / "model.onnx", {"x": torch.zeros(2, 21)}, True
    )


def mlp_folded(name: str) -> None:
    """Rank-3 input: Transpose(weight) + MatMul, which eval mode folds."""
    model = architectures.mlp().eval()
    x = torch.zeros(2, 3, 21)
    export_torchscript(model, HERE / name / "model.onnx", {"x": x}, training=False)


def mlp_smoothing(name: str) -> None:
    """The exporter drops label_smoothing and says nothing."""
    model = architectures.Smoothed(architectures.mlp()).eval()
    inputs = {"x": torch.zeros(2, 21), "labels": torch.zeros(2, dtype=torch.int64)}
    path = HERE / name / "model.onnx"
    export_dynamo(model, path, inputs, {0: "batch"}, outputs=("loss", "logits"))


def mlp_weighted(name: str) -> None:
    """Weights of classes beside label smoothing, which is dropped."""
    model = architectures.Weighted(architectures.mlp()).eval()
    inputs = {"x": torch.zeros(2, 21), "labels": torch.zeros(2, dtype=torch.int64)}
    path = HERE / name / "model.onnx"
    export_dynamo(model, path, inputs, {0: "batch"}, outputs=("loss", "logits"))


def two_heads(name: str) -> None:
    """By the old exporter: the new one folds the penalty."""
    inputs = {
        "x": torch.zeros(2, 21),
        "labels": torch.zeros(2, dtype=torch.int64),
        "y": torch.zeros(2, 3),
    }
    path = HERE / name / "model.onnx"
    model = architectures.two_heads().train()
    export_torchscript(model, path, inputs, True, ("loss", "logits"))


def _masked_lm_inputs() -> dict[str, torch.Tensor]:
    return {"ids": _tokens(2, 10), "labels": _tokens(2, 10)}


def masked_lm(name: str) -> None:
    """Positions lie in front of samples in all of the encoder."""
    path, inputs = HERE / name / "model.onnx", _masked_lm_inputs()
    model = architectures.masked_lm().train()
    export_dynamo(model, path, inputs, {0: "batch"}, outputs=("loss", "logits"))


def masked_lm_dropout(name: str) -> None:
    """By the old exporter, which divides heads by Mod and tells attention's
    dropout."""
    path = HERE / name / "model.onnx"
    model = architectures.masked_lm(dropout=0.1).train()
    export_torchscript(model, path, _masked_lm_inputs(), True, ("loss", "logits"))


def norm_folded(name: str) -> None:
    """The default exporter merges a batch norm with the layer before it."""
    torch.manual_seed(9)
    model = architectures.perturb(architectures.Normalized(), 10).eval()
    inputs = {"x": torch.zeros(2, 5)}
    export_dynamo(model, HERE / name / "model.onnx", inputs, {0: "batch"})


def batch_norm(name: str) -> None:
    inputs = {"x": torch.zeros(2, 5)}
    path = HERE / name / "model.onnx"
    export_dynamo(architectures.batch_norm().train(), path, inputs, {0: "batch"})
    # What the old exporter writes, with the mode in the nodes.
    model = architectures.batch_norm().train()
    export_torchscript(model, HERE / name / "torchscript.onnx", inputs, True)
    # Of a model in eval mode, whose batch norms keep their statistics.
    path = HERE / name / "eval.onnx"
    export_dynamo(architectures.batch_norm().eval(), path, inputs, {0: "batch"})


def batch_norm_fresh(name: str) -> None:
    """The default export merges equal weights, biases and statistics."""
    inputs = {"x": torch.zeros(2, 5)}
    model = architectures.batch_norm(fresh=True).train()
    export_dynamo(model, HERE / name / "model.onnx", inputs, {0: "batch"})


def gpt2_lora(name: str) -> None:
    """The file does not say that PEFT froze the base."""
    _gpt2(name, architectures.gpt2_lora().eval(), {0: "batch"})


def padding(name: str) -> None:
    model = architectures.padded_decoder().eval()
    inputs = {"tokens": _tokens(2, 8)}
    export_dynamo(model, HERE / name / "model.onnx", inputs, {0: "batch"})


def centered(name: str) -> None:
    model = architectures.centered().eval()
    inputs = {"x": torch.zeros(2, 8)}
    export_dynamo(model, HERE / name / "model.onnx", inputs, {0: "batch"})


def twins(name: str) -> None:
    """In eval mode the old exporter merges what is equal behind Identity."""
    model = architectures.twins().eval()
    inputs = {"x": torch.zeros(2, 8)}
    path = HERE / name / "model.onnx"
    export_torchscript(model, path, inputs, training=False, folds=False)


EXPORTS = {
    "gpt2": gpt2,
    "gpt2-fresh": gpt2_fresh,
    "gpt2-dropout": gpt2_dropout,
    "gpt2-symbolic": gpt2_symbolic,
    "gpt2-static": gpt2_static,
    "gpt2-loss": gpt2_loss,
    "gpt2-loss23": gpt2_loss23,
    "gpt2-positions": gpt2_positions,
    "gpt2-opsets": gpt2_opsets,
    "llama20": llama20,
    "llama23": llama23,
    "qwen3": qwen3,
    "mistral": mistral,
    "decoder16": decoder16,
    "decoder18": decoder18,
    "decoder23": decoder23,
    "mlp": mlp,
    "mlp16": mlp16,
    "activations": activations,
    "convnet": convnet,
    "mlp-dropout": mlp_dropout,
    "mlp-folded": mlp_folded,
    "mlp-smoothing": mlp_smoothing,
    "mlp-weighted": mlp_weighted,
    "two-heads": two_heads,
    "masked-lm": masked_lm,
    "masked-lm-dropout": masked_lm_dropout,
    "norm-folded": norm_folded,
    "batch-norm": batch_norm,
    "batch-norm-fresh": batch_norm_fresh,
    "twins": twins,
    "gpt2-lora": gpt2_lora,
    "padding": padding,
    "centered": centered,
    "folded": folded,
    "rebuilt": rebuilt_weights,
    "gemma": gemma,
    "indexing": indexing,
    "experts": experts,
    "lstm": lstm,
    "gru": gru,
    "mlp-noise": mlp_noise,
    "reducing": reducing,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(EXPORTS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(EXPORTS)}")
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for name in arguments.names or EXPORTS:
        EXPORTS[name](name)
        for file in sorted((HERE / name).glob("*.onnx")):
            print(f"{file.relative_to(HERE)}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
