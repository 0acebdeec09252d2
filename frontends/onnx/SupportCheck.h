// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds everything in a graph that the importer cannot convert, before it
// converts anything.
#ifndef ACCEL_FRONTENDS_ONNX_SUPPORTCHECK_H
#define ACCEL_FRONTENDS_ONNX_SUPPORTCHECK_H

#include "frontends/onnx/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace accel::onnx {

/// One error that lists all unsupported operators and attributes: how many
/// nodes, the first ones by name, their lines of Python.
mlir::LogicalResult checkSupported(const pb::ModelProto &model,
                                   llvm::StringRef path,
                                   mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
