// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Precision: from a program of f32 to one whose products
// have the types that were asked for.
#ifndef ACCEL_PASSES_PRECISION_PASSES_H
#define ACCEL_PASSES_PRECISION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Precision/Passes.h.inc"

} // namespace accel

#endif
