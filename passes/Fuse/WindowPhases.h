// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of windows as windows of what was summed. With x the sum, and w[k] what
// element k of a window makes of g, which has one element for each window,
//
//   x[s] = sum over p, k with p * stride + k * dilation = s of w[k] (g[p]).
//
// All s with the same remainder by the stride, a phase, see the same k; so an
// element of a phase is made of neighbours in g. The phases lie side by side in
// x.
#ifndef ACCEL_PASSES_FUSE_WINDOWPHASES_H
#define ACCEL_PASSES_FUSE_WINDOWPHASES_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// Whether no two windows have an element in common, nor elements of another
/// between their own: those side by side are a view of what makes them.
bool areApart(SumWindowsOp op);

/// One phase along one axis: its windows of g have an element for each of
/// `taps`, `dilation` apart, and the first one begins at `start`, which may lie
/// in front of g.
struct WindowPhase {
  int64_t start = 0, dilation = 1;
  llvm::SmallVector<int64_t> taps; ///< which k, in the order of g

  int64_t reach() const {
    return (static_cast<int64_t>(taps.size()) - 1) * dilation + 1;
  }
};

/// Along one axis: `count` elements of each phase, whose windows are read of g
/// with so many zeros around it.
struct PhasedAxis {
  int64_t count = 0;
  int64_t before = 0, after = 0;
  llvm::SmallVector<WindowPhase> phases;
};

/// Builds such a sum (n, s..., c), whose axes are s. What g is, and what is
/// made of it, those know that derive from this.
///
/// Borrows: the builder.
class WindowPhases {
public:
  using Value = mlir::Value;
  /// A phase along each axis.
  using Choice = llvm::ArrayRef<const WindowPhase *>;

  WindowPhases(ArithmeticBuilder &builder, SumWindowsOp sum)
      : b(builder), sum(sum), spatial(sum.getAxes().size()) {}
  virtual ~WindowPhases();

  /// The elements of the sum from `first` on, `lengths` along its axes.
  /// Requires: `canBeCut`.
  Value build(llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> lengths);

protected:
  /// Whether the axes are all dimensions but the first and the last, and each
  /// has a stride or a dilation of one.
  bool canBeCut();
  /// Called once `axes` are known, before any phase is built.
  virtual void prepare() = 0;
  /// The elements (n, q..., c), of shape `shape`, of one phase that has taps.
  virtual Value buildPhase(Choice chosen, llvm::ArrayRef<int64_t> shape) = 0;

  /// `value` (n, p..., d) with zeros around it, for all phases.
  Value pad(Value value);
  /// The part of what `pad` made that the windows of a phase see.
  Value getSeen(Value padded, Choice chosen);
  Value slice(Value value, llvm::ArrayRef<int64_t> offsets,
              llvm::ArrayRef<int64_t> shape);
  /// Calls `body` with the number of a tap along each axis, in row-major order.
  void forEachTap(Choice chosen,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

  ArithmeticBuilder &b;
  SumWindowsOp sum;
  int64_t spatial;
  llvm::SmallVector<PhasedAxis> axes;

private:
  Value assemble(llvm::SmallVectorImpl<const WindowPhase *> &chosen);
};

} // namespace accel

#endif
