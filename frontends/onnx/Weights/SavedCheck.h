// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds the parameters of a model against the file that the user says they were
// saved in.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_SAVEDCHECK_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_SAVEDCHECK_H

#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Weights/ModelWeights.h"

namespace accel::onnx {

/// One error lists the parameters that `saved` has with another type or with
/// other bits; of a table of which the model has some rows, those are looked
/// for. What only one of both has is told.
mlir::LogicalResult checkSaved(const ModelWeights &weights,
                               const SavedParameters &saved,
                               llvm::StringRef path, mlir::MLIRContext &context,
                               ImportNotes &notes);

} // namespace accel::onnx

#endif
