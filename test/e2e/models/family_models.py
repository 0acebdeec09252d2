# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of families.py that no library has, and losses: small."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, CLASSES = 61, 7


class Classifier(nn.Module):
    """Any model of images or vectors, with cross entropy."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, labels):
        return F.cross_entropy(self.model(x), labels)


class WithLoss(nn.Module):
    """A model of transformers, with a loss as the only output: its own, or the
    cross entropy of its logits."""

    def __init__(self, model, own_loss=True):
        super().__init__()
        self.model, self.own_loss = model, own_loss

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        decoder_input_ids=None,
        decoder_attention_mask=None,
        pixel_values=None,
        input_values=None,
        input_features=None,
        labels=None,
    ):
        inputs = {
            "input_ids": input_ids,
            "attention_mask": attention_mask,
            "decoder_input_ids": decoder_input_ids,
            "decoder_attention_mask": decoder_attention_mask,
            "pixel_values": pixel_values,
            "input_values": input_values,
            "input_features": input_features,
            "labels": labels,
        }
        given = {name: value for name, value in inputs.items() if value is not None}
        if self.own_loss:
            return self.model(**given).loss
        del given["labels"]
        return F.cross_entropy(self.model(**given).logits, labels)


class Pairs(nn.Module):
    """Two towers of transformers, and which text belongs to which image. The model's
    own loss has the example's number of samples in the file: len() is a number, where
    shape[0] is symbolic."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, pixel_values):
        scores = self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            pixel_values=pixel_values,
        ).logits_per_text
        own = torch.arange(scores.shape[0], device=scores.device)
        return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 12)
        self.core = kind(12, 10, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(20, CLASSES)

    def forward(self, x):
        return self.head(self.core(self.embedding(x))[0][:, -1])


class Tabular(nn.Module):
    """Numbers and categories of tables of different sizes."""

    def __init__(self):
        super().__init__()
        self.colours, self.shapes = nn.Embedding(5, 4), nn.Embedding(9, 4)
        self.body = nn.Sequential(
            nn.BatchNorm1d(14),
            nn.Linear(14, 32),
            nn.ReLU(),
            nn.BatchNorm1d(32),
            nn.Linear(32, CLASSES),
        )

    def forward(self, x, colour, shape, labels):
        features = torch.cat([x, self.colours(colour), self.shapes(shape)], 1)
        return F.cross_entropy(self.body(features), labels)


class TabularColumns(nn.Module):
    """The same with all categories in one input, a column for each."""

    def __init__(self):
        super().__init__()
        self.table = Tabular()

    def forward(self, x, categories, labels):
        return self.table(x, categories[:, 0], categories[:, 1], labels)


class FeatureTokens(nn.Module):
    """FT-Transformer: a token for each column."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 16) * 0.2)
        self.bias = nn.Parameter(torch.randn(6, 16) * 0.2)
        self.cls = nn.Parameter(torch.randn(1, 1, 16) * 0.2)
        layer = nn.TransformerEncoderLayer(
            16, 4, 32, dropout=0.0, batch_first=True, norm_first=True
        )
        self.core = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x):
        rows = x[:, :, None] * self.weight + self.bias
        cls = self.cls.expand(x.shape[0], -1, -1)
        return self.head(self.core(torch.cat([cls, rows], 1))[:, 0])


class UNet(nn.Module):
    def __init__(self):
        super().__init__()

        def block(a, b):
            return nn.Sequential(
                nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU()
            )

        self.down1, self.down2, self.middle = block(3, 8), block(8, 16), block(16, 16)
        self.up = nn.ConvTranspose2d(16, 16, 2, 2)
        self.last = nn.Sequential(block(24, 8), nn.Conv2d(8, 3, 1))

    def forward(self, x, target):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.up(self.middle(b))
        return F.mse_loss(self.last(torch.cat([a, c], 1)), target)


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 8, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(8, 16, 4, 2, 1),
            nn.BatchNorm2d(16),
            nn.LeakyReLU(0.2),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 4, 2, 1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 3, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, x, target):
        return F.mse_loss(self.decoder(self.encoder(x)), target)


class Keywords(nn.Module):
    """Audio: mel frames through one-dimensional convolutions."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(20, 16, 5, 2, 2),
            nn.BatchNorm1d(16),
            nn.GELU(),
            nn.Conv1d(16, 16, 3, 1, 2, dilation=2, groups=4),
            nn.GELU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(16, CLASSES),
        )

    def forward(self, x):
        return self.body(x)


class Spectrogram(nn.Module):
    """Audio from its samples on: a spectrum of each frame, on a mel scale, whose
    window is learned."""

    def __init__(self):
        super().__init__()
        self.window = nn.Parameter(torch.hann_window(32).clone())
        self.register_buffer("mel", torch.rand(17, 9))
        self.body = nn.Sequential(
            nn.Conv1d(9, 12, 3, 2, 1),
            nn.GELU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(12, CLASSES),
        )

    def forward(self, x):
        spectrum = torch.stft(x, 32, 10, 32, self.window, return_complex=True)
        power = torch.view_as_real(spectrum).square().sum(-1)
        mel = torch.matmul(power.transpose(1, 2), self.mel)
        return self.body(torch.log(mel + 0.1).transpose(1, 2))


class SpatialTransformer(nn.Module):
    """Each image says from where it is read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("same", torch.eye(2, 3))
        self.where = nn.Sequential(
            nn.Conv2d(3, 4, 5, 4, 2), nn.GELU(), nn.Flatten(), nn.Linear(64, 6)
        )
        self.head = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1),
            nn.GELU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(32, CLASSES),
        )

    def forward(self, x):
        moved = self.same + 0.3 * self.where(x).view(-1, 2, 3)
        grid = F.affine_grid(moved, list(x.shape), align_corners=False)
        return self.head(F.grid_sample(x, grid, "bilinear", "border", False))


class Folded(nn.Module):
    """Patches that overlap are changed, and added up again."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Sequential(nn.Linear(27, 48), nn.GELU(), nn.Linear(48, 36))
        self.head = nn.Linear(4 * 16, CLASSES)

    def forward(self, x):
        patches = F.unfold(x, 3, padding=1, stride=2).transpose(1, 2)
        image = F.fold(self.patch(patches).transpose(1, 2), x.shape[2:], 3, 1, 1, 2)
        return self.head(F.adaptive_avg_pool2d(image, 4).flatten(1))


def smoothen(module):
    """Puts SiLU in the place of each ReLU."""
    for name, part in module.named_children():
        if isinstance(part, nn.ReLU):
            setattr(module, name, nn.SiLU())
        smoothen(part)
    return module
