# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of models that people train, tiny and with random weights.

Each is a module whose forward returns the loss, and what makes its inputs.
check_families.py compares a step of each with PyTorch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import timm
import torch
import transformers
from torch import nn
from training import IGNORED

from family_models import (
    CLASSES,
    VOCABULARY,
    AutoEncoder,
    Classifier,
    FeatureTokens,
    Folded,
    Keywords,
    Pairs,
    Recurrent,
    SpatialTransformer,
    Spectrogram,
    Tabular,
    TabularColumns,
    UNet,
    WithLoss,
    smoothen,
)

# Two steps of check_families.py.
SAMPLES, LENGTH = 22, 16

Inputs = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Family:
    name: str
    build: Callable[[], nn.Module]
    inputs: Callable[[], Inputs]
    lr: float = 0.1
    # The loss compares samples, so that a step takes whole microbatches.
    compares_samples: bool = False
    # Of weights and inputs.
    seed: int = 5
    # As a module begins: many of its parameters are equal.
    is_new: bool = False


def tokens(length=LENGTH):
    return torch.randint(3, VOCABULARY, (SAMPLES, length))


def before_ends(length):
    """Where a sample has tokens: more than half of the positions, so that a window
    of half of them is nowhere empty, which PyTorch's eager attention makes NaN."""
    ends = torch.randint(length // 2 + 1, length + 1, (SAMPLES, 1))
    return torch.arange(length) < ends


def targets(ids, present):
    """No target behind the end, nor in front, where models that shift have none."""
    labels = ids.where(present, IGNORED)
    labels[:, 0] = IGNORED
    return labels


def lm_inputs():
    ids, present = tokens(), before_ends(LENGTH)
    return {
        "input_ids": ids,
        "attention_mask": present.long(),
        "labels": targets(ids, present),
    }


def text_inputs():
    return {
        "input_ids": tokens(),
        "attention_mask": before_ends(LENGTH).long(),
        "labels": classes(),
    }


def seq2seq_inputs():
    ids = tokens(9)
    return {
        "input_ids": tokens(),
        "attention_mask": before_ends(LENGTH).long(),
        "decoder_input_ids": ids.roll(1, 1),
        "labels": targets(ids, before_ends(9)),
    }


def image_inputs(size=32, name="pixel_values", channels=3):
    def make():
        x = torch.randn(SAMPLES, channels, size, size)
        return {name: x, "labels": classes()}

    return make


SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 32,
    "num_labels": CLASSES,
    "pad_token_id": None,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
KEYS = {"num_key_value_heads": 2}


def quiet(config):
    for name in list(vars(config)):
        value = getattr(config, name)
        if re.search("drop", name) and isinstance(value, (int, float)):
            setattr(config, name, 0.0 if isinstance(value, float) else value)
    if hasattr(config, "use_cache"):
        config.use_cache = False
    return config


def hugging(name, config, model, inputs, options, eager=False, own_loss=True):
    def build():
        made = quiet(getattr(transformers, config)(**options))
        made.return_dict = True
        if eager:
            made._attn_implementation = "eager"
        if hasattr(made, "num_experts_per_tok"):
            # Grouped products are not exported.
            made._experts_implementation = "batched_mm"
        module = getattr(transformers, model)(made)
        for part in module.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0
        return WithLoss(module, own_loss)

    return Family(name, build, inputs)


def decoder(name, stem, **options):
    return hugging(
        name, stem + "Config", stem + "ForCausalLM", lm_inputs, {**SMALL, **options}
    )


def encoder(
    name,
    stem,
    task="SequenceClassification",
    inputs=text_inputs,
    own_loss=True,
    **options,
):
    return hugging(
        name,
        stem + "Config",
        stem + "For" + task,
        inputs,
        {**SMALL, "pad_token_id": 0, **options},
        own_loss=own_loss,
    )


def vision(name, stem, size=32, eager=False, **options):
    given = {"num_labels": CLASSES, "image_size": size, "num_channels": 3, **options}
    return hugging(
        name,
        stem + "Config",
        stem + "ForImageClassification",
        image_inputs(size),
        given,
        eager,
    )


VIT = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "patch_size": 8,
}


