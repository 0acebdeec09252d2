// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, units and scratch of products.
#include "passes/Analysis/ProductTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Summed elements of a block at most: a panel of 16 columns takes half of a
/// first cache of 32 KiB, six rows of the left matrix a fifth; the 32 columns
/// and 12 rows of AVX-512 take 44 of its 48 KiB.
static constexpr int64_t kDeepestBlock = 256;
/// Columns that are packed at once, at most: a megabyte, of the second cache or
/// the third. The left matrix is packed once for each.
static constexpr int64_t kMostPackedColumns = 1024;
/// Rows of the largest register block.
static constexpr int64_t kMostBlockRows = 12;
/// What a store of whole vectors writes behind packed rows.
static constexpr int64_t kOverhang = 16;

ProductTiles ProductTiles::get(MatmulOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()).take_back(2);
  ArrayRef<int64_t> result = shapeOf(op.getResult());
  return {llvm::product_of(result.drop_back(2)),
          result[result.size() - 2],
          result.back(),
          lhs[op.getTransposeLhs() ? 0 : 1],
          op.getTransposeLhs(),
          op.getTransposeRhs()};
}

int64_t ProductTiles::blocks() const {
  return llvm::divideCeil(depth, kDeepestBlock);
}

int64_t ProductTiles::blockDepth() const {
  return llvm::alignTo(llvm::divideCeil(depth, blocks()), 16);
}

int64_t ProductTiles::packedColumns() const {
  return std::min<int64_t>(llvm::alignTo(columns, kProductColumns),
                           kMostPackedColumns);
}

int64_t ProductTiles::panelStride(int64_t panel) const {
  return (blockDepth() + 1) * panel;
}

int64_t ProductTiles::lhsOffset() const {
  // The narrowest panel has the most rows between panels.
  constexpr int64_t narrowest = 16;
  return packedColumns() / narrowest * panelStride(narrowest);
}

KernelShape ProductTiles::getShape() const {
  KernelShape shape = KernelShape::make(
      LoopKind::Product, matrices * rows * columns, columns, matrices);
  auto packedRows =
      std::min<int64_t>(llvm::alignTo(rows, kMostBlockRows), kPackedRows);
  shape.scratch =
      4 *
      llvm::alignTo(lhsOffset() + packedRows * blockDepth() + kOverhang, 16);
  return shape;
}

MatmulOp accel::getProduct(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<MatmulOp>()) {
    return op;
  }
  return {};
}
