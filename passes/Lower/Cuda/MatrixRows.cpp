// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of up to 16 bytes, and which element of an operand they give.
#include "passes/Lower/Cuda/MatrixRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

/// Bytes of a word of two elements, and words of the longest access.
static constexpr int64_t kWordBytes = 4;
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

MatrixRows::Words MatrixRows::loadWords(Value at, int64_t words) const {
  auto elements = VectorType::get(2 * words, builder.getI16Type());
  Value loaded = vector::LoadOp::create(builder, loc, elements, tensor.buffer,
                                        ValueRange{at}, /*nontemporal=*/false,
                                        llvm::MaybeAlign(words * kWordBytes));
  Value asWords = vector::BitCastOp::create(
      builder, loc, VectorType::get(words, builder.getI32Type()), loaded);
  SmallVector<Value> all;
  for (int64_t i = 0; i < words; ++i) {
    all.push_back(vector::ExtractOp::create(builder, loc, asWords, i));
  }
  return all;
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
    llvm::append_range(words, loadWords(at, chunk / 8));
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

/// Of both words of B, behind the first that the member has.
static constexpr std::array<int64_t, 4> kRowsOfWords = {0, 1, 8, 9};

MatrixRows::Words MatrixRows::loadAcross(Value first) const {
  Value row = indices.add(first, indices.mul(ops.member(), 2));
  Words all;
  for (auto [column, blocks] : getChunks()) {
    for (int64_t offset : kRowsOfWords) {
      Value own = indices.mul(ops.group(), blocks);
      Value at =
          place(clamped(indices.add(row, offset)), indices.add(own, column));
      llvm::append_range(all, loadWords(at, blocks / 2));
    }
  }
  return all;
}

MatrixRows::Rights MatrixRows::asColumns(ArrayRef<Value> words) const {
  Rights all;
  for (const Chunk &chunk : getChunks()) {
    int64_t count = chunk.blocks / 2;
    for (int64_t i = 0; i < count; ++i) {
      std::array<Value, 4> rows = {words[i], words[count + i],
                                   words[2 * count + i], words[3 * count + i]};
      all.push_back(
          {ops.pairLow(rows[0], rows[1]), ops.pairLow(rows[2], rows[3])});
      all.push_back(
          {ops.pairHigh(rows[0], rows[1]), ops.pairHigh(rows[2], rows[3])});
    }
    words = words.drop_front(4 * count);
  }
  return all;
}

void MatrixRows::storeWords(ArrayRef<Value> words, Value at) const {
  int64_t count = words.size();
  Value vector = vector::FromElementsOp::create(
      builder, loc, VectorType::get(count, builder.getI32Type()), words);
  Value elements = vector::BitCastOp::create(
      builder, loc, VectorType::get(2 * count, builder.getI16Type()), vector);
  vector::StoreOp::create(builder, loc, elements, tensor.buffer, ValueRange{at},
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(count * kWordBytes));
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
      storeWords(
          ArrayRef(words).slice(i, std::min<int64_t>(blocks - i, kLongest)),
          indices.add(at, 2 * i));
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
