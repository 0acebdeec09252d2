// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and workspace of products.
#include "passes/Target/Cpu/ProductTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/WindowMatrix.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Rows of the largest register block.
static constexpr int64_t kMostBlockRows = 12;
/// What a store of whole vectors writes behind packed rows.
static constexpr int64_t kOverhang = 16;

/// Rows of sums that are kept, at most: four megabytes, of the third cache.
static constexpr int64_t kMostSummedRows = 1008;

/// The view of windows that an operand may be.
using Windows = std::optional<WindowMatrix>;

/// Whether the operand is copied to be packed.
static bool isCopied(MatmulOp op, const Windows &windows, bool isLeft) {
  return windows && !windows->isPackedInPlace(isLeft,
                                              isLeft ? op.getTransposeLhs()
                                                     : op.getTransposeRhs(),
                                              multipliesPairs(op));
}

/// Elements from one row to the next of what is read where it lies, at most.
static constexpr int64_t kLongestRow = 512;
/// The widest register block has so many columns.
static constexpr int64_t kMostBlockColumns = 32;

/// Whether windows lie as evenly as rows of a matrix, for many rows at a time.
static bool liesEvenly(const WindowMatrix &windows) {
  constexpr int64_t kShortestRun = 16;
  const AffineView &rows = windows.rows;
  return !rows.sizes.empty() && rows.sizes.back() >= kShortestRun &&
         rows.strides.back() <= kLongestRow &&
         windows.getRun() % kMostBlockColumns == 0;
}

/// Whether operands are floats as they are multiplied.
static bool isPlain(MatmulOp op) {
  return elementTypeOf(op.getLhs()).isF32() && op.getScales().empty();
}

static bool isLhsRead(MatmulOp op, const Windows &windows) {
  return isPlain(op) && !windows && shapeOf(op.getLhs()).back() <= kLongestRow;
}

static bool isRhsRead(MatmulOp op, const Windows &windows) {
  if (!isPlain(op) || op.getTransposeRhs() ||
      shapeOf(op.getResult()).back() % kMostBlockColumns != 0) {
    return false;
  }
  return windows ? liesEvenly(*windows)
                 : shapeOf(op.getRhs()).back() <= kLongestRow;
}

ProductTiles ProductTiles::get(func::FuncOp kernel, MatmulOp op, int64_t block,
                               int64_t packedColumns) {
  ArrayRef<int64_t> result = shapeOf(op.getResult());
  Windows lhs = WindowMatrix::findInKernel(op.getLhs()),
          rhs = WindowMatrix::findInKernel(op.getRhs());
  return {llvm::product_of(result.drop_back(2)),
          result[result.size() - 2],
          result.back(),
          getSummedElements(op),
          op.getTransposeLhs(),
          op.getTransposeRhs(),
          block,
          static_cast<int64_t>(op.getBlock().value_or(0)),
          packedColumns,
          !findSums(kernel, op),
          isCopied(op, lhs, /*isLeft=*/true),
          isCopied(op, rhs, /*isLeft=*/false),
          isLhsRead(op, lhs),
          isRhsRead(op, rhs)};
}

int64_t ProductTiles::blocks() const { return llvm::divideCeil(depth, block); }

int64_t ProductTiles::lhsOffset() const {
  // The narrowest panel has the most rows between panels.
  constexpr int64_t narrowest = 16;
  return packedColumns / narrowest * panelStride(narrowest);
}

int64_t ProductTiles::sumsOffset() const {
  auto packedRows =
      std::min<int64_t>(llvm::alignTo(rows, kMostBlockRows), kPackedRows);
  return llvm::alignTo(lhsOffset() + packedRows * block + kOverhang, 16);
}

int64_t ProductTiles::summedRows() const {
  static_assert(kMostSummedRows % kPackedRows == 0);
  int64_t most = blocks() == 1 ? kPackedRows : kMostSummedRows;
  return std::min<int64_t>(llvm::alignTo(rows, kMostBlockRows), most);
}

int64_t ProductTiles::copyOffset() const {
  int64_t sums = keepsSums ? summedRows() * packedColumns : 0;
  return llvm::alignTo(sumsOffset() + sums, 16);
}

int64_t ProductTiles::workspaceBytes() const {
  static_assert(kCopiedColumns >= kPackedRows);
  int64_t copied =
      std::max(kCopiedColumns * copyStride(true), block * copyStride(false));
  int64_t sums = keepsSums ? summedRows() * packedColumns : 0;
  return 4 *
         (copiesLhs || copiesRhs ? copyOffset() + copied : sumsOffset() + sums);
}

int64_t accel::getBlockMultiple(MatmulOp op) {
  return multipliesPairs(op) ? 32 : 16;
}

std::optional<unsigned> accel::findSums(func::FuncOp kernel, MatmulOp op) {
  std::optional<unsigned> chosen;
  Operation *results = kernel.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(results->getOperands())) {
    bool isProduct = value == op.getResult();
    bool canHold = elementTypeOf(value).isF32() &&
                   (isProduct || !isAccumulated(kernel, i));
    if (canHold && (isProduct || !chosen)) {
      chosen = i;
    }
  }
  return chosen;
}
