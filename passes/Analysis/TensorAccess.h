// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an element of a tensor is found in the tensor it is a view of: what Fuse
// needs to know whether operations can share a loop, and Lower to compute
// addresses.
#ifndef ACCEL_PASSES_ANALYSIS_TENSORACCESS_H
#define ACCEL_PASSES_ANALYSIS_TENSORACCESS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace accel {

class MatmulOp;

/// An affine view: element (c0, c1, ...) of a tensor of shape `sizes` is
/// element `offset + sum of ci * stridesi` of its source, both counted in
/// row-major order. Neighbouring dimensions that behave as one are merged;
/// sizes of 1 are dropped.
struct AffineView {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;

  /// Same elements in the same order from the first on.
  bool isContiguous() const {
    return sizes.empty() || (sizes.size() == 1 && strides[0] == 1);
  }
  /// The dimensions from `first` to the one in front of `last`, from place 0
  /// on.
  AffineView dimensions(size_t first, size_t last) const {
    auto part = [&](llvm::ArrayRef<int64_t> all) {
      return llvm::SmallVector<int64_t>(all.slice(first, last - first));
    };
    return {part(sizes), part(strides)};
  }
};

/// Where a chain of views ends.
using IsRoot = llvm::function_ref<bool(mlir::Value)>;

/// Whether `op` casts floats of 16 or 8 bits to f32. That is exact, and whoever
/// reads the result can read the operand and widen it by itself.
bool isWidening(mlir::Operation *op);

/// Whether `op` only addresses its operand differently (reshape, transpose,
/// broadcast, slice, split, windows) or widens it: nothing need be stored for
/// it.
bool isViewOp(mlir::Operation *op);

/// The view that result `value` of a view operation is of its operand. A
/// reshape and a widening are the identity.
AffineView getAffineView(mlir::Value value);

/// Follows views upwards to the first value that is not a view or that `isRoot`
/// holds for. Its elements may be narrower than those of `value`.
mlir::Value getViewRoot(mlir::Value value, IsRoot isRoot);
/// The first value upwards that is not a view.
inline mlir::Value getViewRoot(mlir::Value value) {
  return getViewRoot(value, [](mlir::Value) { return false; });
}

/// The views between `value` and `root`, from `value` upwards; reshapes are
/// left out.
llvm::SmallVector<AffineView> getViewChain(mlir::Value value, mlir::Value root);

/// The largest divisor L of `run` such that L consecutive elements of `value`
/// (starting at a multiple of L) lie in `root` one after the other, or are all
/// the same element. 1 always works.
int64_t getRunLength(mlir::Value value, mlir::Value root, int64_t run);

/// The step between neighbours of such a run in the root: 0 or 1. Requires: run
/// > 1.
int64_t getRunStride(mlir::Value value, mlir::Value root);

/// How all of `value` relates to `root`.
enum class AccessKind {
  Identity,     ///< the same elements in the same order
  RowBroadcast, ///< element i of `root` repeated `columns` times, for every i
  Other
};
struct AccessRelation {
  AccessKind kind = AccessKind::Other;
  int64_t columns = 0; ///< of RowBroadcast
};
AccessRelation getAccessRelation(mlir::Value value, mlir::Value root);

/// Whether `value` is a contiguous part of `root`; then `offset` is where it
/// begins (elements).
bool isContiguousPart(mlir::Value value, mlir::Value root, int64_t &offset);

/// Element (c0, c1, ...) of a value is element `offset + sum of ci * stridesi`
/// of a root, counted in row-major order; one stride per dimension.
struct StridedView {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// `value` as such a view of `root`, or nothing where no strides describe it.
std::optional<StridedView> getStridedView(mlir::Value value, mlir::Value root);

/// Whether `value` lies in `root` such that neighbours along its last dimension
/// are neighbours there.
bool liesInRows(mlir::Value value, mlir::Value root);

/// Whether `op` is a transpose that keeps the last dimension last.
bool keepsLastDimension(mlir::Operation *op);

/// Elements of each sum of a product.
int64_t getSummedElements(MatmulOp product);

/// Whether code multiplies pairs of bf16, flushing subnormal numbers: products
/// of bf16, and of floats of 8 bits, each of which is a number of bf16.
bool multipliesPairs(mlir::Operation *product);

/// Number of elements of a statically shaped tensor.
int64_t getNumElements(mlir::Value value);

} // namespace accel

#endif
