#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes a GPT of so many layers for test/frontends/onnx/make_onnx.py: make_gpt.py LAYERS [tied|untied [WIDTH
[VOCABULARY]]] > gpt.txt

Tied, the default, its head is the transposed embedding of tokens. Two branches of every block drop one element in ten. Its
weights are in a file that does not exist, so it needs --init.
"""

import sys

HEADS, POSITIONS = 4, 16
WIDTH = int(sys.argv[3]) if len(sys.argv) > 3 else 32
VOCABULARY = int(sys.argv[4]) if len(sys.argv) > 4 else 64


def weight(name, *shape):
    dims = " ".join(str(size) for size in shape)
    print(f"init {name} float {dims} external absent.bin")


def norm(name, source, result):
    weight(f"{name}.weight", WIDTH)
    weight(f"{name}.bias", WIDTH)
    print(f"node LayerNormalization {source} {name}.weight {name}.bias -> {result} axis=-1 name={name}")


def linear(name, source, result, rows, columns):
    weight(f"{name}.weight", rows, columns)
    weight(f"{name}.bias", columns)
    print(f"node MatMul {source} {name}.weight -> {result}.product name={name}")
    print(f"node Add {result}.product {name}.bias -> {result}")


def dropout(source, result):
    print(f"node Dropout {source} dropout.ratio dropout.training -> {result} name={result}")


def block(name, stream):
    """Returns the name of the residual stream behind the block."""
    norm(f"{name}.ln_1", stream, f"{name}.a")
    linear(f"{name}.qkv", f"{name}.a", f"{name}.b", WIDTH, 3 * WIDTH)
    print(f"node Split {name}.b -> {name}.q {name}.k {name}.v axis=-1 num_outputs=3")
    print(f"node Attention {name}.q {name}.k {name}.v -> {name}.c "
          f"is_causal=1 q_num_heads={HEADS} kv_num_heads={HEADS} name={name}.attention")
    linear(f"{name}.proj", f"{name}.c", f"{name}.d", WIDTH, WIDTH)
    dropout(f"{name}.d", f"{name}.d.kept")
    print(f"node Add {stream} {name}.d.kept -> {name}.e")
    norm(f"{name}.ln_2", f"{name}.e", f"{name}.f")
    linear(f"{name}.fc", f"{name}.f", f"{name}.g", WIDTH, 4 * WIDTH)
    print(f"node Gelu {name}.g -> {name}.h approximate=tanh")
    linear(f"{name}.out", f"{name}.h", f"{name}.i", 4 * WIDTH, WIDTH)
    dropout(f"{name}.i", f"{name}.i.kept")
    print(f"node Add {name}.e {name}.i.kept -> {name}.j")
    return f"{name}.j"


def main():
    print(f"ir 11\nopset 23\ninput input_ids int64 batch {POSITIONS}\noutput logits")
    print("init dropout.ratio float = 0.1\ninit dropout.training bool = 1")
    weight("wte.weight", VOCABULARY, WIDTH)
    weight("wpe.weight", POSITIONS, WIDTH)
    print("node Gather wte.weight input_ids -> tokens\nnode Add tokens wpe.weight -> stream")
    stream = "stream"
    for layer in range(int(sys.argv[1])):
        stream = block(f"h.{layer}", stream)
    norm("ln_f", stream, "last")
    if sys.argv[2:3] == ["untied"]:
        weight("head", WIDTH, VOCABULARY)
    else:
        print("node Transpose wte.weight -> head perm=[1,0]")
    print("node MatMul last head -> logits")


if __name__ == "__main__":
    main()
