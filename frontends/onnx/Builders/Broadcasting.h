// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX broadcasts operands silently; the dialect does it with `accel.broadcast`
// only.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_BROADCASTING_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_BROADCASTING_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// The shape to which all `shapes` broadcast by ONNX's rule (aligned at the
/// last dimension), or an error on the node.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getCommonShape(const NodeConversion &conversion,
               llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// `value` repeated to `shape`. Requires: `shape` is a common shape of the
/// value's and others.
mlir::Value broadcastTo(const NodeConversion &conversion, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);

/// `values` broadcast to their common shape.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
broadcastTogether(const NodeConversion &conversion,
                  llvm::ArrayRef<mlir::Value> values);

} // namespace accel::onnx

#endif
