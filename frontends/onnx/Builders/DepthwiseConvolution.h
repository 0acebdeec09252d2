// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions in which each channel has windows and weights of its own.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_DEPTHWISECONVOLUTION_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_DEPTHWISECONVOLUTION_H

#include "frontends/onnx/Builders/ChannelsLast.h"

namespace accel::onnx {

/// `weights` in another order, with a place in memory: forward and backward
/// read them again and again.
mlir::Value storeWeights(const NodeConversion &conversion, mlir::Value weights,
                         llvm::ArrayRef<int64_t> order);

/// `input` (n, s..., c), padded, with `weights` (c, k...); (n, p..., c). There
/// is nothing that a product could use twice: it is a sum over the elements of
/// a window.
mlir::Value convolveEach(const NodeConversion &conversion, mlir::Value input,
                         mlir::Value weights, llvm::ArrayRef<WindowAxis> axes);

} // namespace accel::onnx

#endif
