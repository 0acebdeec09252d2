// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 8 and 16 bits: they are read as INT32, which holds all of them,
// and wrap around where the model's would.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_NARROWINTEGERS_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_NARROWINTEGERS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Notes that value `name` is of `dataType`, if that is a narrow one.
void markNarrow(ConversionState &state, llvm::StringRef name, int32_t dataType);

/// Emits an error for an operator that does with narrow integers what nobody
/// has looked at.
mlir::LogicalResult checkNarrowInputs(const NodeConversion &c);

/// Marks those outputs of a converted node that are narrow as well, and wraps
/// results of its arithmetic. Requires: checkNarrowInputs.
void markNarrowOutputs(NodeConversion &c);

/// `value`, integers of 32 bits, as those of a narrow type are.
mlir::Value wrapIntegers(NodeConversion &c, mlir::Value value,
                         int32_t dataType);

} // namespace accel::onnx

#endif
