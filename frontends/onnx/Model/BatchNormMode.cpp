// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TorchScript writes the mode as an attribute; torch.export's programs have it
// in the call that the node was made of.
#include "frontends/onnx/Model/BatchNormMode.h"

#include "frontends/onnx/Model/Metadata.h"

namespace accel::onnx {
namespace {

bool isInference(const FxCall &call) {
  return call.isAten("_native_batch_norm_legit_no_training");
}

bool hasFlag(const FxCall &call) {
  return call.isAten({"_native_batch_norm_legit_functional",
                      "_native_batch_norm_legit", "native_batch_norm",
                      "batch_norm"});
}

/// What the call says. The flag is the argument behind the running variance.
BatchNormMode readCall(const FxCall &call) {
  if (isInference(call)) {
    return BatchNormMode::Inference;
  }
  // Without running statistics it gets those of the microbatch as operands,
  // which other nodes compute.
  if (call.isAten("_native_batch_norm_legit") &&
      call.target.ends_with(".no_stats")) {
    return BatchNormMode::Inference;
  }
  constexpr size_t flag = 5;
  if (!hasFlag(call) || call.arguments.size() <= flag) {
    return BatchNormMode::Unknown;
  }
  return call.arguments[flag] == "True"    ? BatchNormMode::Training
         : call.arguments[flag] == "False" ? BatchNormMode::Inference
                                           : BatchNormMode::Unknown;
}

} // namespace

BatchNormMode getBatchNormMode(const pb::NodeProto &node,
                               BatchNormPolicy policy) {
  if (policy == BatchNormPolicy::Frozen) {
    return BatchNormMode::Inference;
  }
  // Only a batch norm that trains has other outputs than its result.
  if (node.output_size() > 1) {
    return BatchNormMode::Training;
  }
  if (std::optional<FxCall> call = getFxCall(node)) {
    return readCall(*call);
  }
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == "training_mode") {
      return attribute.i() ? BatchNormMode::Training : BatchNormMode::Inference;
    }
  }
  return BatchNormMode::Unknown;
}

bool isBatchNormCall(const pb::NodeProto &node) {
  std::optional<FxCall> call = getFxCall(node);
  return call && (isInference(*call) || hasFlag(*call));
}

bool isRunningStatistic(const pb::NodeProto &node, int input) {
  return node.op_type() == "BatchNormalization" && (input == 3 || input == 4);
}

} // namespace accel::onnx
