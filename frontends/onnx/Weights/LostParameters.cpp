// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules are known by their scope, a prefix of their parameters' names.
#include "frontends/onnx/Weights/LostParameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace accel::onnx {

bool isParameterOf(llvm::StringRef parameter, llvm::StringRef scope) {
  auto [module, leaf] = parameter.rsplit('.');
  return leaf.empty() ? scope.empty() : module == scope;
}

LostParameters::LostParameters(const pb::GraphProto &graph,
                               const GraphIndex &index,
                               const GraphSignature &signature) {
  llvm::StringSet<> present;
  for (const pb::TensorProto &tensor : graph.initializer()) {
    present.insert(tensor.name());
    for (const std::string &origin : index.getOrigins(tensor.name())) {
      present.insert(origin);
    }
  }
  for (const pb::NodeProto &node : graph.node()) {
    if (std::optional<FxCall> call = getFxCall(node)) {
      for (llvm::StringRef value : call->getValues()) {
        present.insert(signature.findParameter(value));
      }
    }
  }
  llvm::copy_if(
      signature.getParameters(), std::back_inserter(lost),
      [&](llvm::StringRef parameter) { return !present.contains(parameter); });
}

llvm::SmallVector<llvm::StringRef>
LostParameters::list(llvm::StringRef scope) const {
  llvm::SmallVector<llvm::StringRef> candidates;
  llvm::copy_if(lost, std::back_inserter(candidates),
                [&](llvm::StringRef parameter) {
                  return isParameterOf(parameter, scope);
                });
  return candidates;
}

std::string LostParameters::findRead(const pb::NodeProto &node,
                                     const RecoveredParameter &holder) const {
  std::optional<FxCall> call = getFxCall(node);
  if (!call) {
    return {};
  }
  if (llvm::is_contained(call->getValues(), "%" + holder.initializer)) {
    return holder.parameter;
  }
  std::string scope = getModuleScope(node);
  llvm::SmallVector<llvm::StringRef> candidates = list(scope);
  if (candidates.empty() && isParameterOf(holder.parameter, scope)) {
    return holder.parameter;
  }
  return candidates.size() == 1 ? candidates.front().str() : std::string();
}

} // namespace accel::onnx
