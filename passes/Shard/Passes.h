// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Shard: parameters and optimizer state become flat
// segments.
#ifndef ACCEL_PASSES_SHARD_PASSES_H
#define ACCEL_PASSES_SHARD_PASSES_H

#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Shard/Passes.h.inc"

} // namespace accel

#endif
