# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the end-to-end tests: small, and each with sizes of its own.

Every builder returns a module in float32 whose parameters depend on the seed
only.  `perturb` adds N(0, 0.02) to every parameter, so that no two tensors are
equal and the exporter has nothing to merge or delete.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)


def perturb(model: nn.Module, seed: int) -> nn.Module:
    """Adds N(0, 0.02) to every parameter; a tied one is changed once."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.add_(0.02 * noise)
    return model


def gpt2(
    dropout: float = 0.0,
    fresh: bool = False,
    seed: int = 1,
    kind: type[GPT2LMHeadModel] = GPT2LMHeadModel,
) -> nn.Module:
    """Hugging Face GPT-2: 2 layers, 3 heads of 12, 48 positions for T = 32."""
    config = GPT2Config(
        vocab_size=211,
        n_positions=48,
        n_embd=36,
        n_layer=2,
        n_head=3,
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    torch.manual_seed(seed)
    model = kind(config)
    return model if fresh else perturb(model, seed + 1)


# 2 layers, 6 heads on 2 key heads, more positions than T = 32.  No pad_token_id:
# PyTorch would not train that row of the table, and the file does not say so.
GROUPED = {
    "vocab_size": 211,
    "hidden_size": 36,
    "intermediate_size": 52,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "use_cache": False,
    "bos_token_id": 0,
    "eos_token_id": 0,
}


def llama(fresh: bool = False, seed: int = 31) -> nn.Module:
    """Hugging Face Llama: heads of 6, a head of its own."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(LlamaConfig(**GROUPED))
    return model if fresh else perturb(model, seed + 1)


def qwen3(seed: int = 33) -> nn.Module:
    """Hugging Face Qwen3: heads of 10 with norms, a tied head."""
    torch.manual_seed(seed)
    config = Qwen3Config(**GROUPED, head_dim=10, tie_word_embeddings=True)
    return perturb(Qwen3ForCausalLM(config), seed + 1)


def mistral(seed: int = 35) -> nn.Module:
    """Hugging Face Mistral: each position sees itself and the 7 before it."""
    torch.manual_seed(seed)
    config = MistralConfig(**GROUPED, head_dim=6, sliding_window=8)
    return perturb(MistralForCausalLM(config), seed + 1)


def gemma(seed: int = 51) -> nn.Module:
    """Hugging Face Gemma 3: norms scale by 1 + weight, also queries and keys; one
    layer with a window, one without."""
    torch.manual_seed(seed)
    config = Gemma3TextConfig(
        **{**GROUPED, "vocab_size": 61, "hidden_size": 24, "num_attention_heads": 4},
        pad_token_id=0,
        head_dim=6,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention"],
    )
    return perturb(Gemma3ForCausalLM(config), seed + 1)


class Gpt2WithLoss(GPT2LMHeadModel):
    """What people export to train with the model's own loss."""

    def forward(self, input_ids, attention_mask, labels):
        output = super().forward(
            input_ids=input_ids, attention_mask=attention_mask, labels=labels
        )
        return output.loss, output.logits


class CausalAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.query_key_value(x).split(width, dim=2)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


class FeedForward(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.widen = nn.Linear(width, 4 * width, bias=False)
        self.narrow = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(F.gelu(self.widen(x)))


class Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width, bias=False)
        self.attention = CausalAttention(width, heads)
        self.feed_norm = nn.LayerNorm(width, bias=False)
        self.feed = FeedForward(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed(self.feed_norm(x))


class Decoder(nn.Module):
    """A decoder as people write it by hand: no biases, exact GELU, tied head."""

    def __init__(self, vocabulary: int, positions: int, width: int, heads: int):
        super().__init__()
        self.token_table = nn.Embedding(vocabulary, width)
        self.position_table = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(2))
        self.final_norm = nn.LayerNorm(width, bias=False)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.token_table.weight
        for parameter in self.parameters():
            if parameter.dim() >= 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.position_table(places)
        for block in self.blocks:
            x = block(x)
        return self.head(self.final_norm(x))


