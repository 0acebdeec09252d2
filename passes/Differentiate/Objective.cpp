// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the objective.
#include "passes/Differentiate/Objective.h"

#include "passes/Differentiate/LossComparison.h"
#include "passes/ErrorCodes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace accel {
namespace {

constexpr llvm::StringLiteral kOutputPrefix = "output:";
constexpr ObjectiveKind kByLabels[] = {
    ObjectiveKind::CausalLm, ObjectiveKind::Classification, ObjectiveKind::Mse};

RankedTensorType getOutputType(func::FuncOp forward, unsigned output) {
  return cast<RankedTensorType>(forward.getResultTypes()[output]);
}

/// Integer inputs that have the shape of the positions of logits of type
/// `logits`.
SmallVector<unsigned> findTokens(func::FuncOp forward,
                                 RankedTensorType logits) {
  SmallVector<unsigned> inputs;
  for (BlockArgument argument : forward.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (isa<IntegerType>(type.getElementType()) &&
        type.getShape() == logits.getShape().drop_back()) {
      inputs.push_back(argument.getArgNumber());
    }
  }
  return inputs;
}

/// Whether `kind` can be computed from `output`.
bool fits(func::FuncOp forward, ObjectiveKind kind, unsigned output,
          int64_t batch) {
  RankedTensorType type = getOutputType(forward, output);
  if (!isa<FloatType>(type.getElementType()) || type.getRank() == 0 ||
      type.getDimSize(0) != batch) {
    return false;
  }
  switch (kind) {
  case ObjectiveKind::CausalLm:
    return type.getRank() == 3 && !findTokens(forward, type).empty();
  case ObjectiveKind::Classification:
    return type.getRank() == 2;
  case ObjectiveKind::Mse:
  case ObjectiveKind::Output:
    return true;
  case ObjectiveKind::Loss:
    return false;
  }
  llvm_unreachable("unknown objective");
}

StringRef describeOutput(ObjectiveKind kind) {
  switch (kind) {
  case ObjectiveKind::CausalLm:
    return "float logits (batch, positions, vocabulary) beside an integer "
           "input (batch, positions)";
  case ObjectiveKind::Classification:
    return "float logits (batch, classes)";
  case ObjectiveKind::Mse:
  case ObjectiveKind::Output:
    return "float values with the batch as first dimension";
  case ObjectiveKind::Loss:
    return "one float number";
  }
  llvm_unreachable("unknown objective");
}

void listOutputs(InFlightDiagnostic &error, func::FuncOp forward) {
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    error << (i ? ", '" : "'") << getOutputName(forward, i) << "' "
          << forward.getResultTypes()[i];
  }
}

/// The output for `kind`: the only one that fits, or of several the one named
/// `logits`.
FailureOr<std::optional<unsigned>>
findOutput(func::FuncOp forward, ObjectiveKind kind, int64_t batch) {
  SmallVector<unsigned> candidates;
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    if (fits(forward, kind, i, batch)) {
      candidates.push_back(i);
    }
  }
  if (candidates.size() > 1) {
    llvm::erase_if(candidates, [&](unsigned i) {
      return getOutputName(forward, i) != "logits";
    });
    if (candidates.size() != 1) {
      InFlightDiagnostic error =
          withCode(forward.emitError("objective "), codes::NoObjective)
          << stringifyObjective(kind) << ": expected one output of "
          << describeOutput(kind) << " or one of them named 'logits', got ";
      listOutputs(error, forward);
      return failure();
    }
  }
  return candidates.empty() ? std::nullopt
                            : std::optional<unsigned>(candidates.front());
}

/// The only input that can be the tokens of `logits`; of several the only one
/// that may hold as many numbers as there are logits (beside a mask and
/// positions, say).
std::optional<unsigned> findOnlyTokens(func::FuncOp forward,
                                       RankedTensorType logits) {
  SmallVector<unsigned> tokens = findTokens(forward, logits);
  if (tokens.size() > 1) {
    int64_t last = logits.getShape().back() - 1;
    llvm::erase_if(tokens, [&](unsigned input) {
      auto range = forward.getArgAttrOfType<ArrayAttr>(input, "accel.range");
      return !range || cast<IntegerAttr>(range[1]).getInt() != last;
    });
  }
  return tokens.size() == 1 ? std::optional(tokens.front()) : std::nullopt;
}

Objective makeObjective(func::FuncOp forward, ObjectiveKind kind,
                        unsigned output) {
  Objective objective{kind, output, std::nullopt, std::nullopt};
  if (kind == ObjectiveKind::CausalLm) {
    objective.tokens = findOnlyTokens(forward, getOutputType(forward, output));
  }
  return objective;
}

Value getOutput(func::FuncOp forward, unsigned output) {
  return forward.getBody().front().getTerminator()->getOperand(output);
}

/// Takes the loss apart, and compares it with those of other batches.
FailureOr<GraphLoss> matchLoss(func::FuncOp forward, Value scalar,
                               const ObjectiveRequest &request, int64_t batch,
                               std::string &reason) {
  bool isCompared = !request.others.empty();
  FailureOr<GraphLoss> loss = matchGraphLoss(
      forward, scalar, batch,
      isCompared ? LossNumbers::Compared : LossNumbers::Guessed, reason);
  if (failed(loss) || !isCompared) {
    return loss;
  }
  if (failed(reconcile(*loss, batch, request.others, reason)) ||
      failed(checkDivisors(*loss, reason))) {
    return failure();
  }
  return loss;
}

