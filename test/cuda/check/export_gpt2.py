# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports GPT-2 124M of 1024 tokens: export_gpt2.py MODEL.onnx. Its weights stay beside it, and no plan of ours reads them."""

import pathlib
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e" / "models"))
from exporting import export_dynamo  # noqa: E402


def main():
    torch.manual_seed(0)
    config = GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False)
    model = GPT2LMHeadModel(config).eval()
    # Equal norms and zero biases are merged and deleted by the exporter.
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.02 * torch.randn(parameter.shape))
    tokens = torch.zeros(2, 1024, dtype=torch.int64)
    export_dynamo(model, pathlib.Path(sys.argv[1]), {"input_ids": tokens}, {0: "batch"}, weights="external")


if __name__ == "__main__":
    main()
