// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A register block of a product: from where its operands are read to where its
// sums go.
#ifndef ACCEL_PASSES_LOWER_CPU_MULTIPLIEDBLOCK_H
#define ACCEL_PASSES_LOWER_CPU_MULTIPLIEDBLOCK_H

#include "passes/Analysis/TensorAccess.h"
#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/RegisterBlock.h"

#include <optional>

namespace accel {

/// An operand from where a register block begins: element `i` of a row or a
/// column, `k` of the summed index.
struct RegisterOperand {
  FloatMemory memory;
  mlir::Value at, perSum, perElement;

  mlir::Value placeOf(const TileCode &t, mlir::Value k, int64_t i) const {
    return t.add(t.add(at, t.mul(k, perSum)), t.mul(t.index(i), perElement));
  }
};

/// Rows of a view of windows, from `first` on, that are summed.
struct SummedWindows {
  const AffineView &rows;
  mlir::Value first;

  /// Row after row of places that windows move along: `moveTo` gets where the
  /// first window would lie if all lay as evenly as those of a row do.
  TileCode::Values
  walk(const TileCode &t, mlir::Value depth, const TileCode::Values &sums,
       AddPart add, llvm::function_ref<void(mlir::Value place)> moveTo) const;
};

/// The sums of a register block on their way into memory.
class BlockResult {
public:
  using Value = mlir::Value;

  /// From element `at` on, rows of `stride`. `adds`: an i1, whether they are
  /// added to what is there; `columns`: that there are, null for all. Borrows:
  /// the code.
  BlockResult(const TileCode &t, PackedFormat format, FloatMemory memory,
              Value at, Value stride, Value adds, Value columns)
      : t(t), format(format), memory(memory), at(at), stride(stride),
        adds(adds), columns(columns) {}

  /// Asks for what `count` rows of `width` will be added to: while they are
  /// summed there is time.
  void prefetch(int64_t count, int64_t width) const;
  void store(const Accumulators &sums) const;

private:
  Value total(Value sum, Value before) const;
  Value placeOf(int64_t row, int64_t lane) const;
  void storeLanes(Value sum, Value place, int64_t lane) const;

  const TileCode &t;
  PackedFormat format;
  FloatMemory memory;
  Value at, stride, adds, columns;
};

/// Rows of the left matrix by a panel, of as many columns, of the right one.
struct MultipliedBlock {
  PackedFormat format;
  int64_t rows, columns;
  RegisterOperand lhs, rhs;
  mlir::Value depth;
  int64_t steps; ///< of the summed index, one behind the other in the loop
  std::optional<SummedWindows> windows; ///< of the right matrix
  /// Rows of the right matrix are asked for so many steps before they are read;
  /// 0: they are not.
  int64_t stepsAhead;

  void multiply(const TileCode &t, const BlockResult &result) const;
};

} // namespace accel

#endif
