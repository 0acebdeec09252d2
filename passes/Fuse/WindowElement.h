// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element of every window of a tensor that is computed of windows.
#ifndef ACCEL_PASSES_FUSE_WINDOWELEMENT_H
#define ACCEL_PASSES_FUSE_WINDOWELEMENT_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {

/// The part of a tensor at one index along each of some dimensions, which it
/// loses. What is computed element by element is computed of that part alone,
/// so a loop over windows reads memory in the order in which they lie, and what
/// is computed of all elements of all windows need not be in memory. Views are
/// made of smaller ones of their operands: a chain with a slice of windows in
/// it has no neighbours in memory to the eyes of the planner.
///
/// Borrows: the builder.
class WindowElement {
public:
  using Value = mlir::Value;

  /// Requires: `axes` increases, and has an entry for each of `indices`.
  WindowElement(ArithmeticBuilder &builder, llvm::ArrayRef<int64_t> axes,
                llvm::ArrayRef<int64_t> indices)
      : b(builder), axes(axes), indices(indices) {}

  /// Requires: `value` has the dimensions.
  Value of(Value value);

private:
  mlir::RankedTensorType reducedType(Value value) const;
  Value make(Value value);
  Value compute(mlir::Operation *op);
  Value makeIndex(IotaOp op);
  Value fromWindows(WindowsOp op);
  Value fromTranspose(TransposeOp op);
  Value fromBroadcast(BroadcastOp op);
  Value slice(Value value);

  ArithmeticBuilder &b;
  llvm::ArrayRef<int64_t> axes, indices;
  llvm::DenseMap<Value, Value> parts;
};

/// Calls `body` with each index of a box of `sizes` in row-major order.
/// Requires: no size is 0.
void forEachIndex(llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

/// How many dimensions behind its others `value` has that count the elements of
/// windows, if it is made of windows element by element; else none.
std::optional<int64_t> getWindowRank(mlir::Value value);

} // namespace accel

#endif
