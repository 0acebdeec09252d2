// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan says of the model, of how it is trained and of its origin.
#ifndef ACCEL_COMPILER_PLANFACTS_H
#define ACCEL_COMPILER_PLANFACTS_H

#include "compiler/PlanWriter.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// The name of the model, how many parameters and how many layers it has.
void addModel(mlir::ModuleOp module, planpb::Manifest &manifest);

/// Batches, objective, optimizer and schedule.
void addTraining(mlir::ModuleOp module, planpb::Manifest &manifest);

/// Where elements are dropped, if anywhere.
void addDropoutSites(mlir::ModuleOp module, planpb::Manifest &manifest);

/// Who made the plan, of which options, and what the importer did.
void addOrigin(const PlanWriterOptions &options, const onnx::ImportNotes &notes,
               planpb::Manifest &manifest);

} // namespace accel

#endif
