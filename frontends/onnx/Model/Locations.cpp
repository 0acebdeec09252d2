// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths in a traceback are taken as the file has them: they are part of the
// input, not of this machine.
#include "frontends/onnx/Model/Locations.h"

#include "frontends/onnx/Model/Metadata.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel::onnx {

std::string getNodeName(const pb::NodeProto &node) {
  if (!node.name().empty() || node.output_size() == 0) {
    return node.name();
  }
  return node.output(0);
}

/// The module in the name that the TorchScript exporter gives a node:
/// `/layers/layers.0/Gemm` is of `layers.0`, `/h.0/attn/MatMul` of `h.0.attn`.
static std::string getScopeOfName(llvm::StringRef name) {
  auto [path, operation] = name.rsplit('/');
  if (!path.consume_front("/") || operation.empty()) {
    return {};
  }
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '/');
  llvm::SmallVector<llvm::StringRef> modules;
  for (llvm::StringRef part : parts) {
    // A child of a container is named with the container before it.
    llvm::StringRef rest = part;
    if (!modules.empty() && rest.consume_front(modules.back()) &&
        rest.starts_with(".")) {
      modules.pop_back();
    }
    modules.push_back(part);
  }
  return llvm::join(modules, ".");
}

Location getNodeLocation(MLIRContext &context, const pb::NodeProto &node) {
  Builder builder(&context);
  Location location = UnknownLoc::get(&context);
  if (std::optional<PythonFrame> frame = findUserFrame(node)) {
    location = FileLineColLoc::get(&context, frame->file, frame->line, 0);
  }
  if (std::string name = getNodeName(node); !name.empty()) {
    location = NameLoc::get(builder.getStringAttr(name), location);
  }
  std::string scope = getModuleScope(node);
  if (scope.empty()) {
    scope = getScopeOfName(node.name());
  }
  return scope.empty() ? location
                       : FusedLoc::get(&context, {location},
                                       builder.getStringAttr(scope));
}

} // namespace accel::onnx
