// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objective a model is trained with: asked for by name, or found by the
// model's inputs and outputs.
#ifndef ACCEL_PASSES_DIFFERENTIATE_OBJECTIVE_H
#define ACCEL_PASSES_DIFFERENTIATE_OBJECTIVE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

enum class ObjectiveKind { CausalLm, Classification, Mse, Output };

struct Objective {
  ObjectiveKind kind;
  /// The result of @forward that is compared with the labels, or is the loss
  /// itself.
  unsigned output;
  /// Causal language models: the argument of @forward with the tokens, if there
  /// is no doubt about it.
  std::optional<unsigned> tokens;
};

/// The name of `kind` on the command line and in `accel.objective`.
llvm::StringRef stringifyObjective(ObjectiveKind kind);

/// The `accel.name` of argument or result `index`.
llvm::StringRef getInputName(mlir::func::FuncOp forward, unsigned index);
llvm::StringRef getOutputName(mlir::func::FuncOp forward, unsigned index);

/// Decides on what `text` asks for (auto, causal-lm, classification, mse,
/// output:NAME); fails after an error on `forward` that lists the outputs.
mlir::FailureOr<Objective> chooseObjective(mlir::func::FuncOp forward,
                                           llvm::StringRef text, int64_t batch);

} // namespace accel

#endif
