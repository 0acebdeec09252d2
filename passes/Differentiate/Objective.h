// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objective a model is trained with: asked for by name, or found by the
// model's inputs and outputs.
#ifndef ACCEL_PASSES_DIFFERENTIATE_OBJECTIVE_H
#define ACCEL_PASSES_DIFFERENTIATE_OBJECTIVE_H

#include "passes/Differentiate/LossForm.h"

namespace accel {

/// Loss: a number that the model computes itself.
enum class ObjectiveKind { CausalLm, Classification, Mse, Output, Loss };

/// What is asked for.
struct ObjectiveRequest {
  std::string objective; ///< auto, causal-lm, classification, mse, output:NAME
  /// Whether a loss of the model's own is weighted by its samples, whatever it
  /// divides by.
  bool weighsSamples = false;
  /// What numbers are compared with.
  std::vector<OtherBatch> others = {};
};

struct Objective {
  ObjectiveKind kind;
  /// The result of @forward that is compared with the labels, or is the loss
  /// itself.
  unsigned output;
  /// Causal language models: the argument of @forward with the tokens, if there
  /// is no doubt about it.
  std::optional<unsigned> tokens;
  /// Loss: what it is made of; none: its mean over the microbatches is trained,
  /// which have to be whole.
  std::optional<GraphLoss> loss;
};

/// The name of `kind` on the command line and in `accel.objective`.
llvm::StringRef stringifyObjective(ObjectiveKind kind);

/// The `accel.name` of argument or result `index`.
llvm::StringRef getInputName(mlir::func::FuncOp forward, unsigned index);
llvm::StringRef getOutputName(mlir::func::FuncOp forward, unsigned index);

/// Decides on what is asked for; fails after an error on `forward` that lists
/// the outputs.
mlir::FailureOr<Objective> chooseObjective(mlir::func::FuncOp forward,
                                           const ObjectiveRequest &request,
                                           int64_t batch);

/// The model's own loss: the output that `objective` asks for, or for `auto`
/// the one named `loss`, if it is one float number.
std::optional<unsigned> findLoss(mlir::func::FuncOp forward,
                                 llvm::StringRef objective);

/// What the loss `output` is made of: for the same model with another batch
/// (ObjectiveRequest::others).
OtherBatch observeLoss(mlir::func::FuncOp forward, unsigned output,
                       int64_t batch);

} // namespace accel

#endif
