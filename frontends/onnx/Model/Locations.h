// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR locations of ONNX nodes: node name, module scope and the line of the
// user's Python, so that a diagnostic about an operation points at the code
// that the user wrote.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_LOCATIONS_H
#define ACCEL_FRONTENDS_ONNX_MODEL_LOCATIONS_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/Location.h"

namespace accel::onnx {

/// `fused<"scope">["node name"("file.py":12:0)]`, without the parts that the
/// file does not record.
mlir::Location getNodeLocation(mlir::MLIRContext &context,
                               const pb::NodeProto &node);

/// A name for `node` in messages: its own, else that of its first output.
std::string getNodeName(const pb::NodeProto &node);

} // namespace accel::onnx

#endif
