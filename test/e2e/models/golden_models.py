# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that have goldens, their data, and how each is trained."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import adapters
import architectures
import datasets
import fp8
import mixture
import noisy
import rebuilt
import recurrent
from exporting import HERE
from groups import Groups, Rule
from torch import nn
from training import Data, Optimizer, Schedule

STEPS = 20
MICROBATCH = 2


@dataclass(frozen=True)
class Variant:
    """One golden: golden.json, or golden-NAME.json of the same folder."""

    name: str = ""
    optimizer: Optimizer = Optimizer()
    schedule: Schedule = Schedule()
    batch: int = 8
    source: str = "default"  # which of the model's data
    weights: bool = True  # keep the final weights
    flags: tuple[str, ...] = ()  # of accelc
    adapt: Callable[[nn.Module], object] | None = None  # does it in PyTorch
    bf16: bool = False  # under autocast
    fp8: str = ""  # the format of linear layers, and microbatches as accelc's
    recipe: str = "current"  # of the scales in fp8
    rounds_bias: bool = False  # in fp8: to bf16, as plans for GPUs do
    steps: int = STEPS
    groups: Groups = Groups()
    microbatch: int = 0  # of a rank; 0: that of the model
    ranks: int = 1  # whose microbatches are one, as --batch-norm=sync has it
    # What accelc calls a parameter of the adapted network.
    plan_name: Callable[[str], str] = lambda name: name


@dataclass(frozen=True)
class Model:
    build: Callable[[], nn.Module]
    objective: str
    write_data: Callable[[Path], None]
    sources: dict[str, tuple[Callable[[Path], Data], dict[str, str]]]
    variants: tuple[Variant, ...]
    dims: dict[str, int] = dataclasses.field(default_factory=dict)
    tied: dict[str, str] = dataclasses.field(default_factory=dict)
    rows_in_file: dict[str, int] = dataclasses.field(default_factory=dict)
    key_biases: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # of accelc, besides those of the variant
    microbatch: int = MICROBATCH
    deep: bool = False  # too deep for close goldens in fp8
    parted: bool = False  # a microbatch after the other, as batch norms want it
    # What accelc lays out together, by the name of a parameter.
    bucket_of: Callable[[str], str] = lambda name: "model"


SGD = Optimizer(kind="sgd", lr=0.05, momentum=0.9, weight_decay=0.0)
# Clipping at 1 would never act where gradient norms are below 1.
ADAMW_HALF = Optimizer(clip_norm=0.5)
SGD_HALF = dataclasses.replace(SGD, clip_norm=0.5)
# Adapters alone move little.
SGD_FAST = dataclasses.replace(SGD_HALF, lr=0.5)
MLP_SGD = dataclasses.replace(SGD_HALF, weight_decay=0.01)
# Long runs: a moment that is kept wrongly shows late.
LONG = 50
LION = Variant(
    "lion", Optimizer("lion", lr=1e-4, beta2=0.99, clip_norm=0.5), steps=LONG
)
ADAMW8 = Variant(
    "adamw8", Optimizer("adamw8", beta2=0.999, clip_norm=0.5), steps=LONG
)
SCHEDULES = (
    Schedule("linear", warmup_steps=5, schedule_steps=20, min_lr=1e-5),
    Schedule("cosine", warmup_steps=4, schedule_steps=16, min_lr=1e-4),
    Schedule("wsd", warmup_steps=3, schedule_steps=18, min_lr=5e-5, decay_steps=6),
)
PLAIN = (Variant(), Variant("sgd", SGD))


def _bf16(optimizer: Optimizer, batch: int = 8) -> Variant:
    """Autocast adds to the residual stream in f32."""
    flags = ("--bf16", "--residual-dtype=f32")
    return Variant("bf16", optimizer, batch=batch, weights=False, flags=flags, bf16=True)


# Close choices of experts fall otherwise in bf16: many samples hide one.
EXPERTS = (Variant("", ADAMW_HALF), _bf16(ADAMW_HALF, batch=64))


