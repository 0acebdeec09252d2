// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Differentiate: from a forward program to the gradients of
// its loss.
#ifndef ACCEL_PASSES_DIFFERENTIATE_PASSES_H
#define ACCEL_PASSES_DIFFERENTIATE_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Differentiate/Passes.h.inc"

} // namespace accel

#endif