# In float32 rounding puts a few elements of deep networks on the other side of the
# corner of their ReLU (check_corners.py), which changes PyTorch's gradients by 3 %.
SMOOTH = {"act_layer": "silu"}


def of_timm(name, kind, size=64, lr=0.01, seed=5, smooth=False, **options):
    def build():
        model = timm.create_model(kind, num_classes=CLASSES, **options)
        return Classifier(smoothen(model) if smooth else model)

    return Family(name, build, image_inputs(size, "x"), lr, seed=seed)


def clip():
    tower = {k: v for k, v in VIT.items() if k != "patch_size"}
    text = {"vocab_size": VOCABULARY, "max_position_embeddings": LENGTH, **tower}
    text |= {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}
    image = {"image_size": 32, "patch_size": 8, **tower}
    config = transformers.CLIPConfig(
        text_config=text, vision_config=image, projection_dim=16
    )
    return Pairs(transformers.CLIPModel(config))


def pairs():
    # As many that steps 1 and 9 have the same.
    inputs = {**text_inputs(), **image_inputs()()}
    del inputs["labels"]
    inputs["input_ids"][:, -1] = 2  # which CLIP looks for
    return {name: value[:16] for name, value in inputs.items()}


def classes():
    return torch.randint(CLASSES, (SAMPLES,))


def vectors(*shape):
    return lambda: {"x": torch.randn(SAMPLES, *shape), "labels": classes()}


def pictures():
    x = torch.randn(SAMPLES, 3, 16, 16)
    return {"x": x, "target": torch.randn(SAMPLES, 3, 16, 16)}


def recurrent(name, kind):
    return Family(
        name,
        lambda: Classifier(Recurrent(kind)),
        lambda: {"x": tokens(6), "labels": classes()},
    )


MOE = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2}
BART = {
    "vocab_size": VOCABULARY,
    "d_model": 24,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 32,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}

