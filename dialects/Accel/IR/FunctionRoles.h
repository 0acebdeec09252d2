// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of a program are for. Passes, the plan and the runtime
// find functions by role; names are for people.
#ifndef ACCEL_DIALECTS_ACCEL_IR_FUNCTIONROLES_H
#define ACCEL_DIALECTS_ACCEL_IR_FUNCTIONROLES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// The attribute, `#accel.role<...>`, of a function that is part of the
/// program. Kernels and routines have none.
inline constexpr llvm::StringLiteral kRoleAttr = "accel.role";

/// The attribute of a module that names the optimizer of its step: what
/// `accel.update` says until Shard makes arithmetic of it.
inline constexpr llvm::StringLiteral kOptimizerAttr = "accel.optimizer";

std::optional<FunctionRole> getRole(mlir::func::FuncOp function);
void setRole(mlir::func::FuncOp function, FunctionRole role);

/// The functions of the program, in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> getProgram(mlir::ModuleOp module);

/// Those of the program that run after the state is set up: all but that of
/// role `initialize`.
llvm::SmallVector<mlir::func::FuncOp> getRunning(mlir::ModuleOp module);

/// The first function of this role, or null.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, FunctionRole role);

} // namespace accel

#endif
