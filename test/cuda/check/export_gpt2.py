# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a GPT-2 of 1024 tokens: export_gpt2.py MODEL.onnx SIZE LAYERS HEADS.

No plan of ours reads its weights, so they take no memory here and no room on the disk: a matrix is one number, repeated, and the file beside the model is one
hole.
"""

import pathlib
import sys

import onnx_ir
import torch
from transformers import GPT2Config, GPT2LMHeadModel

# Smaller ones are constants as well as vectors, which the exporter compares.
LARGE_BYTES = 1 << 20


def make_model(size, layers, heads):
    config = GPT2Config(n_embd=size, n_layer=layers, n_head=heads, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False)
    with torch.device("meta"):
        model = GPT2LMHeadModel(config)
    for module in model.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                # Equal norms and zero biases are merged and deleted by the exporter.
                values = 1 + 0.02 * torch.randn(parameter.shape) if parameter.dim() == 1 else torch.zeros(1, 1).expand(parameter.shape)
                module._parameters[name] = torch.nn.Parameter(values)
    model.tie_weights()
    return model.eval()


def save(program, path):
    """Writes the model, and beside it a file of no content that is as long as its weights."""
    length = 0
    for name, value in program.model.graph.initializers.items():
        tensor = value.const_value
        if tensor.nbytes >= LARGE_BYTES:
            value.const_value = onnx_ir.ExternalTensor("weights", length, tensor.nbytes, tensor.dtype, shape=tensor.shape, name=name, base_dir=str(path.parent))
            length += tensor.nbytes
    with (path.parent / "weights").open("wb") as weights:
        weights.truncate(length)
    onnx_ir.save(program.model, path)


def main():
    path, (size, layers, heads) = pathlib.Path(sys.argv[1]), map(int, sys.argv[2:5])
    torch.manual_seed(0)
    inputs = {"input_ids": torch.zeros(2, 1024, dtype=torch.int64)}
    shapes = {"input_ids": {0: torch.export.Dim("batch")}}
    model = make_model(size, layers, heads)
    save(torch.onnx.export(model, (), kwargs=inputs, dynamo=True, input_names=["input_ids"], output_names=["logits"], dynamic_shapes=shapes, verbose=False), path)


if __name__ == "__main__":
    main()
