// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Fuse.
#ifndef ACCEL_PASSES_FUSE_PASSES_H
#define ACCEL_PASSES_FUSE_PASSES_H

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

#endif
