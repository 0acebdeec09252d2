// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel iterates over, as the attribute `plan.kernel` of its function
// says it: the same for every target. How it is cut is the target's, in
// `plan.code`.
#ifndef ACCEL_PASSES_ANALYSIS_ITERATIONDOMAIN_H
#define ACCEL_PASSES_ANALYSIS_ITERATIONDOMAIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

namespace accel {

inline constexpr llvm::StringLiteral kKernelAttr = "plan.kernel";
/// Of a result that is added to what is in its buffer: a unit attribute, or
/// the number of the argument (one i1) that must be true for that; otherwise
/// the result is stored.
inline constexpr llvm::StringLiteral kAccumulateAttr = "plan.accumulate";
/// What the name of a kernel's code ends with.
inline constexpr llvm::StringLiteral kCodeSuffix = ".code";

/// The type of one flag.
mlir::RankedTensorType getFlagType(mlir::MLIRContext *context);
/// Whether `kernel` may add its result to what is in the buffer.
inline bool isAccumulated(mlir::func::FuncOp kernel, unsigned result) {
  return bool(kernel.getResultAttr(result, kAccumulateAttr));
}
/// The argument that decides it; null if it always does, or never.
mlir::BlockArgument getKeepArgument(mlir::func::FuncOp kernel, unsigned result);

enum class LoopKind {
  Flat,
  Rows,
  Columns,
  Concat,
  Attention,
  Product,
  Grouped
};

struct IterationDomain {
  LoopKind kind = LoopKind::Flat;
  int64_t elements = 0; ///< rows * columns
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t matrices = 1; ///< of a product: one behind the other, equal rows each
  /// Of a product: elements of a sum that are added in one go, block after
  /// block. Other blocks give other bits, so it is part of what a kernel means.
  int64_t block = 0;

  /// Rows of each matrix of a product.
  int64_t matrixRows() const { return rows / matrices; }

  /// The domain with so many elements in rows of `columns`.
  static IterationDomain make(LoopKind kind, int64_t elements, int64_t columns);

  /// What `get` reads.
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;

  /// The domain of `kernel`; an error on the function if the attribute is not
  /// complete or contradicts itself.
  static mlir::FailureOr<IterationDomain> get(mlir::func::FuncOp kernel);
};

} // namespace accel

#endif
