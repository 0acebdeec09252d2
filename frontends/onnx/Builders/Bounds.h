// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of numbers, with the gradients of PyTorch's functions: an element that
// is equal to its bound has none of the gradient in `hardtanh`. In `clamp` it
// has all of it, since PyTorch 2.14 none beside a number and half beside a
// tensor, as a maximum of two tensors has.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_BOUNDS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_BOUNDS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

enum class BoundSide { Least, Most };

/// Whether a Max or Min of two tensors of floats is a bound: by the text of its
/// call or, where there is none, because one of them is a constant number.
bool isBound(NodeConversion &c);

/// `value` within `bound`, of the same type.
mlir::Value makeBound(const NodeConversion &c, mlir::Value value,
                      mlir::Value bound, BoundSide side);

} // namespace accel::onnx

#endif
