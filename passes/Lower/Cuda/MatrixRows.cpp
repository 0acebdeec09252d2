// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of up to 16 bytes, and which element of an operand they give.
#include "passes/Lower/Cuda/MatrixRows.h"

#include "passes/Lower/Cuda/WordBlock.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

/// Words of the longest access.
static constexpr int64_t kLongest = 4;

MatrixRows::MatrixRows(KernelEmitter &emitter, const HeadTensor &tensor,
                       Value batch, Value head, int64_t step)
    : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
      indices(builder, loc), ops(builder, loc, tensor.element), tensor(tensor),
      isWhole(tensor.rows % step == 0) {
  ArrayRef<int64_t> strides = tensor.view.strides;
  base = indices.add(indices.index(tensor.view.offset),
                     indices.add(indices.mul(batch, strides[0]),
                                 indices.mul(head, strides[1])));
}

Value MatrixRows::clamped(Value row) const {
  return isWhole ? row : indices.min(row, indices.index(tensor.rows - 1));
}

Value MatrixRows::place(Value row, Value column) const {
  return indices.add(indices.add(base, column),
                     indices.mul(row, tensor.view.strides[2]));
}

/// Words of two elements.
MatrixRows::Words MatrixRows::load(Value at, int64_t words) const {
  return loadWords(builder, loc, tensor.buffer, at,
                   words * WordBlock::kWordBytes);
}

//===----------------------------------------------------------------------===//
// Along
//===----------------------------------------------------------------------===//

MatrixRows::Words MatrixRows::readAlong(Value row) const {
  Words words;
  for (int64_t column = 0; column < tensor.columns; column += 32) {
    int64_t chunk = std::min<int64_t>(tensor.columns - column, 32);
    Value own = indices.mul(ops.member(), chunk / 4);
    Value at = place(clamped(row), indices.add(own, column));
    llvm::append_range(words, load(at, chunk / 8));
  }
  return words;
}

MatrixRows::Lefts MatrixRows::readLeft(Value first) const {
  Value row = indices.add(first, ops.group());
  SmallVector<Value> upper = readAlong(row);
  SmallVector<Value> lower = readAlong(indices.add(row, MatrixOps::kColumns));
  Lefts all;
  for (int64_t i = 0; i < depthSteps(); ++i) {
    all.push_back(
        {upper[2 * i], lower[2 * i], upper[2 * i + 1], lower[2 * i + 1]});
  }
  return all;
}

MatrixRows::Words MatrixRows::loadAlong(Value first) const {
  return readAlong(indices.add(first, ops.group()));
}

MatrixRows::Rights MatrixRows::asRights(ArrayRef<Value> words) {
  Rights all;
  for (size_t i = 0; i < words.size(); i += 2) {
    all.push_back({words[i], words[i + 1]});
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Across
//===----------------------------------------------------------------------===//

SmallVector<MatrixRows::Chunk> MatrixRows::getChunks() const {
  SmallVector<Chunk> chunks;
  int64_t done = 0;
  for (int64_t blocks : {8, 4, 2}) {
    while (columnSteps() - done >= blocks) {
      chunks.push_back({done * MatrixOps::kColumns, blocks});
      done += blocks;
    }
  }
  return chunks;
}

MatrixRows::Words MatrixRows::loadAcross(Value first) const {
  Value row = indices.add(first, indices.mul(ops.member(), 2));
  Words all;
  for (auto [column, blocks] : getChunks()) {
    for (int64_t offset : MatrixOps::kRowsOfRight) {
      Value own = indices.mul(ops.group(), blocks);
      Value at =
          place(clamped(indices.add(row, offset)), indices.add(own, column));
      llvm::append_range(all, load(at, blocks / 2));
    }
  }
  return all;
}

MatrixRows::Rights MatrixRows::asColumns(ArrayRef<Value> words) const {
  Rights all;
  for (const Chunk &chunk : getChunks()) {
    int64_t count = chunk.blocks / 2;
    for (int64_t i = 0; i < count; ++i) {
      llvm::append_range(
          all, ops.pairColumns({words[i], words[count + i],
                                words[2 * count + i], words[3 * count + i]}));
    }
    words = words.drop_front(4 * count);
  }
  return all;
}

/// Member m has columns 2m and 2m + 1 of each instruction, and so twice as many
/// neighbours as a group.
void MatrixRows::storeRow(const AllSums &sums, unsigned half, Value row) const {
  for (auto [column, blocks] : getChunks()) {
    ArrayRef<MatrixOps::Sums> own =
        ArrayRef(sums).slice(column / MatrixOps::kColumns, blocks);
    SmallVector<Value> words;
    for (unsigned i = 2 * half; i < 2 * half + 2; ++i) {
      for (int64_t block = 0; block < blocks; block += 2) {
        words.push_back(ops.pack(own[block][i], own[block + 1][i]));
      }
    }
    Value member = indices.mul(ops.member(), 2 * blocks);
    Value at = place(row, indices.add(member, column));
    for (int64_t i = 0; i < blocks; i += kLongest) {
      auto each =
          ArrayRef(words).slice(i, std::min<int64_t>(blocks - i, kLongest));
      storeWords(builder, loc, each, tensor.buffer, indices.add(at, 2 * i),
                 std::ssize(each) * WordBlock::kWordBytes);
    }
  }
}

void MatrixRows::store(const AllSums &sums, Value first) const {
  for (unsigned half = 0; half < 2; ++half) {
    Value row = indices.add(indices.add(first, ops.group()),
                            half * MatrixOps::kColumns);
    if (isWhole) {
      storeRow(sums, half, row);
    } else {
      emitter.onlyIf(indices.isBelow(row, indices.index(tensor.rows)),
                     [&] { storeRow(sums, half, row); });
    }
  }
}
