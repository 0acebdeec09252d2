# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of the goldens: small, fixed, and with something to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from training import IGNORED, Data


def token_stream(vocabulary: int, count: int, seed: int) -> np.ndarray:
    """Four of five tokens follow from the one before, the fifth is random."""
    random = np.random.default_rng(seed)
    tokens = np.zeros(count, dtype=np.uint16)
    for i in range(1, count):
        successor = (3 * int(tokens[i - 1]) + 7) % vocabulary
        if random.random() < 0.2:
            successor = int(random.integers(vocabulary))
        tokens[i] = successor
    return tokens


def samples_of(tokens: np.ndarray, length: int) -> Data:
    """Sample i is tokens [iT, iT + T]: T inputs and their T successors.

    What is left at the end and makes no whole sample is not used.
    """
    count = (len(tokens) - 1) // length
    inputs = tokens[: count * length].reshape(count, length)
    targets = tokens[1 : count * length + 1].reshape(count, length)
    return Data(inputs.astype(np.int64), targets.astype(np.int64))


def load_tokens(path: Path, length: int) -> Data:
    return samples_of(np.fromfile(path, dtype="<u2"), length)


def load_arrays(inputs: Path, labels: Path) -> Data:
    return Data(np.load(inputs), np.load(labels))


def load_labelled(folder: Path) -> Data:
    """Features, and labels that the model wants for its own loss."""
    labels = np.load(folder / "labels.npy")
    return Data(np.load(folder / "x.npy"), labels, {"labels": labels})


def write_masked(folder: Path, vocabulary: int, length: int, seed: int) -> None:
    """Rows of which some tokens are replaced by the last one, and asked for.

    Of samples 2 and 3, a whole microbatch of two, nothing is.
    """
    random = np.random.default_rng(seed)
    ids = samples_of(token_stream(vocabulary - 1, 41 * length + 1, seed), length).inputs
    asked = random.random(ids.shape) < random.random((len(ids), 1)) / 2
    asked[2:4] = False
    np.save(folder / "ids.npy", np.where(asked, vocabulary - 1, ids))
    np.save(folder / "labels.npy", np.where(asked, ids, IGNORED))


def load_masked(folder: Path) -> Data:
    labels = np.load(folder / "labels.npy")
    return Data(np.load(folder / "ids.npy"), labels, {"labels": labels})


def write_two(folder: Path, seed: int) -> None:
    """Classes, of which a third are ignored, those of samples 2 and 3 among
    them, and numbers."""
    write_features(folder, 21, 10, seed)
    random = np.random.default_rng(seed + 1)
    labels = np.load(folder / "labels.npy")
    labels[random.random(len(labels)) < 1 / 3] = IGNORED
    labels[2:4] = IGNORED
    np.save(folder / "labels.npy", labels)
    y = random.normal(size=(len(labels), 3)).astype(np.float32)
    np.save(folder / "y.npy", y)


def load_two(folder: Path) -> Data:
    labels = np.load(folder / "labels.npy")
    others = {"labels": labels, "y": np.load(folder / "y.npy")}
    return Data(np.load(folder / "x.npy"), labels, others)


def shift_left(rows: np.ndarray) -> np.ndarray:
    """Each row's next elements; the last position is ignored."""
    shifted = np.full_like(rows, IGNORED)
    shifted[:, :-1] = rows[:, 1:]
    return shifted


def load_shifted(inputs: Path) -> Data:
    """Token ids alone: shifted left by one, the last position ignored."""
    rows = np.load(inputs)
    return Data(rows, shift_left(rows))


def load_own(path: Path, length: int) -> Data:
    """Rows of a stream whose labels the model makes itself: the rows shifted."""
    rows = load_tokens(path, length).inputs
    return Data(rows, shift_left(rows))


def load_padded(folder: Path) -> Data:
    """Rows that end at different places; labels as the model wants them,
    beside the ids."""
    inputs = np.load(folder / "padded_ids.npy")
    targets = shift_left(np.load(folder / "padded_labels.npy"))
    return Data(inputs, targets, {"attention_mask": np.load(folder / "padding.npy")})


def write_padded(folder: Path, vocabulary: int, length: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    ids = samples_of(token_stream(vocabulary, 41 * length + 1, seed), length).inputs
    ends = random.integers(2, length + 1, size=len(ids))
    mask = (np.arange(length) < ends[:, None]).astype(np.int64)
    np.save(folder / "padded_ids.npy", ids * mask)
    np.save(folder / "padding.npy", mask)
    np.save(folder / "padded_labels.npy", np.where(mask == 1, ids, IGNORED))


def write_tokens(path: Path, vocabulary: int, count: int, seed: int) -> None:
    token_stream(vocabulary, count, seed).astype("<u2").tofile(path)


def write_arrays(folder: Path, vocabulary: int, length: int, seed: int) -> None:
    """Token ids and aligned labels, of which unequal numbers are ignored.

    Samples 2 and 3, a whole microbatch of two, have no valid target at all.
    """
    random = np.random.default_rng(seed)
    data = samples_of(token_stream(vocabulary, 61 * length + 1, seed), length)
    for row, labels in enumerate(data.targets):
        labels[: random.integers(length)] = IGNORED
        if row in (2, 3):
            labels[:] = IGNORED
    np.save(folder / "input_ids.npy", data.inputs)
    np.save(folder / "labels.npy", data.targets)


def write_images(folder: Path, shape: tuple, classes: int, seed: int) -> None:
    """Noise over one pattern for each class."""
    random = np.random.default_rng(seed)
    patterns = random.normal(size=(classes, *shape))
    labels = random.integers(classes, size=61)
    image = patterns[labels] + 0.5 * random.normal(size=(61, *shape))
    np.save(folder / "image.npy", image.astype(np.float32))
    np.save(folder / "labels.npy", labels.astype(np.int64))


def write_features(folder: Path, width: int, classes: int, seed: int) -> None:
    """Noisy points around one centre per class."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(classes, width))
    labels = random.integers(classes, size=101)
    x = centres[labels] + 0.5 * random.normal(size=(101, width))
    np.save(folder / "x.npy", x.astype(np.float32))
    np.save(folder / "labels.npy", labels.astype(np.int64))
