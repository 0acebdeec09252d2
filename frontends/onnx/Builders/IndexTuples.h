// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuples of indices, as GatherND and ScatterND have them, as one index each.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_INDEXTUPLES_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_INDEXTUPLES_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// How tuples of shape (points.., q) choose from data of some shape.
///
/// An element of the tuples that counts along a dimension of the points, 0, 1,
/// 2 ..., and as far as its dimension of the data goes, is no index: both
/// dimensions are the same. PyTorch's `x[torch.arange(batch), last]` has such
/// for samples. These dimensions come first, in data and points.
struct IndexTuples {
  int64_t aligned = 0;
  llvm::SmallVector<int64_t> dataOrder;  ///< aligned, indexed, others
  llvm::SmallVector<int64_t> pointOrder; ///< aligned, others; then, if
                                         ///< applied to updates, the rest
  llvm::SmallVector<int64_t> dataShape;  ///< (aligned.., n, rest..)
  llvm::SmallVector<int64_t> pointShape; ///< (aligned.., k, rest..)
  mlir::Value indices;                   ///< (aligned.., k), into n
};

/// Requires: `tuples` fits `type` after `batchDims` common dimensions.
mlir::FailureOr<IndexTuples> layOutTuples(const NodeConversion &conversion,
                                          mlir::RankedTensorType type,
                                          mlir::Value tuples,
                                          int64_t batchDims);

} // namespace accel::onnx

#endif
