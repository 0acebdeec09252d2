// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a plan, by the names that the user knows.
#ifndef ACCEL_COMPILER_PLANPARAMETERS_H
#define ACCEL_COMPILER_PLANPARAMETERS_H

#include "frontends/onnx/Export/ExportTemplate.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Requires: the manifest has the buckets. `exported` says under which names
/// the file holds each parameter.
void addParameters(mlir::ModuleOp module, const onnx::ExportTemplate &exported,
                   planpb::Manifest &manifest);

/// Those of `--lora`, by the indices of their parameters, which are there.
void addAdapters(mlir::ModuleOp module, planpb::Manifest &manifest);

} // namespace accel

#endif
