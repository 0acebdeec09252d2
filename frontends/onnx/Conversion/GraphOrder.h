// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which nodes are converted.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_GRAPHORDER_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_GRAPHORDER_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace accel::onnx {

/// The nodes of `graph` such that values are made before they are used; the
/// file's own order where that holds. Errors: a value made twice, a value that
/// nobody makes, a cycle.
mlir::FailureOr<llvm::SmallVector<const pb::NodeProto *>>
orderNodes(const pb::GraphProto &graph, llvm::StringRef path,
           mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
