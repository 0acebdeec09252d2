// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the innermost lines of tracebacks with the calls of their nodes.
#include "frontends/onnx/Weights/DetachedLines.h"

#include "llvm/ADT/STLExtras.h"

namespace accel::onnx {

bool isDetach(llvm::StringRef call) {
  return getCalledOperator(call) == "detach" ||
         getCalledOperator(call) == "detach_";
}

DetachedLines::DetachedLines(const LeftOutCalls &leftOut) : leftOut(leftOut) {
  for (const pb::NodeProto &node : leftOut.getGraph().node()) {
    llvm::StringRef line = findInnermostLine(node);
    std::optional<FxCall> call = getFxCall(node);
    if (!call || !line.contains(".detach(")) {
      continue;
    }
    llvm::StringSet<> &ofLine = named[line];
    llvm::SmallVector<llvm::StringRef> values = call->getValues();
    for (llvm::StringRef each : values) {
      if (isDetach(each.drop_front())) {
        ofLine.insert(each);
      }
    }
    if (isDetach(call->name)) {
      ofLine.insert(("%" + call->name).str());
    }
  }
}

bool DetachedLines::mayDetach(
    const pb::NodeProto &node,
    llvm::function_ref<bool(llvm::StringRef)> isTrained) const {
  llvm::StringRef line = findInnermostLine(node);
  auto found = named.find(line);
  if (found == named.end() || line.count(".detach(") <= found->second.size()) {
    return false;
  }
  std::optional<FxCall> call = getFxCall(node);
  return call && !leftOut.find(*call).empty() &&
         llvm::any_of(leftOut.findUnnamed(node, *call), isTrained);
}

} // namespace accel::onnx
