// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The logarithm of a softmax.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_LOGSOFTMAX_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_LOGSOFTMAX_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Of floats, along dimension `axis`.
mlir::Value makeLogSoftmax(const NodeConversion &conversion, mlir::Value value,
                           int64_t axis);

} // namespace accel::onnx

#endif
