// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which attentions suit matrix instructions, and how large their tiles are.
#include "passes/Target/Cuda/WarpAttentionTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

/// Rows and columns of an instruction's operands.
static constexpr int64_t kMatrixRows = 16;
/// Elements of 16 bits in the longest access.
static constexpr int64_t kAccess = 8;

/// Elements of a row whose operands and sums fit a thread's registers.
static constexpr int64_t kLongest = 128;

/// Whether every row of `operand` begins at a multiple of the longest access.
/// Buffers and parameters do.
static bool hasAlignedRows(Value operand) {
  Value root = getViewRoot(operand);
  std::optional<StridedView> view = getStridedView(operand, root);
  return view && view->offset % kAccess == 0 &&
         llvm::all_of(ArrayRef(view->strides).drop_back(),
                      [](int64_t stride) { return stride % kAccess == 0; });
}

/// `tensors` have rows of queries, keys or values. Results lie in their own
/// buffers, row behind row.
static bool suitsMatrices(ValueRange tensors, ValueRange results) {
  Type element = elementTypeOf(tensors.front());
  auto isOfMatrices = [&](Value tensor) {
    int64_t columns = shapeOf(tensor).back();
    return elementTypeOf(tensor) == element && columns % kMatrixRows == 0 &&
           columns <= kLongest;
  };
  return (element.isBF16() || element.isF16()) &&
         llvm::all_of(tensors, isOfMatrices) &&
         llvm::all_of(results, isOfMatrices) &&
         llvm::all_of(tensors, hasAlignedRows);
}

WarpAttentionTiles WarpAttentionTiles::get(Operation *op) {
  WarpAttentionTiles tiles{AttentionSizes::get(op), false, 1, 1, false};
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    tiles.usesMatrices = suitsMatrices(
        {forward.getQuery(), forward.getKey(), forward.getValue()},
        forward.getResult());
  } else {
    auto gradient = cast<AttentionGradOp>(op);
    tiles.usesMatrices =
        !tiles.sumsBias && gradient.getSoftcap().isZero() &&
        suitsMatrices({gradient.getQuery(), gradient.getKey(),
                       gradient.getValue(), gradient.getResult(),
                       gradient.getResultGradient()},
                      gradient->getResults());
  }
  if (tiles.usesMatrices) {
    bool isShort = std::max(tiles.depth, tiles.width) <= 64;
    tiles.queryRows = tiles.isGradient || !isShort ? 16 : 32;
    tiles.keyRows = 16;
    tiles.splitsKeys = tiles.isGradient && !isShort;
  }
  return tiles;
}
