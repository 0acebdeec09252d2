// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouped products of 16 bits by matrix instructions. Which element of a sum an
// instruction takes for which is free as long as both operands agree, and so is
// which of its columns is which column of the result: a thread, member m of
// group g, has neighbours in memory.
//
//   along a row, of 32 summed elements    8 m to 8 m + 7: two instructions
//   across rows, of 64 columns            8 g to 8 g + 7, one for each of eight
//                                         instructions; so of the result
//                                         16 m to 16 m + 15
#include "passes/Lower/Cuda/GroupedWarp.h"
#include "passes/Lower/Cuda/MatrixOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <array>

using namespace mlir;
using namespace accel;

namespace {

/// Instructions that make 64 columns; words of a thread's eight neighbours.
constexpr int64_t kBlocks = GroupedWarpTiles::kColumns / MatrixOps::kColumns;
constexpr int64_t kWords = kBlocks / 2;
/// Summed elements of a step along rows.
constexpr int64_t kStep = 32;
/// Numbers of a sum that a thread has.
constexpr int64_t kSums = 4;

class MatrixKernel : public GroupedWarp {
public:
  MatrixKernel(KernelEmitter &emitter, Operation *op,
               ArrayRef<int64_t> alignments)
      : GroupedWarp(emitter, op, alignments),
        ops(builder, loc, elementTypeOf(op->getOperand(0))),
        words(builder, loc, builder.getI32Type()) {
    if (tiles.isOuter) {
      kept = makeNumbers(kOuterBlocks * kBlocks * kSums);
    }
  }

  void emit() {
    forEachTile([&](const Tile &tile) {
      tiles.isOuter ? emitOuter(tile) : emitProducts(tile);
    });
  }

private:
  using Left = MatrixOps::Left;
  using Right = MatrixOps::Right;
  /// B of each of eight instructions.
  using Rights = std::array<Right, kBlocks>;

  void emitProducts(const Tile &tile);
  void emitRows(const Tile &tile, const FoundRows &found);
  Values multiplyStep(const Tile &tile, ArrayRef<Value> rows, Value k,
                      Values sums);
  std::array<Rights, 2> loadWeights(const Tile &tile, Value k);
  /// sums += left right, of eight instructions.
  void multiply(const Left &left, const Rights &right,
                MutableArrayRef<Value> sums) const;
  Rights acrossRows(const std::array<Values, 4> &rows) const;
  void emitOuter(const Tile &tile);
  void addOuter(const Tile &tile, const FoundRows &found);
  void storeOuter(const Tile &tile);
  /// The thread's 16 columns of row `half` of the sums of eight instructions.
  Values getRow(ArrayRef<Value> sums, int64_t half) const;

  Value group() const { return ops.group(); }
  Value member(int64_t times) const { return indices.mul(ops.member(), times); }

  /// Instructions for the rows of a sum of outer products.
  static constexpr int64_t kOuterBlocks = 2;

  MatrixOps ops;
  Arithmetic words;
  Values kept; ///< sums of outer products
};

} // namespace

void MatrixKernel::multiply(const Left &left, const Rights &right,
                            MutableArrayRef<Value> sums) const {
  for (auto [i, b] : llvm::enumerate(right)) {
    MatrixOps::Sums own;
    llvm::copy(sums.slice(i * kSums, kSums), own.begin());
    own = ops.multiply(left, b, own);
    llvm::copy(own, sums.begin() + i * kSums);
  }
}

/// Of two pairs of rows of a thread, of each its eight columns.
MatrixKernel::Rights
MatrixKernel::acrossRows(const std::array<Values, 4> &rows) const {
  Rights all;
  for (int64_t i = 0; i < kWords; ++i) {
    auto pair =
        ops.pairColumns({rows[0][i], rows[1][i], rows[2][i], rows[3][i]});
    llvm::copy(pair, all.begin() + 2 * i);
  }
  return all;
}

MatrixKernel::Values MatrixKernel::getRow(ArrayRef<Value> sums,
                                          int64_t half) const {
  Values row;
  for (int64_t i = 2 * half; i < 2 * half + 2; ++i) {
    for (int64_t block = 0; block < kBlocks; ++block) {
      row.push_back(sums[block * kSums + i]);
    }
  }
  return row;
}

//===----------------------------------------------------------------------===//
// Rows times matrices
//===----------------------------------------------------------------------===//

void MatrixKernel::emitProducts(const Tile &tile) {
  forEachRows(tile, MatrixOps::kRows,
              [&](const FoundRows &found) { emitRows(tile, found); });
}

void MatrixKernel::emitRows(const Tile &tile, const FoundRows &found) {
  Values places, rows;
  for (int64_t half = 0; half < 2; ++half) {
    places.push_back(indices.add(group(), half * MatrixOps::kColumns));
    rows.push_back(found.getRow(places.back()));
  }
  Values sums(kBlocks * kSums, m.number(0.0));
  sums = loop(0, tiles.inner, kStep, sums, [&](Value k, Values before) {
    return multiplyStep(tile, rows, k, before);
  });
  for (int64_t half = 0; half < 2; ++half) {
    Value isThere = indices.isBelow(places[half], found.getCount());
    emitter.onlyIf(isThere, [&] {
      Values row = getRow(sums, half), packed;
      for (size_t i = 0; i < row.size(); i += 2) {
        packed.push_back(ops.pack(row[i], row[i + 1]));
      }
      Value at = indices.add(indices.mul(rows[half], tiles.columns),
                             indices.add(tile.column, member(16)));
      result.storeWords(packed, at, 16);
    });
  }
}

