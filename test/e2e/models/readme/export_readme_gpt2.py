# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#!/usr/bin/env python3
"""Exports the README's model: a GPT-2 that trains on two cores in minutes.

Tokens are bytes, so there is no tokenizer; 4 layers, 4 heads, width 128,
sequences of 128.  The export call is the one anybody would write: the current
exporter with its defaults on a new Hugging Face model.

Only the graph is kept.  The exporter puts weights into `gpt2.onnx.data` beside
`gpt2.onnx`; that second file is not written, so every parameter is still
declared (name, type, shape, external data) but has no values, and accelc asks
for `--init=gpt2`.  Constants (shapes, the arithmetic of the mask) are inside.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from exporting import export_dynamo  # noqa: E402


def build() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=256,
        n_positions=128,
        n_embd=128,
        n_layer=4,
        n_head=4,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    return GPT2LMHeadModel(config).eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="default: gpt2.onnx beside this")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    output = arguments.output or Path(__file__).resolve().parent / "gpt2.onnx"
    inputs = {"input_ids": torch.zeros(2, 128, dtype=torch.int64)}
    export_dynamo(build(), output, inputs, {0: "batch"}, weights="absent")
    print(f"{output.name}: {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
