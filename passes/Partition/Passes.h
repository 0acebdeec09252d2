// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Partition: the program of one rank among others.
#ifndef ACCEL_PASSES_PARTITION_PASSES_H
#define ACCEL_PASSES_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Partition/Passes.h.inc"

} // namespace accel

#endif