/// 32 summed elements from `k` on.
MatrixKernel::Values MatrixKernel::multiplyStep(const Tile &tile,
                                                ArrayRef<Value> rows, Value k,
                                                Values sums) {
  Value first = indices.add(k, member(8));
  SmallVector<Values> left = llvm::map_to_vector(rows, [&](Value row) {
    return lhs.loadWords(indices.add(indices.mul(row, tiles.inner), first),
                         kWords, 8);
  });
  std::array<Rights, 2> right = loadWeights(tile, k);
  for (int64_t i = 0; i < 2; ++i) {
    multiply({left[0][2 * i], left[1][2 * i], left[0][2 * i + 1],
              left[1][2 * i + 1]},
             right[i], sums);
  }
  return sums;
}

/// For both instructions of a step the matrix's 64 columns.
std::array<MatrixKernel::Rights, 2> MatrixKernel::loadWeights(const Tile &tile,
                                                              Value k) {
  Value column = indices.add(tile.column, indices.mul(group(), 8));
  Value first = indices.add(k, member(8));
  std::array<Rights, 2> all;
  if (tiles.isTurned) {
    for (int64_t i = 0; i < kBlocks; ++i) {
      Value row = indices.mul(indices.add(column, i), tiles.inner);
      Values own = rhs.loadWords(
          indices.add(tile.begin, indices.add(row, first)), kWords, 8);
      all[0][i] = {own[0], own[1]};
      all[1][i] = {own[2], own[3]};
    }
    return all;
  }
  for (int64_t half = 0; half < 2; ++half) {
    std::array<Values, 4> rows;
    for (auto [i, each] : llvm::enumerate(rows)) {
      Value number = indices.add(first, 4 * half + static_cast<int64_t>(i));
      Value row = indices.mul(number, tiles.columns);
      each = rhs.loadWords(indices.add(tile.begin, indices.add(row, column)),
                           kWords, 8);
    }
    all[half] = acrossRows(rows);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Sums of outer products
//===----------------------------------------------------------------------===//

void MatrixKernel::emitOuter(const Tile &tile) {
  set(kept, Values(kept.size(), m.number(0.0)));
  forEachRows(tile, MatrixOps::kDepth,
              [&](const FoundRows &found) { addOuter(tile, found); });
  storeOuter(tile);
}

/// Row g of instruction i for the left side is its column 4 g + 2 i, and row
/// g + 8 the one behind that. Rows that are not there are zeros on both sides.
void MatrixKernel::addOuter(const Tile &tile, const FoundRows &found) {
  std::array<Values, 4> left, right;
  Value leftColumn = indices.add(tile.row, indices.mul(group(), 4));
  Value rightColumn = indices.add(tile.column, indices.mul(group(), 8));
  for (auto [i, offset] : llvm::enumerate(MatrixOps::kRowsOfRight)) {
    Value place = indices.add(member(2), offset);
    Value row = found.getRow(place);
    Value isThere = indices.isBelow(place, found.getCount());
    left[i] = lhs.loadWords(
        indices.add(indices.mul(row, tiles.inner), leftColumn), 2, 4);
    right[i] = rhs.loadWords(
        indices.add(indices.mul(row, tiles.columns), rightColumn), kWords, 8);
    auto keep = [&](Value word) {
      return words.select(isThere, word, words.integer(0));
    };
    llvm::transform(left[i], left[i].begin(), keep);
    llvm::transform(right[i], right[i].begin(), keep);
  }
  Rights columns = acrossRows(right);
  Values sums = get(kept);
  for (int64_t i = 0; i < kOuterBlocks; ++i) {
    Left rows = {ops.pairLow(left[0][i], left[1][i]),
                 ops.pairHigh(left[0][i], left[1][i]),
                 ops.pairLow(left[2][i], left[3][i]),
                 ops.pairHigh(left[2][i], left[3][i])};
    multiply(rows, columns,
             MutableArrayRef(sums).slice(i * kBlocks * kSums, kBlocks * kSums));
  }
  set(kept, sums);
}

void MatrixKernel::storeOuter(const Tile &tile) {
  Values sums = get(kept);
  for (int64_t i = 0; i < 2 * kOuterBlocks; ++i) {
    Value number =
        indices.add(tile.row, indices.add(indices.mul(group(), 4), i));
    Value at =
        indices.add(indices.add(tile.begin, indices.mul(number, tiles.columns)),
                    indices.add(tile.column, member(16)));
    Values row = getRow(
        ArrayRef(sums).slice(i / 2 * kBlocks * kSums, kBlocks * kSums), i % 2);
    Values before = loadInitial(indices.constantTrue(), row.size(),
                                [&] { return result.load(at, 16, 16); });
    for (auto [each, there] : llvm::zip_equal(row, before)) {
      each = m.add(there, each);
    }
    result.store(row, at, 16);
  }
}

void accel::emitGroupedMatrixKernel(KernelEmitter &emitter, Operation *op,
                                    ArrayRef<int64_t> alignments) {
  MatrixKernel kernel(emitter, op, alignments);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