def _fp8(optimizer: Optimizer, batch: int) -> tuple[Variant, ...]:
    """In float32, and with products in fp8 and the rest as under autocast."""

    def variant(name: str, recipe: str, form: str, *flags: str) -> Variant:
        return Variant(
            name,
            optimizer,
            batch=batch,
            weights=False,
            flags=(*flags, "--residual-dtype=f32"),
            bf16=True,
            fp8=form,
            recipe=recipe,
        )

    return (
        Variant("", optimizer, batch=batch),
        variant("fp8", "current", "hybrid", "--fp8"),
        variant("fp8-e4m3", "current", "e4m3", "--fp8", "--fp8-format=e4m3"),
        variant("fp8-delayed", "delayed", "hybrid", "--fp8=delayed"),
        variant("fp8-block", "block", "e4m3", "--fp8=block"),
        variant("fp8-mx", "mx", "e4m3", "--fp8=mx"),
    )


def _rounded(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """And those of them that GPUs have units for, with biases as these round them."""
    of_tensors = [v for v in variants if v.name in ("fp8", "fp8-delayed")]
    rounded = [
        dataclasses.replace(v, name=f"{v.name}-rounded", rounds_bias=True)
        for v in of_tensors
    ]
    return (*variants, *rounded)


def _freeze(*prefixes: str) -> Callable[[nn.Module], object]:
    """Freezes the parameters whose names begin with one of `prefixes`."""

    def adapt(network: nn.Module) -> None:
        for name, parameter in network.named_parameters():
            if name.startswith(prefixes):
                parameter.requires_grad_(False)

    return adapt


def _layer_of(blocks: str, count: int) -> Callable[[str], int]:
    """timm's numbers, where parameters in front of the blocks are named
    `embedding`, `wte` or `wpe`, and the others lie behind."""

    def layer_of(name: str) -> int:
        block = re.search(rf"{blocks}[.](\d+)[.]", name)
        if block:
            return int(block[1]) + 1
        return 0 if re.search("embedding|wte|wpe", name) else count + 1

    return layer_of


GPT2_GROUPS = (
    Variant(
        "groups",
        groups=Groups(
            (
                Rule("wte|lm_head", "0.1x", 0.0),
                Rule("attn", "3e-4"),
                Rule("attn[.]c_proj", decay=0.5),
                Rule("mlp[.]c_proj[.]bias", "2x", 0.3),
            ),
            decay="hf",
            ema=0.9,
        ),
    ),
    Variant(
        "layers",
        MLP_SGD,
        groups=Groups((Rule("ln_f", "0.5x"),), 0.6, _layer_of("h", 2), ema=0.95),
    ),
)
# Three blocks, of which the last is the head: names count by twos.
MLP_GROUPS = tuple(
    dataclasses.replace(
        base,
        name=f"{base.name}-groups",
        groups=Groups(
            (Rule("bias", "3x", 0.2), Rule("layers[.]2", "5e-5")),
            0.5,
            lambda name: int(name.split(".")[1]) // 2,
            ema=0.8,
        ),
    )
    for base in (LION, ADAMW8)
)


def _adapters(
    name: str,
    optimizer: Optimizer,
    targets: str | list[str],
    rank: int,
    alpha: float,
    seed: int,
) -> Variant:
    """Trains adapters that PEFT has made, of which accelc reads PEFT's folder."""
    return Variant(
        "adapters",
        optimizer,
        flags=(f"--lora={adapters.FOLDER}",),
        adapt=adapters.adapt(HERE / name, targets, rank, alpha, seed),
        plan_name=adapters.plan_name,
    )


def _train_padding(network: nn.Module) -> None:
    network.table.padding_idx = None


def _scheduled(optimizer: Optimizer) -> tuple[Variant, ...]:
    return tuple(Variant(s.kind, optimizer, schedule=s) for s in SCHEDULES)


def _stream(length: int):
    def load(folder: Path) -> Data:
        return datasets.load_tokens(folder / "data.bin", length)

    return load, {"": "data.bin"}


def _arrays(name: str):
    def load(folder: Path) -> Data:
        return datasets.load_arrays(folder / f"{name}.npy", folder / "labels.npy")

    return load, {name: f"{name}.npy", "labels": "labels.npy"}


def _shifted(folder: Path) -> Data:
    return datasets.load_shifted(folder / "input_ids.npy")


def _gpt2(fresh: bool) -> Model:
    def write(folder: Path) -> None:
        datasets.write_tokens(folder / "data.bin", 211, 3217, seed=24)
        if not fresh:
            datasets.write_arrays(folder, 211, 32, seed=22)

    sources = {"default": _stream(32)}
    variants = PLAIN
    if not fresh:
        sources["arrays"] = _arrays("input_ids")
        sources["shifted"] = (_shifted, {"input_ids": "input_ids.npy"})
        variants += _scheduled(Optimizer())
        variants += (_bf16(Optimizer()),)
        variants += (Variant("ignored", batch=7, source="arrays"),)
        variants += (Variant("shifted", source="shifted", weights=False),)
        tied = _freeze("transformer.wte")
        variants += (Variant("frozen", flags=("--freeze=lm_head",), adapt=tied),)
        variants += GPT2_GROUPS
        variants += (_adapters("gpt2", Optimizer(lr=1e-2), "all-linear", 4, 8, seed=61),)
    return Model(
        build=lambda: architectures.gpt2(fresh=fresh).eval(),
        objective="causal-lm",
        write_data=write,
        sources=sources,
        variants=variants,
        dims={"seq": 32},
        tied={"transformer.wte.weight": "lm_head.weight"},
        rows_in_file={"transformer.wpe.weight": 32},
        key_biases=tuple(f"transformer.h.{i}.attn.c_attn.bias" for i in range(2)),
    )


def _language_model(
    build: Callable[[], nn.Module],
    length: int,
    vocabulary: int,
    tokens: int,
    seed: int,
    **more,
) -> Model:
    """Of rows of `length` tokens out of a stream."""
    return Model(
        build=build,
        objective="causal-lm",
        write_data=lambda folder: datasets.write_tokens(
            folder / "data.bin", vocabulary, tokens, seed
        ),
        sources={"default": _stream(length)},
        **{"variants": (Variant("", ADAMW_HALF),), **more},
    )


def _decoder(positions: int, seed: int) -> Model:
    return _language_model(
        lambda: architectures.decoder(positions, seed),
        24,
        vocabulary=199,
        tokens=2411,
        seed=23,
        variants=(*PLAIN, LION, _bf16(Optimizer())),
        dims={"seq": 24},
        tied={"token_table.weight": "head.weight"},
        rows_in_file={"position_table.weight": 24},
    )


def _decoder16() -> Model:
    """Four microbatches of four rows: each has scales of its own."""
    return _language_model(
        architectures.decoder16,
        32,
        vocabulary=160,
        tokens=3217,
        seed=33,
        variants=_fp8(Optimizer(), batch=16),
        dims={"seq": 32},
        tied={"token_table.weight": "head.weight"},
        rows_in_file={"position_table.weight": 32},
        microbatch=4,
        deep=True,
    )


def _own_loss() -> Model:
    """The weights and the stream of `gpt2`; exported with dropout."""

    def write(folder: Path) -> None:
        datasets.write_tokens(folder / "data.bin", 211, 3217, seed=24)
        datasets.write_padded(folder, 211, 32, seed=29)

    padded = {
        "input_ids": "padded_ids.npy",
        "attention_mask": "padding.npy",
        "labels": "padded_labels.npy",
    }
    return Model(
        build=lambda: architectures.gpt2().eval(),
        objective="auto",
        write_data=write,
        sources={
            "default": (
                lambda folder: datasets.load_own(folder / "data.bin", 32),
                {"": "data.bin"},
            ),
            "arrays": (datasets.load_padded, padded),
        },
        variants=(Variant(), Variant("padded", batch=7, source="arrays")),
        dims={"seq": 32},
        # The default exporter (`gpt2-positions`, `gpt2-loss23`) gives it its
        # other name, and may keep those rows only.
        tied={"lm_head.weight": "transformer.wte.weight"},
        rows_in_file={"transformer.wpe.weight": 32},
        key_biases=tuple(f"transformer.h.{i}.attn.c_attn.bias" for i in range(2)),
        flags=("--dropout=off",),
    )


def _grouped(
    build: Callable[[], nn.Module],
    seed: int,
    tied: bool = False,
    sgd: bool = False,
    more: tuple[Variant, ...] = (),
) -> Model:
    variants = (Variant("", ADAMW_HALF), Variant("sgd", SGD_HALF), _bf16(ADAMW_HALF))
    return _language_model(
        build,
        32,
        vocabulary=211,
        tokens=3217,
        seed=seed,
        variants=(*(variants if sgd else variants[::2]), *more),
        dims={"seq": 32},
        tied={"model.embed_tokens.weight": "lm_head.weight"} if tied else {},
    )


def _classifier(
    build: Callable[[], nn.Module], size: int, classes: int, seed: int, **more
) -> Model:
    """Of vectors of `size` numbers."""
    return Model(
        build=build,
        objective="classification",
        write_data=lambda folder: datasets.write_features(folder, size, classes, seed),
        sources={"default": _arrays("x")},
        **{"variants": (Variant("", ADAMW_HALF),), **more},
    )


def _batch_norm(fresh: bool) -> Model:
    """Three microbatches of eight rows, the last one of four."""
    base = Variant("", ADAMW_HALF, batch=20)
    # The old exporter runs the model, which moves its running statistics.
    old = dataclasses.replace(base, name="old", weights=False)
    flags = ("--batch-norm=frozen",)
    frozen = dataclasses.replace(old, name="frozen", flags=flags, adapt=nn.Module.eval)
    # Two ranks take 8, 8 and 3 rows together, the last ones without the second
    # rank; three take 12 and 5, of which the second has one, the third none.
    sync2 = dataclasses.replace(
        base, name="sync2", batch=19, flags=("--batch-norm=sync",), microbatch=4, ranks=2
    )
    sync3 = dataclasses.replace(sync2, name="sync3", batch=17, ranks=3)
    return _classifier(
        lambda: architectures.batch_norm(fresh).train(),
        5,
        6,
        seed=38,
        variants=(base,) if fresh else (base, old, frozen, sync2, sync3),
        microbatch=8,
        parted=True,
    )


MODELS = {
    "gpt2": _gpt2(fresh=False),
    "gpt2-fresh": _gpt2(fresh=True),
    "decoder16": _decoder16(),
    "decoder18": _decoder(40, 11),
    "decoder23": _decoder(24, 13),
    "gpt2-loss": _own_loss(),
    "llama20": _grouped(
        architectures.llama,
        seed=26,
        sgd=True,
        more=(
            _adapters(
                "llama20", SGD_FAST, ["q_proj", "v_proj", "up_proj"], 3, 5, seed=62),
        ),
    ),
    "qwen3": _grouped(architectures.qwen3, seed=27, tied=True),
    "mistral": _grouped(architectures.mistral, seed=28),
    "mlp": _classifier(
        architectures.mlp,
        21,
        10,
        seed=25,
        variants=(
            Variant("", ADAMW_HALF),
            Variant("sgd", MLP_SGD),
            LION,
            ADAMW8,
            *MLP_GROUPS,
            _bf16(ADAMW_HALF),
            *_scheduled(ADAMW_HALF),
            Variant(
                "frozen",
                ADAMW_HALF,
                flags=("--freeze=^layers[.]", "--train=^layers[.]4[.]"),
                adapt=_freeze("layers.0.", "layers.2."),
            ),
        ),
    ),
    "activations": _classifier(architectures.activations, 21, 10, seed=37),
    "convnet": Model(
        build=architectures.convnet,
        objective="classification",
        write_data=lambda folder: datasets.write_images(folder, (3, 13, 11), 10, 53),
        sources={"default": _arrays("image")},
        variants=(Variant("", ADAMW_HALF),),
    ),
    # Little is between its products, so a golden in fp8 is met closely.
    "mlp16": _classifier(
        architectures.mlp16,
        32,
        16,
        seed=34,
        variants=_rounded(_fp8(ADAMW_HALF, batch=64)),
        microbatch=16,
    ),
    # PEFT froze the base; PyTorch has nothing to adapt.
    "gpt2-lora": _language_model(
        lambda: architectures.gpt2_lora().eval(),
        32,
        vocabulary=211,
        tokens=3217,
        seed=24,
        dims={"seq": 32},
        tied={"transformer.wte.weight": "lm_head.weight"},
        rows_in_file={"transformer.wpe.weight": 32},
        flags=("--train=lora_",),
    ),
    "padding": _language_model(
        architectures.padded_decoder,
        8,
        vocabulary=29,
        tokens=801,
        seed=31,
        variants=(
            Variant("", ADAMW_HALF),
            Variant(
                "none",
                ADAMW_HALF,
                flags=("--padding-row", "head.weight=none"),
                adapt=_train_padding,
            ),
        ),
        dims={"seq": 8},
        tied={"table.weight": "head.weight"},
    ),
    # Its scales are vectors whose names are not those of norms.
    "folded": _classifier(
        architectures.folded,
        21,
        10,
        seed=56,
        variants=(
            Variant("", ADAMW_HALF),
            Variant("hf", ADAMW_HALF, groups=Groups(decay="hf")),
        ),
    ),
    "indexing": _classifier(architectures.indexing, 21, 10, seed=58),
    "experts": _classifier(mixture.experts, 21, 10, seed=74, variants=EXPERTS),
    "lstm": _classifier(recurrent.lstm, 21, 10, seed=65),
    "reducing": _classifier(noisy.reducing, 21, 10, seed=69),
    "rebuilt": _classifier(
        rebuilt.rebuilt, 21, 10, seed=73, flags=("--params", "initial.safetensors")
    ),
    "gru": _language_model(
        recurrent.gru,
        12,
        vocabulary=61,
        tokens=1217,
        seed=66,
    ),
    "gemma": _language_model(
        lambda: architectures.gemma().eval(),
        32,
        vocabulary=61,
        tokens=3217,
        seed=53,
        tied={"model.embed_tokens.weight": "lm_head.weight"},
    ),
    "centered": _classifier(
        architectures.centered,
        8,
        8,
        seed=32,
        microbatch=8,
    ),
    "mlp-smoothing": Model(
        build=lambda: architectures.Smoothed(architectures.mlp()),
        objective="auto",
        write_data=lambda folder: datasets.write_features(folder, 21, 10, seed=25),
        sources={
            "default": (
                datasets.load_labelled,
                {"x": "x.npy", "labels": "labels.npy"},
            )
        },
        variants=(Variant("", ADAMW_HALF),),
    ),
    "mlp-weighted": Model(
        build=lambda: architectures.Weighted(architectures.mlp()),
        objective="auto",
        write_data=lambda folder: datasets.write_features(folder, 21, 10, seed=25),
        sources={
            "default": (
                datasets.load_labelled,
                {"x": "x.npy", "labels": "labels.npy"},
            )
        },
        variants=(Variant("", ADAMW_HALF, batch=7),),
    ),
    "two-heads": Model(
        build=architectures.two_heads,
        objective="auto",
        write_data=lambda folder: datasets.write_two(folder, seed=36),
        sources={
            "default": (
                datasets.load_two,
                {"x": "x.npy", "labels": "labels.npy", "y": "y.npy"},
            )
        },
        variants=(Variant("", ADAMW_HALF, batch=7),),
    ),
    "masked-lm": Model(
        build=architectures.masked_lm,
        objective="auto",
        write_data=lambda folder: datasets.write_masked(folder, 43, 10, seed=35),
        sources={
            "default": (
                datasets.load_masked,
                {"ids": "ids.npy", "labels": "labels.npy"},
            )
        },
        variants=(Variant("", ADAMW_HALF, batch=7),),
        key_biases=tuple(
            f"encoder.layers.{i}.self_attn.in_proj_bias" for i in range(2)
        ),
        flags=("--dropout=off",),  # `masked-lm-dropout` has the same goldens
    ),
    "batch-norm": _batch_norm(fresh=False),
    "batch-norm-fresh": _batch_norm(fresh=True),
    "twins": _classifier(architectures.twins, 8, 8, seed=30),
}