FAMILIES = [
    hugging(
        "gpt2",
        "GPT2Config",
        "GPT2LMHeadModel",
        lm_inputs,
        {
            "vocab_size": VOCABULARY,
            "n_embd": 24,
            "n_layer": 2,
            "n_head": 4,
            "n_positions": 32,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
    ),
    hugging(
        "gpt-neo",
        "GPTNeoConfig",
        "GPTNeoForCausalLM",
        lm_inputs,
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 24,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            "max_position_embeddings": 32,
            "window_size": 8,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
    ),
    decoder("gpt-neox", "GPTNeoX"),
    hugging(
        "gpt-j",
        "GPTJConfig",
        "GPTJForCausalLM",
        lm_inputs,
        {
            "vocab_size": VOCABULARY,
            "n_embd": 24,
            "n_layer": 2,
            "n_head": 2,
            "n_positions": 32,
            "rotary_dim": 4,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
    ),
    decoder("opt", "OPT", ffn_dim=40, word_embed_proj_dim=24, pad_token_id=1),
    decoder("bloom", "Bloom", n_head=4, n_layer=2),
    decoder("falcon", "Falcon", multi_query=True, new_decoder_architecture=False),
    hugging(
        "mpt",
        "MptConfig",
        "MptForCausalLM",
        lm_inputs,
        {
            "vocab_size": VOCABULARY,
            "d_model": 24,
            "n_heads": 4,
            "n_layers": 2,
            "max_seq_len": 32,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
    ),
    decoder("llama", "Llama", **KEYS),
    decoder("mistral", "Mistral", **KEYS, sliding_window=8),
    decoder("mixtral", "Mixtral", **KEYS, **MOE),
    decoder("qwen2", "Qwen2", **KEYS),
    decoder("qwen3", "Qwen3", **KEYS, head_dim=8),
    decoder(
        "qwen3-moe", "Qwen3Moe", **KEYS, head_dim=8, moe_intermediate_size=16, **MOE
    ),
    decoder("gemma", "Gemma", **KEYS, head_dim=8),
    decoder("gemma2", "Gemma2", **KEYS, head_dim=8, sliding_window=8),
    hugging(
        "gemma3",
        "Gemma3TextConfig",
        "Gemma3ForCausalLM",
        lm_inputs,
        {**SMALL, **KEYS, "pad_token_id": 0, "head_dim": 8, "sliding_window": 8},
    ),
    # It rotates half of each head, which has to be an even number.
    decoder("phi", "Phi", hidden_size=32),
    decoder("phi3", "Phi3", **KEYS),
    decoder("stablelm", "StableLm", **KEYS),
    decoder("olmo2", "Olmo2", **KEYS),
    decoder("cohere", "Cohere", **KEYS, logit_scale=1.0),
    decoder("granite", "Granite", **KEYS),
    decoder("starcoder2", "Starcoder2", **KEYS),
    decoder("biogpt", "BioGpt", pad_token_id=1),
    hugging(
        "mamba",
        "MambaConfig",
        "MambaForCausalLM",
        lm_inputs,
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 16,
            "state_size": 4,
            "num_hidden_layers": 2,
        },
    ),
    encoder("bert", "Bert"),
    encoder("bert-mlm", "Bert", "MaskedLM", lm_inputs),
    encoder("roberta", "Roberta", max_position_embeddings=40),
    encoder("distilbert", "DistilBert", dim=24, hidden_dim=40, n_heads=4, n_layers=2),
    encoder("electra", "Electra", embedding_size=16),
    encoder("albert", "Albert", embedding_size=16),
    encoder("mpnet", "MPNet", max_position_embeddings=40),
    # Its own loss selects the samples that have labels, whose number data decide.
    encoder(
        "deberta-v2",
        "DebertaV2",
        own_loss=False,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
    ),
    encoder("modernbert", "ModernBert"),
    hugging(
        "t5",
        "T5Config",
        "T5ForConditionalGeneration",
        seq2seq_inputs,
        {
            "vocab_size": VOCABULARY,
            "d_model": 24,
            "d_kv": 6,
            "d_ff": 40,
            "num_layers": 2,
            "num_heads": 4,
            "decoder_start_token_id": 0,
        },
        True,
    ),
    hugging("bart", "BartConfig", "BartForConditionalGeneration", seq2seq_inputs, BART),
    hugging(
        "pegasus",
        "PegasusConfig",
        "PegasusForConditionalGeneration",
        seq2seq_inputs,
        BART,
    ),
    hugging("marian", "MarianConfig", "MarianMTModel", seq2seq_inputs, BART),
    vision("vit", "ViT", **VIT),
    vision("deit", "DeiT", **VIT),
    vision("dinov2", "Dinov2", **VIT),
    vision("beit", "Beit", eager=True, **VIT, use_relative_position_bias=True),
    vision(
        "swin",
        "Swin",
        eager=True,
        embed_dim=12,
        depths=[1, 1],
        num_heads=[2, 2],
        window_size=4,
        patch_size=2,
    ),
    vision("convnext", "ConvNext", hidden_sizes=[8, 16], depths=[1, 1], num_stages=2),
    vision(
        "convnextv2", "ConvNextV2", hidden_sizes=[8, 16], depths=[1, 1], num_stages=2
    ),
    vision(
        "resnet-hf", "ResNet", embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]
    ),
    vision(
        "regnet",
        "RegNet",
        embedding_size=8,
        hidden_sizes=[8, 16],
        depths=[1, 1],
        groups_width=8,
    ),
    vision(
        "mobilevit",
        "MobileViT",
        hidden_sizes=[16, 24, 32],
        neck_hidden_sizes=[8, 8, 16, 16, 24, 24, 32],
        num_attention_heads=2,
    ),
    vision(
        "segformer",
        "Segformer",
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 1, 2, 2],
        decoder_hidden_size=16,
    ),
    vision(
        "poolformer", "PoolFormer", hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1]
    ),
    vision(
        "levit",
        "Levit",
        size=64,
        hidden_sizes=[16, 16, 32],
        num_attention_heads=[2, 2, 2],
        depths=[1, 1, 1],
        key_dim=[8, 8, 8],
    ),
    Family("clip", clip, pairs, compares_samples=True),
    of_timm("resnet18", "resnet18"),
    of_timm("mobilenetv2", "mobilenetv2_035", **SMOOTH),
    of_timm("mobilenetv3", "mobilenetv3_small_050", drop_rate=0.0),
    of_timm("efficientnet", "efficientnet_b0", drop_rate=0.0),
    of_timm("densenet", "densenet121", **SMOOTH),
    of_timm("vgg-bn", "vgg11_bn", drop_rate=0.0, seed=6),  # 5: a corner of a pool
    of_timm("mixer", "mixer_s32_224", 64, img_size=64),
    of_timm("ghostnet", "ghostnet_050", lr=0.005, smooth=True, drop_rate=0.0),
    of_timm("xception", "xception41", smooth=True),
    hugging(
        "ast",
        "ASTConfig",
        "ASTForAudioClassification",
        lambda: {"input_values": torch.randn(SAMPLES, 32, 16), "labels": classes()},
        {
            **{k: v for k, v in VIT.items() if k != "patch_size"},
            "patch_size": 8,
            "max_length": 32,
            "num_mel_bins": 16,
            "frequency_stride": 8,
            "time_stride": 8,
            "num_labels": CLASSES,
        },
    ),
    hugging(
        "fnet",
        "FNetConfig",
        "FNetForSequenceClassification",
        lambda: {"input_ids": tokens(), "labels": classes()},
        {k: v for k, v in SMALL.items() if k != "num_attention_heads"},
    ),
    hugging(
        "wav2vec2",
        "Wav2Vec2Config",
        "Wav2Vec2ForSequenceClassification",
        lambda: {"input_values": torch.randn(SAMPLES, 400), "labels": classes()},
        {
            "vocab_size": 20,
            "hidden_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 40,
            "conv_dim": [8, 8],
            "conv_stride": [5, 4],
            "conv_kernel": [10, 4],
            "num_conv_pos_embeddings": 4,
            "num_conv_pos_embedding_groups": 4,
            "apply_spec_augment": False,
            "num_labels": CLASSES,
            "classifier_proj_size": 16,
        },
    ),
    hugging(
        "whisper",
        "WhisperConfig",
        "WhisperForConditionalGeneration",
        lambda: {
            "decoder_input_ids": tokens(9),
            # Without it the model looks for packed sequences, with aten::diff,
            # which TorchScript does not export.
            "decoder_attention_mask": torch.ones(SAMPLES, 9, dtype=torch.int64),
            "input_features": torch.randn(SAMPLES, 8, 40),
            "labels": targets(tokens(9), before_ends(9)),
        },
        {
            **BART,
            "num_mel_bins": 8,
            "max_source_positions": 20,
            "max_target_positions": 16,
            "suppress_tokens": None,
            "begin_suppress_tokens": None,
        },
    ),
    recurrent("lstm", nn.LSTM),
    recurrent("gru", nn.GRU),
    recurrent("rnn", nn.RNN),
    Family(
        "tabular",
        Tabular,
        lambda: {
            "x": torch.randn(SAMPLES, 6),
            "colour": torch.randint(5, (SAMPLES,)),
            "shape": torch.randint(9, (SAMPLES,)),
            "labels": classes(),
        },
    ),
    Family(
        "tabular-columns",
        TabularColumns,
        lambda: {
            "x": torch.randn(SAMPLES, 6),
            "categories": torch.stack(
                [torch.randint(size, (SAMPLES,)) for size in (5, 9)], 1
            ),
            "labels": classes(),
        },
    ),
    Family("feature-tokens", lambda: Classifier(FeatureTokens()), vectors(6)),
    Family("unet", UNet, pictures),
    Family("autoencoder", AutoEncoder, pictures),
    Family("spatial-transformer", lambda: Classifier(SpatialTransformer()), vectors(3, 16, 16)),
    Family("fold", lambda: Classifier(Folded()), vectors(3, 16, 16)),
    Family("spectrogram", lambda: Classifier(Spectrogram()), vectors(160)),
    Family("keywords", lambda: Classifier(Keywords()), vectors(20, 40)),
]
