// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements chosen by tuples of indices, where the tuples are known and regular.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_GATHERVIEW_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_GATHERVIEW_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// ONNX's GatherND as a slice, a transpose and a broadcast: `value`, of which
/// the first `batchDims` dimensions are those of `tuples` too, at `tuples`, the
/// last dimension of which holds one index for each of the next dimensions.
///
/// Null if it is none: the tuples must be known, and `value` not, as constants
/// are folded whatever chooses from them; along each dimension that is indexed
/// the tuples must choose one position, or positions a step apart along one
/// dimension of the result. Hugging Face reads a padding mask like that. An
/// index that does not exist is an error on the node.
mlir::FailureOr<mlir::Value> viewOfTuples(const NodeConversion &conversion,
                                          mlir::Value value, mlir::Value tuples,
                                          int64_t batchDims);

} // namespace accel::onnx

#endif
