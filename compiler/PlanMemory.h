// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory a plan takes, by class and by space.
#ifndef ACCEL_COMPILER_PLANMEMORY_H
#define ACCEL_COMPILER_PLANMEMORY_H

#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Persistent bytes by class: one sum per class, and what is a maximum of sums
/// on its own. Requires: the manifest has all buffers.
void addPersistentUses(planpb::Manifest &manifest);

/// The arena of each space: the largest of a function. Requires: the manifest
/// has all functions.
void addArenas(uint64_t alignment, planpb::Manifest &manifest);

/// What ranks touch of the buffers that they gather buckets into
/// (`plan.gathers_most`).
void addGatheredUses(mlir::ModuleOp module, planpb::Manifest &manifest);

/// Where the arena is fullest (`plan.peak`).
void addPeak(mlir::ModuleOp module, planpb::Manifest &manifest);

} // namespace accel

#endif
