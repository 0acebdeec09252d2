// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces calls of model-local functions by their bodies.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_FUNCTIONEXPANSION_H
#define ACCEL_FRONTENDS_ONNX_MODEL_FUNCTIONEXPANSION_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace accel::onnx {

/// Ensures: no node of the graph calls a function of the model. Fails on
/// recursion and on growth beyond 250,000 nodes.
mlir::LogicalResult expandFunctions(pb::ModelProto &model, llvm::StringRef path,
                                    mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
