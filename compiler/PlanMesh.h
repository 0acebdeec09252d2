// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes that the ranks of a plan lie along, and the streams of a rank.
#ifndef ACCEL_COMPILER_PLANMESH_H
#define ACCEL_COMPILER_PLANMESH_H

#include "dialects/Plan/IR/PlanOps.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// The ranks of a run lie along one axis, whose degree is bound when the plan
/// is loaded: replica if they all hold the same, fsdp if they share. Nothing
/// else is parallel.
void addMesh(mlir::ModuleOp module, planpb::Manifest &manifest);

void addStreams(const plan::StreamList &streams, planpb::Manifest &manifest);

} // namespace accel

#endif
