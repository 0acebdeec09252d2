// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a file still has everything that its program trains. What an exporter
// merged, left out or replaced without a trace cannot be recovered, and would
// train otherwise than in PyTorch.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_RECOVERYCHECK_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_RECOVERYCHECK_H

#include "frontends/onnx/Weights/DetachedValues.h"
#include "frontends/onnx/Weights/LostParameters.h"

#include "mlir/IR/MLIRContext.h"

namespace accel::onnx {

/// How each parameter gets into the file as it is.
inline constexpr llvm::StringLiteral kExportByName =
    "torch.onnx.export(model, args, \"model.onnx\", dynamo=True, "
    "optimize=False), or with dynamo=False add "
    "training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False";

/// A graph, and what is known of its parameters. Borrows: all.
struct RecoveryProblem {
  const pb::GraphProto &graph;
  const GraphIndex &index;
  const GraphSignature &signature;
  const LostParameters &lost;
  const Recovery &recovery;
  llvm::StringRef path;
  mlir::MLIRContext &context;
};

/// Emits an error for parameters that were merged with equal ones or left out,
/// for calls with random numbers that were, for constants that were merged with
/// parameters, for buffers that the program changes, and for values of which it
/// is not clear whether it detaches them; whether there was none. `detached`
/// gets those of which it is.
bool checkRecovery(const RecoveryProblem &problem, DetachedInputs &detached);

} // namespace accel::onnx

#endif
