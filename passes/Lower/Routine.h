// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that kernels share instead of containing it.
#ifndef ACCEL_PASSES_LOWER_ROUTINE_H
#define ACCEL_PASSES_LOWER_ROUTINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace accel {

/// Writes what a routine does with its arguments. Returns its results.
using RoutineBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::ValueRange)>;

/// The private function `name` of `module`. It is added, with what `write`
/// writes as its body, if it is not there yet.
mlir::func::FuncOp getRoutine(mlir::ModuleOp module, mlir::Location loc,
                              llvm::StringRef name, mlir::FunctionType type,
                              RoutineBody write);

/// What routine `name` is called where it works on vectors of `lanes`; 0: on
/// one element.
std::string getRoutineFor(llvm::StringRef name, int64_t lanes);

} // namespace accel

#endif
