// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Lower that serve every target.
#ifndef ACCEL_PASSES_LOWER_PASSES_H
#define ACCEL_PASSES_LOWER_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Lower/Passes.h.inc"
} // namespace accel

#endif
