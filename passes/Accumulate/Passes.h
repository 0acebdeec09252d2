// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Accumulate: from the gradients of a microbatch to a step.
#ifndef ACCEL_PASSES_ACCUMULATE_PASSES_H
#define ACCEL_PASSES_ACCUMULATE_PASSES_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Accumulate/Passes.h.inc"

} // namespace accel

#endif
