// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of every dialect and every pass.
#include "compiler/RegisterAll.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"
#include "passes/Fuse/Passes.h"
#include "passes/Memory/Passes.h"
#include "passes/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"

void accel::registerAllAccelDialects(mlir::DialectRegistry &registry) {
  registry.insert<AccelDialect, plan::PlanDialect, mlir::func::FuncDialect>();
}

void accel::registerAllAccelPasses() {
  registerFusePasses();
  registerSchedulePasses();
  registerMemoryPasses();
}
