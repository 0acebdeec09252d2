// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs whose values are given when the model is compiled (`--bind`).
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_INPUTBINDING_H
#define ACCEL_FRONTENDS_ONNX_MODEL_INPUTBINDING_H

#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"

namespace accel::onnx {

/// Makes a constant of each input of `graph` that `bound` names. Errors: no
/// such input, another element type, or a shape that the file rules out.
mlir::LogicalResult bindInputs(pb::GraphProto &graph,
                               llvm::ArrayRef<BoundTensor> bound,
                               llvm::StringRef path,
                               mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