/// The model's own loss.
FailureOr<Objective> makeLoss(func::FuncOp forward, unsigned output,
                              const ObjectiveRequest &request, int64_t batch) {
  Objective objective{ObjectiveKind::Loss, output, std::nullopt, std::nullopt};
  if (request.weighsSamples) {
    return objective;
  }
  std::string reason;
  FailureOr<GraphLoss> loss =
      matchLoss(forward, getOutput(forward, output), request, batch, reason);
  if (failed(loss)) {
    withCode(forward.emitError("output '"), codes::LossForm)
        << getOutputName(forward, output)
        << "': expected a loss that is a sum over targets, divided by their "
           "count or by a number, but "
        << reason
        << "; --loss-weight=samples trains its mean over the microbatches, "
           "which then have to be whole: --global-batch a multiple of "
           "microbatch x ranks";
    return failure();
  }
  objective.loss = *loss;
  return objective;
}

FailureOr<Objective> chooseByGraph(func::FuncOp forward, int64_t batch) {
  for (ObjectiveKind kind :
       {ObjectiveKind::CausalLm, ObjectiveKind::Classification}) {
    FailureOr<std::optional<unsigned>> output =
        findOutput(forward, kind, batch);
    if (failed(output)) {
      return failure();
    }
    if (*output) {
      return makeObjective(forward, kind, **output);
    }
  }
  InFlightDiagnostic error =
      withCode(forward.emitError("--objective=auto: expected "),
               codes::NoObjective)
      << describeOutput(ObjectiveKind::CausalLm) << ", or "
      << describeOutput(ObjectiveKind::Classification) << ", got ";
  listOutputs(error, forward);
  error << ", or a number named 'loss'; choose --objective=mse or "
           "--objective=output:NAME";
  return failure();
}

FailureOr<Objective> chooseOutput(func::FuncOp forward, StringRef name,
                                  int64_t batch) {
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    if (getOutputName(forward, i) == name) {
      if (fits(forward, ObjectiveKind::Output, i, batch)) {
        return makeObjective(forward, ObjectiveKind::Output, i);
      }
      withCode(forward.emitError("--objective=output:"), codes::NoObjective)
          << name << ": expected " << describeOutput(ObjectiveKind::Output)
          << " (" << batch << "), or one float number, got "
          << forward.getResultTypes()[i]
          << "; export a loss per sample, or their mean";
      return failure();
    }
  }
  InFlightDiagnostic error =
      withCode(forward.emitError("--objective=output:"), codes::NoObjective)
      << name << ": expected the name of an output, got one of none; outputs: ";
  listOutputs(error, forward);
  return failure();
}

} // namespace

StringRef stringifyObjective(ObjectiveKind kind) {
  switch (kind) {
  case ObjectiveKind::CausalLm:
    return "causal-lm";
  case ObjectiveKind::Classification:
    return "classification";
  case ObjectiveKind::Mse:
    return "mse";
  case ObjectiveKind::Output:
    return "output";
  case ObjectiveKind::Loss:
    return "loss";
  }
  llvm_unreachable("unknown objective");
}

StringRef getInputName(func::FuncOp forward, unsigned index) {
  return forward.getArgAttrOfType<StringAttr>(index, "accel.name").getValue();
}

StringRef getOutputName(func::FuncOp forward, unsigned index) {
  return forward.getResultAttrOfType<StringAttr>(index, "accel.name")
      .getValue();
}

std::optional<unsigned> findLoss(func::FuncOp forward, StringRef objective) {
  StringRef name = objective == "auto" ? "loss" : objective;
  if (objective != "auto" && !name.consume_front(kOutputPrefix)) {
    return std::nullopt;
  }
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    RankedTensorType type = getOutputType(forward, i);
    if (getOutputName(forward, i) == name &&
        isa<FloatType>(type.getElementType()) && type.getRank() == 0) {
      return i;
    }
  }
  return std::nullopt;
}

FailureOr<Objective> chooseObjective(func::FuncOp forward,
                                     const ObjectiveRequest &request,
                                     int64_t batch) {
  StringRef text = request.objective;
  if (std::optional<unsigned> loss = findLoss(forward, text)) {
    return makeLoss(forward, *loss, request, batch);
  }
  if (text == "auto") {
    return chooseByGraph(forward, batch);
  }
  StringRef name = text;
  if (name.consume_front(kOutputPrefix)) {
    return chooseOutput(forward, name, batch);
  }
  for (ObjectiveKind kind : kByLabels) {
    if (text != stringifyObjective(kind)) {
      continue;
    }
    FailureOr<std::optional<unsigned>> output =
        findOutput(forward, kind, batch);
    if (failed(output)) {
      return failure();
    }
    if (*output) {
      return makeObjective(forward, kind, **output);
    }
    InFlightDiagnostic error =
        withCode(forward.emitError("--objective="), codes::NoObjective)
        << text << ": expected " << describeOutput(kind) << ", got ";
    listOutputs(error, forward);
    return failure();
  }
  forward.emitError("--objective: expected auto, causal-lm, classification, "
                    "mse or output:NAME, got '")
      << text << "'";
  return failure();
}

OtherBatch observeLoss(func::FuncOp forward, unsigned output, int64_t batch) {
  OtherBatch other;
  other.batch = batch;
  FailureOr<GraphLoss> loss =
      matchGraphLoss(forward, getOutput(forward, output), batch,
                     LossNumbers::Compared, other.reason);
  if (succeeded(loss)) {
    other.form = getForm(*loss);
    other.within = collectNumbers(*loss);
  }
  return other;
}

} // namespace accel
