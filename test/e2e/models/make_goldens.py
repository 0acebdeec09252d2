#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the data and the goldens: what PyTorch computes, in float32.

Without names, of all models.  --compare writes nothing and prints PyTorch
against itself: float32 against double, and what plausible mistakes change.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

import fp8
import torch
from comparison import print_comparison
from exporting import HERE
from golden_models import MODELS, Model, Variant
from safetensors.torch import save_file
from torch import nn
from training import Result, train


def microbatch_of(model: Model, variant: Variant) -> int:
    """Of one rank."""
    return variant.microbatch or model.microbatch


def compile_flags(model: Model, variant: Variant) -> list[str]:
    o, s = variant.optimizer, variant.schedule
    microbatch = microbatch_of(model, variant)
    flags = [f"--objective={model.objective}", "--dim", f"batch={microbatch}"]
    flags += [*model.flags, *variant.flags, *variant.groups.flags()]
    flags += [f"--global-batch={variant.batch}", f"--optimizer={o.kind}"]
    flags += [f"--lr={o.lr}", f"--weight-decay={o.weight_decay}"]
    flags += [f"--clip-norm={o.clip_norm}"]
    if o.kind == "sgd":
        flags += [f"--momentum={o.momentum}"]
    else:
        flags += [f"--beta1={o.beta1}", f"--beta2={o.beta2}"]
    if o.kind.startswith("adamw"):
        flags += [f"--eps={o.eps}"]
    flags += [f"--schedule={s.kind}"]
    if s.kind != "constant":
        flags += [f"--warmup-steps={s.warmup_steps}", f"--min-lr={s.min_lr}"]
        flags += [f"--schedule-steps={s.schedule_steps}"]
    if s.kind == "wsd":
        flags += [f"--decay-steps={s.decay_steps}"]
    return flags


def run_flags(files: dict[str, str], steps: int) -> list[str]:
    flags = ["--shuffle=off", f"--steps={steps}"]
    for name, file in files.items():
        flags += ["--data", f"{name}={file}" if name else file]
    return flags


def _save(
    model: Model, variant: Variant, tensors: dict[str, torch.Tensor], path: Path
) -> str:
    own = {variant.plan_name(n): t.contiguous() for n, t in tensors.items()}
    named = {model.tied.get(n, n): t for n, t in own.items()}
    save_file(named, path)
    path.chmod(0o644)
    return path.name


def write_golden(name: str, model: Model, variant: Variant, result: Result) -> None:
    folder = HERE / name
    suffix = f"-{variant.name}" if variant.name else ""
    files = {"initial": "initial.safetensors"}
    if not variant.name:
        _save(model, variant, result.initial, folder / "initial.safetensors")
    own = variant.source == "arrays" or variant.adapt or variant.bf16
    own = own or variant.ranks > 1
    if not variant.name or own:
        path = folder / f"gradients{suffix}.safetensors"
        files["gradients"] = _save(model, variant, result.gradients, path)
    elif variant.source == "default":  # same weights, same batch
        files["gradients"] = "gradients.safetensors"
    if variant.weights:
        path = folder / f"final{suffix}.safetensors"
        files["final"] = _save(model, variant, result.final, path)
    if result.average:
        path = folder / f"average{suffix}.safetensors"
        files["average"] = _save(model, variant, result.average, path)
    data_files = model.sources[variant.source][1]
    optimizer = dataclasses.asdict(variant.optimizer)
    del optimizer["decay_everything"]
    content = {
        "model": name,
        "variant": variant.name,
        "flags": compile_flags(model, variant),
        "run_flags": run_flags(data_files, variant.steps),
        "optimizer": optimizer,
        "schedule": dataclasses.asdict(variant.schedule),
        "dims": {"batch": microbatch_of(model, variant), **model.dims},
        "global_batch": variant.batch,
        "steps": variant.steps,
        "bf16": variant.bf16,
        "data": data_files,
        "files": files,
        "tied": model.tied,
        "rows_in_file": model.rows_in_file,
        "key_biases": list(model.key_biases),
        "loss": result.loss,
        "grad_norm": result.grad_norm,
        "lr": result.lr,
        "tokens": result.tokens,
        "next_loss": result.next_loss,
    }
    if variant.fp8:
        content |= {"fp8": variant.fp8, "deep": model.deep}
    text = json.dumps(content, indent=1)
    (folder / f"golden{suffix}.json").write_text(text + "\n")


def run_variant(
    name: str, model: Model, variant: Variant, network: nn.Module
) -> Result:
    data = model.sources[variant.source][0](HERE / name)
    if variant.adapt:
        variant.adapt(network)
    rest = {}
    if variant.fp8 or model.parted:
        rest["microbatch"] = microbatch_of(model, variant) * variant.ranks
    if variant.fp8:
        rest["end_step"] = fp8.convert(
            network, variant.recipe, variant.fp8, variant.rounds_bias
        )
    return train(
        network,
        data,
        variant.optimizer,
        variant.schedule,
        variant.batch,
        variant.steps,
        model.bucket_of,
        variant.bf16,
        groups=variant.groups,
        **rest,
    )


def make(name: str, model: Model) -> None:
    model.write_data(HERE / name)
    for variant in model.variants:
        result = run_variant(name, model, variant, model.build())
        write_golden(name, model, variant, result)
        title = f"{name} {variant.name}".strip()
        print(f"{title}: loss {result.loss[0]:.6f} -> {result.loss[-1]:.6f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument(
        "--only", metavar="VARIANT", help="of each model this variant alone"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="print float32 against double, and what mistakes would change",
    )
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(MODELS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(MODELS)}")
    torch.set_num_threads(1)
    for name in arguments.names or MODELS:
        model = MODELS[name]
        if arguments.only is not None:
            chosen = tuple(v for v in model.variants if v.name == arguments.only)
            model = dataclasses.replace(model, variants=chosen)
        if arguments.compare:
            print_comparison(name, model, run_variant)
        else:
            make(name, model)


if __name__ == "__main__":
    main()
