// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the nodes of old operator sets as the one of `convertedOpset` has
// them, so that converters know one form: what were attributes become inputs.
//
//   before:  Squeeze(x) axes = [1]                      operator set 9
//   after:   Squeeze(x, x_axes), initializer x_axes = [1]      13
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_OPERATORUPGRADE_H
#define ACCEL_FRONTENDS_ONNX_MODEL_OPERATORUPGRADE_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"

namespace accel::onnx {

/// Rewrites the graph of a model of an operator set before `convertedOpset`,
/// which it imports afterwards; leaves others as they are. Emits an error for
/// each node that meant something else then and has no newer form here.
mlir::LogicalResult upgradeOperators(pb::ModelProto &model,
                                     mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
