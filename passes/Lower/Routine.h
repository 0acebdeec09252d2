// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that kernels share instead of containing it.
#ifndef ACCEL_PASSES_LOWER_ROUTINE_H
#define ACCEL_PASSES_LOWER_ROUTINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <tuple>

namespace accel {

/// Writes what a routine does with its arguments. Returns its results.
using RoutineBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::ValueRange)>;

/// The private function `name` of `module`. It is added, with what `write`
/// writes as its body, if it is not there yet.
mlir::func::FuncOp getRoutine(mlir::ModuleOp module, mlir::Location loc,
                              llvm::StringRef name, mlir::FunctionType type,
                              RoutineBody write);

/// A routine's arguments have names: a struct of values whose `fields()` is a
/// std::tie of all of them, which alone says in which order they are passed.
///
///   struct ScaleArguments {
///     mlir::Value place, factor;
///     auto fields() { return std::tie(place, factor); }
///   };

/// What a call passes.
template <typename Arguments>
llvm::SmallVector<mlir::Value> getOperands(Arguments arguments) {
  return std::apply(
      [](auto &...fields) { return llvm::SmallVector<mlir::Value>{fields...}; },
      arguments.fields());
}

/// What a body reads. Requires: as many `values` as fields.
template <typename Arguments> Arguments getArguments(mlir::ValueRange values) {
  Arguments arguments;
  std::apply(
      [&](auto &...fields) {
        assert(values.size() == sizeof...(fields) && "one value per field");
        size_t next = 0;
        ((fields = values[next++]), ...);
      },
      arguments.fields());
  return arguments;
}

/// Calls routine `name`, which has no results; `write` writes its body, if it
/// is not there yet, from what the arguments are inside.
template <typename Arguments>
void callRoutine(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ModuleOp module,
    llvm::StringRef name, const Arguments &arguments,
    llvm::function_ref<void(mlir::OpBuilder &, const Arguments &)> write) {
  llvm::SmallVector<mlir::Value> operands = getOperands(arguments);
  mlir::func::FuncOp routine = getRoutine(
      module, loc, name,
      builder.getFunctionType(mlir::ValueRange(operands).getTypes(), {}),
      [&](mlir::OpBuilder &inside,
          mlir::ValueRange values) -> llvm::SmallVector<mlir::Value> {
        write(inside, getArguments<Arguments>(values));
        return {};
      });
  mlir::func::CallOp::create(builder, loc, routine, operands);
}

/// What routine `name` is called where it works on vectors of `lanes`; 0: on
/// one element.
std::string getRoutineFor(llvm::StringRef name, int64_t lanes);

} // namespace accel

#endif
