# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-50 of 1000 classes. As a program exports it to be trained: resnet.py MODEL.onnx SIZE, for images of SIZE x SIZE."""

import sys

import torch
from torch import nn

CLASSES = 1000


class Bottleneck(nn.Module):
    """Three convolutions beside what they are added to, which a fourth one brings to their shape where it has another."""

    def __init__(self, channels, width, stride):
        super().__init__()
        out = 4 * width
        self.inner = nn.Sequential(
            *unit(channels, width, 1, 1), nn.ReLU(),
            *unit(width, width, 3, stride), nn.ReLU(),
            *unit(width, out, 1, 1),
        )
        self.outer = nn.Sequential(*unit(channels, out, 1, stride)) if channels != out or stride != 1 else nn.Identity()
        self.end = nn.ReLU()

    def forward(self, x):
        return self.end(self.inner(x) + self.outer(x))


def unit(channels, out, kernel, stride):
    return nn.Conv2d(channels, out, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(out)


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(*unit(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        blocks, channels = [], 64
        for width, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                blocks.append(Bottleneck(channels, width, 2 if number == 0 and width > 64 else 1))
                channels = 4 * width
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, CLASSES)

    def forward(self, image):
        return self.head(self.pool(self.blocks(self.stem(image))).flatten(1))


def main():
    path, size = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(0)
    # The default exporter merges batch norms into convolutions.
    torch.onnx.export(ResNet50().train(), torch.zeros(2, 3, size, size), path, dynamo=False, training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
                      input_names=["image"], output_names=["logits"], dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})


if __name__ == "__main__":
    main()
