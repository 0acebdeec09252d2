// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which copies transpose, and how large their blocks are.
#include "passes/Target/Cuda/TransposeTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/OperandAlignment.h"
#include "passes/Target/Cuda/CudaTarget.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Elements along a side of a block: as many as the longest access has, or
/// fewer that divide `size`. Words of four bytes are what is turned.
static int64_t chooseSide(int64_t size, int64_t elementBytes) {
  int64_t longest = kLongestAccess / elementBytes;
  return std::max<int64_t>(llvm::MinAlign(longest, size),
                           std::min<int64_t>(longest, 4));
}

/// What `kernel` copies; nothing where it does something else.
static std::optional<TransposeTiles> findCopy(func::FuncOp kernel) {
  std::optional<TransposedOperand> copy = TransposedOperand::find(kernel);
  if (!copy || isAccumulated(kernel, 0)) {
    return std::nullopt;
  }
  TransposeTiles tiles;
  tiles.view = copy->view;
  tiles.rowsOf = copy->rowsOf;
  return tiles;
}

/// What it computes.
static std::optional<TransposeTiles> findComputed(func::FuncOp kernel) {
  TransposeTiles tiles;
  tiles.turned = TurnedResult::find(kernel);
  if (!tiles.turned) {
    return std::nullopt;
  }
  tiles.view = tiles.turned->view.places;
  tiles.rowsOf = tiles.turned->view.neighbours;
  return tiles;
}

std::optional<TransposeTiles> TransposeTiles::find(func::FuncOp kernel) {
  std::optional<TransposeTiles> found = findComputed(kernel);
  if (!found && !(found = findCopy(kernel))) {
    return std::nullopt;
  }
  TransposeTiles tiles = *found;
  bool isComputed = tiles.turned.has_value();
  auto type = cast<RankedTensorType>(
      kernel.getResultTypes()[isComputed ? tiles.turned->number : 0]);
  tiles.elementBytes = getStoredBytes(type.getElementType());
  int64_t rows = tiles.view.sizes[tiles.rowsOf];
  // Code for an element that is computed is long, and is there once for each.
  tiles.blockRows = isComputed ? TurnedView::kLeastSide
                               : chooseSide(rows, tiles.elementBytes);
  tiles.blockColumns = chooseSide(tiles.view.sizes.back(), tiles.elementBytes);
  // Of a copy, eight threads store a line of 128 bytes, and four read half of
  // one. Of what is computed, four store half of one, and eight load one half
  // of a line, or all of it, and store a quarter.
  const int64_t kThreadColumns = isComputed ? 4 : 8;
  auto atMost = [](int64_t threads, int64_t blocks) {
    return std::min<int64_t>(threads, llvm::bit_ceil(uint64_t(blocks)));
  };
  int64_t columns = atMost(kThreadColumns, tiles.blocksOfRow());
  tiles.threadRows = atMost(kWarpThreads / columns, tiles.blocksOfColumn());
  tiles.threadColumns = kWarpThreads / tiles.threadRows;
  return tiles;
}

int64_t TransposeTiles::blocksOfRow() const {
  return resultColumns() / view.sizes.back() *
         llvm::divideCeil(view.sizes.back(), blockColumns);
}

int64_t TransposeTiles::getLoadBytes(int64_t alignment) const {
  int64_t bytes = llvm::MinAlign(alignment, blockRows * elementBytes);
  bytes = llvm::MinAlign(bytes, view.sizes[rowsOf] * elementBytes);
  bytes = llvm::MinAlign(bytes, view.offset * elementBytes);
  for (auto [i, stride] : llvm::enumerate(view.strides)) {
    if (i != rowsOf) {
      bytes = llvm::MinAlign(bytes, stride * elementBytes);
    }
  }
  return bytes;
}

int64_t TransposeTiles::getStoreBytes(int64_t alignment) const {
  int64_t bytes = llvm::MinAlign(alignment, blockColumns * elementBytes);
  return llvm::MinAlign(bytes, view.sizes.back() * elementBytes);
}
