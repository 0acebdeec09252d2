// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which computed indices cannot leave their table.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_INDEXBOUNDS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_INDEXBOUNDS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Whether integers `indices` are rows of a table of `size`: computed of
/// positions, comparisons and other choices so that they are in [0, `size`), or
/// elements of inputs, also moved or with a constant added, which are checked
/// against the tables before a step (dialects/Accel/Interpreter/InputRanges.h).
bool areInside(const NodeConversion &conversion, mlir::Value indices,
               int64_t size);

} // namespace accel::onnx

#endif
