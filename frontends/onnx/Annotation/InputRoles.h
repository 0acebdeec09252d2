// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the data of an input are for: the labels of a loss, and inputs that have
// an obvious value when nobody gives them one.
#ifndef ACCEL_FRONTENDS_ONNX_ANNOTATION_INPUTROLES_H
#define ACCEL_FRONTENDS_ONNX_ANNOTATION_INPUTROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel::onnx {

/// If `labels` are an argument of the model, moved about but not computed:
/// marks that argument as a target of `classes` classes, and if the model
/// shifts it itself, to be filled with the tokens of a stream, unshifted.
/// `ignored`: a label that takes no part, or none.
void markLabels(mlir::Value labels, int64_t classes,
                std::optional<int64_t> ignored);

/// Hugging Face's `attention_mask` (batch, positions) is filled with ones,
/// `position_ids` with positions.
void markFilledInputs(mlir::func::FuncOp forward);

} // namespace accel::onnx

#endif
