// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that are computed from positions, judged without computing them: one of
// 8,192 x 8,192 takes as long as one of 8 x 8.
#ifndef ACCEL_PASSES_IMPORT_POSITIONFUNCTION_H
#define ACCEL_PASSES_IMPORT_POSITIONFUNCTION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace accel {

/// A tensor whose elements follow from row i and column j, its last two
/// dimensions: sums of i, j and numbers are compared, and what comes of it is
/// combined by logic, choices and arithmetic.
///
/// Each comparison is one of i, of j or of i - j with a number. These lines cut
/// the plane into cells, on each of which the tensor has one value.
class PositionFunction {
public:
  /// None if `value`, of rank 2 or more, is something else.
  static std::optional<PositionFunction> find(mlir::Value value);

  using Test = llvm::function_ref<bool(double element, int64_t i, int64_t j)>;
  /// Whether `test` holds for all elements. It may say something else of equal
  /// elements on both sides of i - j = `diagonal`, but of no others.
  bool isEverywhere(Test test, int64_t diagonal = 0) const;

private:
  /// a * i + b * j + c.
  struct Line {
    double a, b, c;
    bool isNumber() const { return a == 0 && b == 0; }
  };
  struct Node {
    mlir::Operation *op;                  ///< null: a line
    Line line;                            ///< of comparisons: lhs - rhs
    llvm::SmallVector<unsigned> operands; ///< nodes
  };
  /// For each dimension of a value what it counts: rows, columns, or neither.
  using Counted = llvm::ArrayRef<int>;

  explicit PositionFunction(mlir::RankedTensorType type);

  std::optional<unsigned> add(mlir::Value value, Counted counted);
  std::optional<unsigned> addView(mlir::Operation *op, Counted counted);
  std::optional<unsigned> addSource(mlir::Value value, Counted counted);
  std::optional<unsigned> addArithmetic(mlir::Operation *op, Counted counted);
  bool noteCuts(const Line &line);
  unsigned push(Node node);
  double evaluate(unsigned node, int64_t i, int64_t j) const;

  int64_t rows, columns;
  int visited = 0;               ///< values, each as often as it is read
  llvm::SmallVector<Node> nodes; ///< the last one is the whole
  /// Between these numbers and the next ones there may be a border of cells: of
  /// i, of j, and of i - j.
  llvm::SmallVector<int64_t> cuts[3];
};

} // namespace accel

#endif
