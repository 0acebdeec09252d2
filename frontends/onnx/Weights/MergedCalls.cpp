// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what nodes read with what their calls name. FX numbers the calls of
// an operator: layer_norm, layer_norm_1.
#include "frontends/onnx/Weights/MergedCalls.h"

#include "llvm/ADT/STLExtras.h"

namespace accel::onnx {
namespace {

/// Whether `call` is a cast, which exporters leave out between equal types: it
/// stands for what was cast, where a slice of all may stand for any part.
bool isCast(llvm::StringRef call) {
  llvm::StringRef name = getCalledOperator(call);
  return name == "type_as" || name == "_to_copy" || name == "to";
}

/// Whether a node that says it computes a sum or a product is a norm, whose
/// last call that was: what the call names is a part of the node.
bool isPartOfNorm(const pb::NodeProto &node, const FxCall &call) {
  llvm::StringRef name = getCalledOperator(call.name);
  return llvm::StringRef(node.op_type()).ends_with("Normalization") &&
         (name == "mul" || name == "add");
}

class MergedSearch {
public:
  MergedSearch(const LeftOutCalls &leftOut, FindParameter findParameter)
      : leftOut(leftOut), graph(leftOut.getGraph()),
        signature(leftOut.getSignature()), findParameter(findParameter) {}

  bool run();

private:
  using Names = LeftOutCalls::Names;

  void noteReads(const pb::NodeProto &node, const FxCall *call);
  bool isMerged(llvm::StringRef value, const Names &lost) const;
  bool readsMerged(const pb::NodeProto &node, const FxCall *call);
  void noteResults(const pb::NodeProto &node, const FxCall *call);

  const LeftOutCalls &leftOut;
  const pb::GraphProto &graph;
  const GraphSignature &signature;
  FindParameter findParameter;
  /// Parameters that a call names, and those that a node without one reads.
  llvm::StringSet<> named, unnamed;
  struct Value {
    bool isOfParametersAlone = false;
    std::string call; ///< that computes it; empty if the node names none
    Names lost;       ///< what the first reader names in its place
  };
  /// That are computed of parameters.
  llvm::StringMap<Value> values;
};

/// Whether one that is `lost` is another call of the operator that computes
/// `value`, or of what an earlier reader named in its place.
bool MergedSearch::isMerged(llvm::StringRef value, const Names &lost) const {
  const Value &computed = values.find(value)->second;
  auto isNamed = [&](llvm::StringRef name) {
    return llvm::is_contained(computed.lost, name);
  };
  auto isAlike = [&](llvm::StringRef name) {
    return getCalledOperator(name) == getCalledOperator(value) ||
           getCalledOperator(name) == getCalledOperator(computed.call) ||
           llvm::any_of(computed.lost, [&](llvm::StringRef other) {
             return getCalledOperator(other) == getCalledOperator(name) &&
                    (computed.call.empty() || isCast(name));
           });
  };
  return llvm::none_of(lost, isNamed) && llvm::any_of(lost, isAlike);
}

bool MergedSearch::readsMerged(const pb::NodeProto &node, const FxCall *call) {
  Names lost;
  if (call && !isPartOfNorm(node, *call)) {
    lost = leftOut.find(*call);
  }
  for (const std::string &input : node.input()) {
    llvm::StringRef parameter = findParameter(input);
    // What was separated again has a name of its own.
    if (!lost.empty() && !parameter.empty() && leftOut.isInitializer(input) &&
        readsOtherConstant(*call, input, parameter, signature)) {
      return true;
    }
    auto read = values.find(input);
    if (read == values.end()) {
      continue;
    }
    if (isMerged(input, lost)) {
      return true;
    }
    if (read->second.lost.empty()) {
      read->second.lost = lost;
    }
  }
  return false;
}

void MergedSearch::noteReads(const pb::NodeProto &node, const FxCall *call) {
  if (call) {
    for (llvm::StringRef each : call->getValues()) {
      named.insert(signature.findParameter(each));
    }
    return;
  }
  for (const std::string &input : node.input()) {
    unnamed.insert(findParameter(input));
  }
}

void MergedSearch::noteResults(const pb::NodeProto &node, const FxCall *call) {
  bool readsParameter = false, readsDataToo = false;
  for (const std::string &input : node.input()) {
    auto read = values.find(input);
    bool isOfParameters =
        read != values.end() && read->second.isOfParametersAlone;
    readsParameter |= isOfParameters || !findParameter(input).empty();
    readsDataToo |= !isOfParameters && !leftOut.isInitializer(input);
  }
  if (readsParameter) {
    for (const std::string &output : node.output()) {
      values[output] = {!readsDataToo, call ? call->name.str() : "", {}};
    }
  }
}

bool MergedSearch::run() {
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<FxCall> call = getFxCall(node);
    if (readsMerged(node, call ? &*call : nullptr)) {
      return true;
    }
    noteReads(node, call ? &*call : nullptr);
    noteResults(node, call ? &*call : nullptr);
  }
  return llvm::any_of(unnamed, [&](const auto &each) {
    return !each.getKey().empty() && named.contains(each.getKey());
  });
}

} // namespace

bool mergesCallsOfParameters(const LeftOutCalls &leftOut,
                             FindParameter findParameter) {
  return MergedSearch(leftOut, findParameter).run();
}

} // namespace accel::onnx
