// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of a kernel, as the attribute `plan.kernel` of its function says it.
#ifndef ACCEL_PASSES_ANALYSIS_KERNELSHAPE_H
#define ACCEL_PASSES_ANALYSIS_KERNELSHAPE_H

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

/// Elements of a unit of a flat kernel.
inline constexpr int64_t kFlatUnit = 128;
/// Columns of a unit of a column kernel.
inline constexpr int64_t kColumnUnit = 64;
/// Columns, or rows where there are more of them, of a unit of a product: a
/// multiple of every register block's.
inline constexpr int64_t kProductColumns = 32;
inline constexpr int64_t kProductRows = 24;

/// The type of one truth value.
mlir::RankedTensorType getTruthType(mlir::MLIRContext *context);
/// Whether `kernel` may add its result to what is in the buffer.
inline bool isAccumulated(mlir::func::FuncOp kernel, unsigned result) {
  return bool(kernel.getResultAttr(result, kAccumulateAttr));
}
/// The argument that decides it; null if it always does, or never.
mlir::BlockArgument getKeepArgument(mlir::func::FuncOp kernel, unsigned result);

enum class LoopKind { Flat, Rows, Columns, Concat, Attention, Product };

struct KernelShape {
  LoopKind kind = LoopKind::Flat;
  int64_t elements = 0; ///< of the iteration space: rows * columns
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t matrices = 1; ///< of a product: one behind the other, equal rows each
  int64_t units = 0;    ///< what [begin, end) counts
  int64_t scratch = 0;  ///< bytes that each thread needs besides the operands

  /// Whether its code depends on how many registers a target has.
  bool hasRegisterBlocks() const {
    return kind == LoopKind::Attention || kind == LoopKind::Product;
  }
  /// Rows of each matrix of a product.
  int64_t matrixRows() const { return rows / matrices; }
  /// Whether the units of a product are blocks of columns, and not of rows.
  bool hasColumnUnits() const { return columns >= matrixRows(); }
  /// Units of each matrix of a product.
  int64_t matrixUnits() const { return units / matrices; }

  /// The shape with so many elements in rows of `columns`: its rows and units
  /// follow.
  static KernelShape make(LoopKind kind, int64_t elements, int64_t columns,
                          int64_t matrices = 1);

  /// What `get` reads.
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;

  /// The shape of `kernel`; an error on the function if the attribute is not
  /// complete or contradicts itself.
  static mlir::FailureOr<KernelShape> get(mlir::func::FuncOp kernel);
};

} // namespace accel

#endif
