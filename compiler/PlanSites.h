// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the products and the attention of a kernel compute in.
#ifndef ACCEL_COMPILER_PLANSITES_H
#define ACCEL_COMPILER_PLANSITES_H

#include "runtime/plan/schema/plan.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Adds one site for each product and attention of `function`, a kernel.
void addSites(mlir::func::FuncOp function, planpb::Kernel &kernel);

} // namespace accel

#endif
