// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Schedule.
#ifndef ACCEL_PASSES_SCHEDULE_PASSES_H
#define ACCEL_PASSES_SCHEDULE_PASSES_H

#include "dialects/Plan/IR/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

#endif
