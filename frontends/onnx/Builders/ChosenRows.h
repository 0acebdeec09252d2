// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are read or written at indices, also at those that the model
// computes. Where data and indices have leading dimensions in common, as the
// samples of a batch, every row is read by comparing indices with positions: no
// sample reads another's, which the objective relies on.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_CHOSENROWS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_CHOSENROWS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// `result[a.., k, rest..] = data[a.., indices[a.., k], rest..]`: `data` of
/// shape (a.., n, rest..), `indices` of shape (a.., k), with `aligned`
/// dimensions a. Indices from -n on count from the end. One that does not exist
/// is an error on the node if it is known; a computed one gives NaN where the
/// data are floats, so that the step does not count, and else some row.
///
/// Without common dimensions `paddingRow` is as in gatherAlong.
///
/// Cost: known indices that are the same for the first dimension a, as those of
/// relative positions are for all samples and heads, and tables without common
/// dimensions: one read for each element. Others: n for each.
mlir::FailureOr<mlir::Value>
gatherRows(const NodeConversion &conversion, mlir::Value data,
           mlir::Value indices, int64_t aligned,
           std::optional<int64_t> paddingRow = std::nullopt);

enum class ScatterKind { Replace, Add, Multiply, Max, Min };

/// `data` of shape (a.., n, rest..), with rows of `updates`, (a.., k, rest..),
/// put, or combined with what is there, at `indices`, (a.., k). Of several rows
/// for one place the last is put; sums and products have a fixed order. Indices
/// are as above: one that does not exist makes a row of floats NaN. Requires:
/// floats for what is neither put nor added.
mlir::FailureOr<mlir::Value> scatterRows(const NodeConversion &conversion,
                                         mlir::Value data, mlir::Value indices,
                                         mlir::Value updates, int64_t aligned,
                                         ScatterKind kind);

} // namespace accel::onnx

#endif
