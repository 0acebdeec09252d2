// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that have the elements of another one in transposed order: as
// products of FP8 want what two of them read.
#ifndef ACCEL_PASSES_ANALYSIS_TURNEDRESULT_H
#define ACCEL_PASSES_ANALYSIS_TURNEDRESULT_H

#include "passes/Analysis/TensorAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// All elements of a tensor, its source, in another order: where neighbours are
/// rows apart in the source, one row after the other, and the other way round.
/// Blocks of kLeastSide elements a side fill both.
struct TurnedView {
  static constexpr int64_t kLeastSide = 4;

  AffineView places; ///< the tensor's elements as places in the source
  AffineView back;   ///< the source's elements as places in the tensor
  size_t neighbours; ///< the dimension of `places` in which the source's
                     ///< neighbours lie

  /// Elements of a row of the source.
  int64_t sourceColumns() const { return places.sizes[neighbours]; }
  /// How far neighbours of the source are apart in the tensor.
  int64_t resultColumns() const { return back.strides.back(); }
  /// How many rows of the source, `most` at most, are neighbours in the tensor
  /// wherever they begin at a multiple of so many. Requires: `most` is a power
  /// of two, at least kLeastSide.
  int64_t getRows(int64_t most) const;
  /// The longest side of a block that divides such rows, and as many of their
  /// elements.
  int64_t getSide(int64_t most) const;
};

/// `tensor` as such a view of `source`; nothing where it is something else.
std::optional<TurnedView> getTurnedView(mlir::Value tensor, mlir::Value source);

/// What a kernel of rows stores both ways. All its results have an element for
/// each of the rows', and none is added to what is there.
struct TurnedResult {
  unsigned number; ///< of the result in transposed order
  unsigned source; ///< of the result that has the same elements row by row
  TurnedView view;

  /// The first one of `kernel`. Nothing where its rows are not those of the
  /// source, of which each has more than one element.
  static std::optional<TurnedResult> find(mlir::func::FuncOp kernel);
};

} // namespace accel

#endif
