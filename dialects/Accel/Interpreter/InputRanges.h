// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that integer inputs may have: token ids and categories are checked
// against the tables they choose rows of before any kernel reads them.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_INPUTRANGES_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_INPUTRANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

/// Both ends included; none while `first > last`.
struct InputRange {
  int64_t first = 0, last = -1;

  bool isGiven() const { return first <= last; }
  bool operator==(const InputRange &other) const = default;
};

/// A range for each index of dimension `axis`.
struct InputRanges {
  int64_t axis = 0;
  llvm::SmallVector<InputRange> each;
};

/// Gives each integer argument of `forward` that chooses rows of tables the
/// attribute `accel.range = [first, last]`. It looks through operations that
/// only move elements, and through sums with constants. Where columns, or the
/// places of another dimension, choose from tables of different sizes, each has
/// a range of its own: `accel.ranges = [[0, 4], [0, 8], []]` along dimension
/// `accel.ranges_axis`. A place that is read as a number has none, and then the
/// argument has no `accel.range`, which is that of all places.
///
/// Cost: 16 bytes for each element of what the operations move.
void annotateInputRanges(mlir::func::FuncOp forward);

/// Whether all results of `op` hold elements of its operands and nothing else:
/// an index that comes of an input through such operations and sums with
/// constants is checked with the data.
bool movesElements(mlir::Operation *op);

/// What `accel.ranges` and `accel.ranges_axis` say, if they are there and fit a
/// tensor of `shape`.
std::optional<InputRanges> getInputRanges(mlir::DictionaryAttr attributes,
                                          llvm::ArrayRef<int64_t> shape);

} // namespace accel

#endif
