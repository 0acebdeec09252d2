// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and workspace of products.
#include "passes/Target/Cpu/ProductTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Rows of the largest register block.
static constexpr int64_t kMostBlockRows = 12;
/// What a store of whole vectors writes behind packed rows.
static constexpr int64_t kOverhang = 16;

ProductTiles ProductTiles::get(MatmulOp op, int64_t block,
                               int64_t packedColumns) {
  ArrayRef<int64_t> result = shapeOf(op.getResult());
  return {llvm::product_of(result.drop_back(2)),
          result[result.size() - 2],
          result.back(),
          getSummedElements(op),
          op.getTransposeLhs(),
          op.getTransposeRhs(),
          block,
          packedColumns};
}

int64_t ProductTiles::blocks() const { return llvm::divideCeil(depth, block); }

int64_t ProductTiles::lhsOffset() const {
  // The narrowest panel has the most rows between panels.
  constexpr int64_t narrowest = 16;
  return packedColumns / narrowest * panelStride(narrowest);
}

int64_t ProductTiles::workspaceBytes() const {
  auto packedRows =
      std::min<int64_t>(llvm::alignTo(rows, kMostBlockRows), kPackedRows);
  return 4 * llvm::alignTo(lhsOffset() + packedRows * block + kOverhang, 16);
}

MatmulOp accel::getProduct(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<MatmulOp>()) {
    return op;
  }
  return {};
}
