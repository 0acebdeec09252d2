// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths in a traceback are taken as the file has them: they are part of the
// input, not of this machine.
#include "frontends/onnx/Locations.h"

#include "frontends/onnx/Metadata.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace accel::onnx {

std::string getNodeName(const pb::NodeProto &node) {
  if (!node.name().empty() || node.output_size() == 0) {
    return node.name();
  }
  return node.output(0);
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
  return scope.empty() ? location
                       : FusedLoc::get(&context, {location},
                                       builder.getStringAttr(scope));
}

} // namespace accel::onnx
