// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pools compute with the channels last: the channels of an
// element of a window are neighbours in memory. Inputs are transposed in front
// and results behind; SinkTransposes removes what cancels out in between.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_CHANNELSLAST_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_CHANNELSLAST_H

#include "frontends/onnx/Builders/WindowAttributes.h"

namespace accel::onnx {

/// (n, c, s...) as (n, s..., c), and back.
mlir::Value toChannelsLast(const NodeConversion &conversion, mlir::Value value);
mlir::Value toChannelsFirst(const NodeConversion &conversion,
                            mlir::Value value);

/// `value` (n, s..., c) with `number` around it.
mlir::Value padAround(const NodeConversion &conversion, mlir::Value value,
                      llvm::ArrayRef<WindowAxis> axes, double number);

/// The windows (n, p..., c, k...) of `value` (n, s..., c), which is padded.
mlir::Value makeWindows(const NodeConversion &conversion, mlir::Value value,
                        llvm::ArrayRef<WindowAxis> axes);

/// Windows (n, p..., c, k...) summed where they overlap, to (n, s..., c), the
/// sizes of what the windows cover being `sizes`.
mlir::Value sumWindows(const NodeConversion &conversion, mlir::Value windows,
                       llvm::ArrayRef<WindowAxis> axes,
                       llvm::ArrayRef<int64_t> sizes);

} // namespace accel::onnx

#endif
