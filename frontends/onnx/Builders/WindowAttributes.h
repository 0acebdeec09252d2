// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How windows move over the spatial dimensions of a convolution's or a pool's
// input: what the attributes kernel_shape, strides, dilations, pads, auto_pad
// and ceil_mode say.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_WINDOWATTRIBUTES_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_WINDOWATTRIBUTES_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// The windows along one spatial dimension.
struct WindowAxis {
  int64_t input = 0; ///< elements of the input
  int64_t size = 1, stride = 1, dilation = 1;
  int64_t before = 0, after = 0; ///< elements of padding
  int64_t count = 0;             ///< of windows
  /// Of padding behind `after`, so that the last window is whole (ceil_mode).
  int64_t beyond = 0;

  int64_t reach() const { return (size - 1) * dilation + 1; }
  int64_t padded() const { return before + input + after + beyond; }
};

/// One entry for each dimension of input 0 behind the first two. `sizes`: those
/// of the windows. Fails after an error on the node, as for windows that have
/// no place in the input or attributes of another length.
mlir::FailureOr<llvm::SmallVector<WindowAxis>>
getWindowAxes(const NodeConversion &conversion, llvm::ArrayRef<int64_t> sizes);

/// The same of an input whose dimensions behind the first two are `input`.
mlir::FailureOr<llvm::SmallVector<WindowAxis>>
getWindowAxes(const NodeConversion &conversion, llvm::ArrayRef<int64_t> input,
              llvm::ArrayRef<int64_t> sizes);

/// The attributes of a transposed convolution: `input` counts the windows that
/// are summed, `count` the elements of the result, and `before` and `after` of
/// what the windows cover are cut off. `beyond`: what the result has behind
/// what they cover.
mlir::FailureOr<llvm::SmallVector<WindowAxis>>
getTransposedAxes(const NodeConversion &conversion,
                  llvm::ArrayRef<int64_t> sizes);

} // namespace accel::onnx

#endif
