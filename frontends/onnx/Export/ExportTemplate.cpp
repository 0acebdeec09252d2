// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer, which defines how the parts fit together again.
#include "frontends/onnx/Export/ExportTemplate.h"

namespace accel::onnx {
namespace {

void appendVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  bytes += static_cast<char>(value);
}

void appendField(std::string &bytes, char tag, const std::string &contents) {
  bytes += tag;
  appendVarint(bytes, contents.size());
  bytes += contents;
}

} // namespace

std::string writeExportTemplate(
    const ExportTemplate &exported,
    llvm::function_ref<std::string(const ExportTensor &)> getData) {
  std::string graph = exported.graph;
  for (const ExportTensor &tensor : exported.tensors) {
    std::string contents = tensor.header;
    appendField(contents, 0x4a, getData(tensor));
    appendField(graph, 0x2a, contents);
  }
  std::string file = exported.model;
  appendField(file, 0x3a, graph);
  return file;
}

} // namespace accel::onnx
