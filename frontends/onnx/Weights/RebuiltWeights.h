// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes what the exporter folded of the parameters themselves again, where
// the user gives those (`--params`) and the result has the constant's bits.
//
//   before:  initializer unsqueeze_5 [1, 32, 1, 4]   folded_from exp, neg,
//   A_log after:   initializer A_log [32, 4];
//            Reshape(Neg(Exp(A_log)), [1, 32, 1, 4]) -> unsqueeze_5
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_REBUILTWEIGHTS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_REBUILTWEIGHTS_H

#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LogicalResult.h"

namespace accel::onnx {

/// Rewrites `graph`: afterwards every weight that recoverParameters could not
/// trace is a node's result, and what it was computed of an initializer of the
/// name and value that `options.saved` has. Where the exporter merged constants
/// of several parameters, each is computed of its own. New nodes stand in front
/// of all others. One error lists all constants that cannot be computed.
/// Requires: `options.saved`.
mlir::LogicalResult rebuildFoldedWeights(pb::GraphProto &graph,
                                         llvm::StringRef path,
                                         const ImportOptions &options,
                                         mlir::MLIRContext &context,
                                         ImportNotes &notes);

} // namespace accel::onnx

#endif
