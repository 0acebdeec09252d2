// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chosen elements along any dimension, out of the dialect's gather of rows.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_GATHERALONG_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_GATHERALONG_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// `value[.., indices[i..], ..]` along `axis`: the dimensions of `indices`
/// stand in the place of that one. What has index `paddingRow` sends no
/// gradient to `value`. Requires: integer indices, not negative.
mlir::Value gatherAlong(const NodeConversion &conversion, mlir::Value value,
                        int64_t axis, mlir::Value indices,
                        std::optional<int64_t> paddingRow = std::nullopt);

/// Indices into a dimension of `size`, counted from its start; an index that it
/// does not have is an error on the node.
mlir::FailureOr<llvm::SmallVector<int64_t>>
countFromStart(const NodeConversion &conversion,
               llvm::ArrayRef<int64_t> indices, int64_t size);

/// The same of indices that the model computes: i64, counted from the start,
/// and whether the dimension has them.
struct CountedIndex {
  mlir::Value value, exists;
};
CountedIndex countFromStart(const NodeConversion &conversion,
                            mlir::Value indices, int64_t size);

} // namespace accel::onnx

#endif
