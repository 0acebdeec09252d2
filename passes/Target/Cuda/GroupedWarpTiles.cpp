// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which grouped products suit matrix instructions, and among how many rows a
// warp looks for its own.
#include "passes/Target/Cuda/GroupedWarpTiles.h"

#include "passes/Target/Cuda/CudaTarget.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

GroupedWarpTiles GroupedWarpTiles::get(Operation *op) {
  GroupedWarpTiles tiles{GroupedSizes::get(op), false};
  tiles.usesMatrices = tiles.isNarrow && tiles.inner % kColumns == 0 &&
                       tiles.columns % kColumns == 0;
  return tiles;
}

int64_t GroupedWarpTiles::sliceRows() const {
  int64_t all = llvm::divideCeil(rows, kWarpThreads) * kWarpThreads;
  return std::min(2 * kRows * matrices, all);
}
