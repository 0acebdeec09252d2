// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the products and the attention of a kernel compute in.
#ifndef ACCEL_COMPILER_PLANSITES_H
#define ACCEL_COMPILER_PLANSITES_H

#include "runtime/plan/schema/plan.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Whether `op` is a product, one of rows with the matrices that they choose,
/// or an attention or its gradient.
bool isSite(mlir::Operation *op);

/// Adds one site for each product and attention of `function`, a kernel.
void addSites(mlir::func::FuncOp function, planpb::Kernel &kernel);

} // namespace accel

#endif
