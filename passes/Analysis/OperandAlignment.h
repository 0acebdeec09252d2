// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the operands of kernels may begin: what all launches of a kernel have
// in common, so that its code may read and write several elements at a time.
#ifndef ACCEL_PASSES_ANALYSIS_OPERANDALIGNMENT_H
#define ACCEL_PASSES_ANALYSIS_OPERANDALIGNMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace accel {

/// The attribute of a kernel that is taken out of its module, away from its
/// launches: what OperandAlignments found there.
inline constexpr llvm::StringLiteral kAlignmentsAttr =
    "plan.operand_alignments";

/// The longest access of one thread of any target, in bytes: nobody wants to
/// know of larger alignments.
inline constexpr int64_t kLongestAccess = 16;

/// For the kernels of a module: the bytes, a power of two up to kLongestAccess,
/// of which each operand's first byte is a multiple in every launch. Buffers
/// begin at multiples of their alignment, which VerifyMemory and whoever loads
/// the plan check; views of them begin at any element, and parts of ranks at
/// any granule.
class OperandAlignments {
public:
  /// Reads launches, and kernels with kAlignmentsAttr.
  explicit OperandAlignments(mlir::ModuleOp module);

  /// Of `kernel`'s arguments, and its results behind them. Empty: nothing is
  /// known, as nobody launches it here.
  llvm::ArrayRef<int64_t> get(mlir::func::FuncOp kernel) const;

private:
  llvm::StringMap<llvm::SmallVector<int64_t>> known;
};

} // namespace accel

#endif
