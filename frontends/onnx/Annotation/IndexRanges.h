// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that integer inputs may have: token ids are checked against the
// vocabulary before any kernel reads them.
#ifndef ACCEL_FRONTENDS_ONNX_ANNOTATION_INDEXRANGES_H
#define ACCEL_FRONTENDS_ONNX_ANNOTATION_INDEXRANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel::onnx {

/// Gives each argument of `forward` that indexes a table, possibly reshaped,
/// the attribute `accel.range = [0, rows - 1]` of the smallest such table.
void annotateIndexRanges(mlir::func::FuncOp forward);

} // namespace accel::onnx

#endif
