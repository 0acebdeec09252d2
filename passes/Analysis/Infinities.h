// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results may hold infinities although nothing is wrong: those that a
// mask puts there, and what follows from them.
#ifndef ACCEL_PASSES_ANALYSIS_INFINITIES_H
#define ACCEL_PASSES_ANALYSIS_INFINITIES_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// What the elements of a tensor may be because the program says so, not
/// because a number has become too large.
struct Infinities {
  bool negative = false;
  bool positive = false;
  /// 0, which is what the exponential of negative infinity is: its logarithm
  /// and its reciprocal are infinite.
  bool zero = false;

  bool any() const { return negative || positive; }
  Infinities operator|(Infinities other) const;
  bool operator==(const Infinities &other) const = default;
  /// With the other sign.
  Infinities negated() const { return {positive, negative, zero}; }
  /// Null if there is none.
  std::optional<plan::Sign> getSign() const;
};

/// Those that are written in a constant.
Infinities getInfinities(mlir::ElementsAttr constant);

/// What the results of `kernel` may hold if its arguments may hold `arguments`.
llvm::SmallVector<Infinities>
findInfinities(mlir::func::FuncOp kernel, llvm::ArrayRef<Infinities> arguments);

/// Calls `visit` for every instruction of `function` in program order, with
/// what its accesses leave in memory; empty where an access only reads. Loops
/// are followed until nothing changes.
///
/// Requires: kernels are functions of the module.
void findInfinities(mlir::func::FuncOp function,
                    llvm::function_ref<void(plan::InstructionOpInterface,
                                            llvm::ArrayRef<Infinities>)>
                        visit);

/// The attribute that says so; null if no access leaves an infinity.
mlir::ArrayAttr getInfinitiesAttr(mlir::MLIRContext *context,
                                  llvm::ArrayRef<Infinities> accesses);

} // namespace accel

#endif