def decoder(positions: int, seed: int) -> nn.Module:
    """2 layers, 4 heads of 10; T = 24, the position table may be longer."""
    torch.manual_seed(seed)
    return perturb(Decoder(199, positions, width=40, heads=4), seed + 1)


def decoder16(seed: int = 15) -> nn.Module:
    """All sizes are multiples of 16: products in fp8 want them."""
    torch.manual_seed(seed)
    return perturb(Decoder(160, positions=32, width=32, heads=2), seed + 1)


class Classifier(nn.Module):
    """An MLP on flat features; dropout after every activation."""

    def __init__(self, sizes: tuple[int, ...], dropout: float):
        super().__init__()
        layers: list[nn.Module] = []
        for fan_in, fan_out in zip(sizes[:-2], sizes[1:-1]):
            layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
            if dropout > 0:
                layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Activations(nn.Module):
    """Four features for each activation, then operators without a gradient, and norms."""

    def __init__(self):
        super().__init__()
        self.kinds = nn.ModuleList(
            [
                nn.LeakyReLU(0.1),
                nn.ELU(0.7),
                nn.SELU(),
                nn.CELU(1.3),
                nn.Softplus(),
                nn.Softsign(),
                nn.Mish(),
                nn.Hardswish(),
                nn.Hardsigmoid(),
                nn.PReLU(4),
            ]
        )
        self.first = nn.Linear(21, 40)
        self.middle = nn.Linear(40, 24)
        self.last = nn.Linear(48, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.first(x).chunk(10, dim=1)
        x = torch.cat([kind(part) for kind, part in zip(self.kinds, parts)], dim=1)
        x = self.middle(x)
        whole = torch.round(4 * x) + torch.floor(3 * x) - torch.ceil(5 * x)
        x = x + 0.02 * whole + 0.05 * torch.sign(x)
        best = F.one_hot(x.argmax(dim=1), 24).to(x.dtype)
        x = 4 * F.normalize(x, dim=1) + 0.2 * best * x
        x = x - 0.3 * x.amin(dim=1, keepdim=True)
        x = x + 0.01 * torch.linalg.vector_norm(x, ord=1, dim=1, keepdim=True)
        return self.last(x.repeat(1, 2))


class ConvNet(nn.Module):
    """Convolutions with padding, strides, groups, dilation; pools that overlap or not."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.grouped = nn.Conv2d(8, 12, (3, 5), (2, 1), (1, 2), groups=4, bias=False)
        self.depthwise = nn.Conv2d(12, 24, 3, padding=2, dilation=2, groups=12)
        self.pointwise = nn.Conv2d(24, 16, 1)
        self.skip = nn.Conv2d(24, 16, 1, stride=1, bias=False)
        self.head = nn.Linear(16, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.stem(image)), 3, 2, 1)
        x = F.relu(self.grouped(x))
        x = F.gelu(self.depthwise(x))
        x = F.avg_pool2d(x, 2, ceil_mode=True)
        x = F.relu(self.pointwise(x) + self.skip(x))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Gpt2WithPositions(GPT2LMHeadModel):
    """Everything that Hugging Face's forward takes, given."""

    def forward(self, input_ids, attention_mask, position_ids, labels):
        output = super().forward(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            labels=labels,
        )
        return output.loss, output.logits


class Normalized(nn.Module):
    """A batch norm behind a layer, which exporters merge into it."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(5, 7)
        self.norm = nn.BatchNorm1d(7)
        self.narrow = nn.Linear(7, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(F.relu(self.norm(self.wide(x))))


class BatchNormalized(nn.Module):
    """Batch norms of features, of images, and of rows, several for a sample. None
    stands right behind a layer that the default exporter merges it into."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(5, 12)
        self.norm = nn.BatchNorm1d(12)
        self.image = nn.Linear(12, 24)
        self.image_norm = nn.BatchNorm2d(4, eps=1e-3, momentum=0.3)
        self.row_norm = nn.BatchNorm1d(4)
        self.narrow = nn.Linear(24, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(torch.tanh(self.wide(x)))
        x = torch.tanh(self.image_norm(self.image(x).reshape(-1, 4, 2, 3)))
        rows = x.flatten(2).transpose(1, 2).reshape(-1, 4)
        return self.narrow(self.row_norm(rows).reshape(-1, 24))


class Smoothed(nn.Module):
    """A classifier with a loss of its own, whose labels are smoothed."""

    def __init__(self, classifier: nn.Module):
        super().__init__()
        self.classifier = classifier

    def forward(self, x: torch.Tensor, labels: torch.Tensor):
        logits = self.classifier(x)
        return F.cross_entropy(logits, labels, label_smoothing=0.1), logits


class Weighted(nn.Module):
    """The same with classes that weigh differently, of which the loss is a mean
    over the weights, and more smoothing."""

    def __init__(self, classifier: nn.Module):
        super().__init__()
        self.classifier = classifier
        self.register_buffer("weights", torch.linspace(0.02, 0.2, 10))

    def forward(self, x: torch.Tensor, labels: torch.Tensor):
        logits = self.classifier(x)
        loss = F.cross_entropy(
            logits, labels, weight=self.weights, label_smoothing=0.2
        )
        return loss, logits

    def count_targets(self, labels: torch.Tensor) -> int:
        """What the loss is divided by, to the next whole number."""
        return round(self.weights[labels].sum().item())


class TwoHeads(nn.Module):
    """A mean over the labels that are not ignored, beside one over all numbers of
    another target, and a penalty on a weight."""

    def __init__(self, encoder: nn.Module):
        super().__init__()
        self.encoder = encoder
        self.other = nn.Linear(10, 3)

    def forward(self, x: torch.Tensor, labels: torch.Tensor, y: torch.Tensor):
        hidden = self.encoder(x)
        classes = F.cross_entropy(hidden, labels)
        distance = F.mse_loss(self.other(torch.tanh(hidden)), y)
        penalty = self.other.weight.square().sum()
        return 0.7 * classes + 0.3 * distance + 0.01 * penalty, hidden

    def count_targets(self, labels: torch.Tensor) -> int:
        """Samples: what is trained is one number for each."""
        return len(labels)


def two_heads(seed: int = 49) -> nn.Module:
    torch.manual_seed(seed)
    return TwoHeads(perturb(Classifier((21, 33, 17, 10), dropout=0.0), seed + 1))


class MaskedLm(nn.Module):
    """An encoder with positions in front of samples, as PyTorch's default has
    them, and the loss of the positions that are asked for."""

    def __init__(self, dropout: float):
        super().__init__()
        self.table = nn.Embedding(43, 18)
        self.positions = nn.Parameter(0.02 * torch.randn(10, 1, 18))
        layer = nn.TransformerEncoderLayer(18, 3, 27, dropout)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(18, 43)

    def forward(self, ids: torch.Tensor, labels: torch.Tensor):
        x = self.table(ids).transpose(0, 1) + self.positions
        logits = self.head(self.encoder(x)).transpose(0, 1)
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits


def masked_lm(dropout: float = 0.0, seed: int = 47) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(MaskedLm(dropout), seed + 1)


class PaddedDecoder(nn.Module):
    """A table with a padding row, which the tied head trains all the same."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(29, 12, padding_idx=3)
        self.mix = nn.Linear(12, 12)
        self.head = nn.Linear(12, 29, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.mix(self.table(tokens))))


def padded_decoder(seed: int = 43) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(PaddedDecoder(), seed + 1)


class Centered(nn.Module):
    """A classifier that subtracts the mean of the batch: samples are mixed."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8, bias=False)
        self.second = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return self.second(torch.tanh(hidden - hidden.mean(0)))


def centered(seed: int = 45) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(Centered(), seed + 1)


def batch_norm(fresh: bool = False, seed: int = 47) -> nn.Module:
    """With running statistics of their own, unless `fresh`: then they are 0 and 1,
    as are weights of norms, and the default exporter merges what is equal."""
    torch.manual_seed(seed)
    model = BatchNormalized()
    if fresh:
        return model
    for norm in (model.norm, model.image_norm, model.row_norm):
        nn.init.normal_(norm.running_mean, std=0.3)
        nn.init.uniform_(norm.running_var, 0.5, 1.5)
    return perturb(model, seed + 1)


def gpt2_lora(seed: int = 41) -> nn.Module:
    """GPT-2 with PEFT's LoRA on both projections of attention."""
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=3, lora_alpha=6, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True
    )
    torch.manual_seed(seed)
    return perturb(get_peft_model(gpt2(), config).get_base_model(), seed + 1)


class Twins(nn.Module):
    """Two tied layers and two new norms, which are equal but not tied."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8, bias=False)
        self.second = nn.Linear(8, 8, bias=False)
        self.second.weight = self.first.weight
        self.norm1 = nn.LayerNorm(8)
        self.norm2 = nn.LayerNorm(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm2(self.second(self.norm1(self.first(x))))


class Scale(nn.Module):
    """Of a channel, as layer scale and group norm have it."""

    def __init__(self, channels: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight[:, None]


class Folded(nn.Module):
    """Weights that the exporter folds into what is made of them. The two scales are
    equal, so it merges what it folded of them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(24, 21) / 5)
        self.bend = nn.PReLU(24)
        self.scales = nn.ModuleList([Scale(4), Scale(4)])
        self.shift = nn.Parameter(torch.randn(6) / 5)
        self.places = nn.Parameter(torch.randn(1, 4, 6) / 5)
        self.last = nn.Linear(24, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bend(x @ self.first.T).view(-1, 4, 6)
        y = self.scales[0](y) + self.shift[None, None]
        y = torch.tanh(y) + self.places[:, :4]
        return self.last(self.scales[1](y).flatten(1))


def folded(seed: int = 55) -> nn.Module:
    torch.manual_seed(seed)
    return Folded()


class Indexing(nn.Module):
    """Reads and writes at indices that are computed; sorts, pads, resizes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(21, 24)
        self.table = nn.Parameter(torch.randn(6, 5) / 3)
        self.last = nn.Linear(279, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(self.first(x)).view(-1, 4, 6)
        samples = torch.arange(h.shape[0])
        signs = (h > 0).long()
        best = h.argmax(2, keepdim=True)
        row = h.sum(2).argmax(1)
        values, places = h.topk(3, dim=2)
        rows = h.clone()
        rows[:, 1] = h[:, 0] * 2
        rows[:, :, 3:5] = h[:, :, :2]
        image = h[:, None]
        parts = [
            torch.gather(h, 2, signs),
            torch.zeros_like(h).scatter_add(2, signs, h),
            h.scatter(2, best, h[:, :, :1] / 2),
            values * (1 + places),
            h[samples, row],
            self.table[best[:, :, 0]],
            rows,
            h.index_put((samples, row), h[:, 0] / 3),
            h.index_put((samples, row), h[:, 3], accumulate=True),
            F.pad(h, (2, 3), mode="reflect")[:, :1],
            F.pad(h, (3, 1), mode="replicate")[:, :1],
            F.pad(h, (1, 2), mode="circular")[:, 1:2],
            h.cumsum(2) * 0.2,
            torch.einsum("bij,bkj->bik", h, h),
            F.interpolate(h, size=9, mode="linear")[:, :1],
            F.interpolate(image, size=(6, 3), mode="bicubic")[:, 0, :2],
            F.interpolate(image, scale_factor=2.0)[:, 0, ::3, :4],
        ]
        return self.last(torch.cat([part.flatten(1) for part in parts], dim=1))


def indexing(seed: int = 57) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(Indexing(), seed + 1)


def twins(seed: int = 7) -> nn.Module:
    torch.manual_seed(seed)
    return Twins()


def mlp(dropout: float = 0.0, seed: int = 5) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(Classifier((21, 33, 17, 10), dropout), seed + 1)


def activations(seed: int = 35) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(Activations(), seed + 1)


def convnet(seed: int = 51) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(ConvNet(), seed + 1)


def mlp16(seed: int = 17) -> nn.Module:
    """All sizes are multiples of 16: products in fp8 want them."""
    torch.manual_seed(seed)
    return perturb(Classifier((32, 64, 48, 16), dropout=0.0), seed + 1)
