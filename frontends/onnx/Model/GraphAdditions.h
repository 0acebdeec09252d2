// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is added to a graph whose weights the exporter changed: the nodes that
// change them the same way.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_GRAPHADDITIONS_H
#define ACCEL_FRONTENDS_ONNX_MODEL_GRAPHADDITIONS_H

#include "frontends/onnx/Model/Schema.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <string>

namespace accel::onnx {

/// Initializers and nodes, under names that the graph does not have. The graph
/// stays as it is until all of them are added, and references to them hold as
/// long. Borrows: the graph.
class GraphAdditions {
public:
  explicit GraphAdditions(pb::GraphProto &graph);

  bool isEmpty() const { return nodes.empty(); }

  /// Whether nothing had this name so far; from now on something has.
  bool claim(llvm::StringRef name) { return names.insert(name).second; }
  /// `name`, or one that begins so.
  std::string getFreshName(std::string name);

  /// An initializer under a name that is claimed.
  pb::TensorProto &addTensor(llvm::StringRef name, int32_t dataType,
                             llvm::ArrayRef<int64_t> shape);
  /// One under a fresh name, which is returned.
  std::string addIntegers(llvm::StringRef name, llvm::ArrayRef<int64_t> values,
                          llvm::ArrayRef<int64_t> shape);
  std::string addScalar(llvm::StringRef name, float value);

  /// Nodes must be added in an order in which values are made before they are
  /// read.
  pb::NodeProto &addNode(llvm::StringRef name, llvm::StringRef op,
                         llvm::ArrayRef<std::string> inputs,
                         llvm::ArrayRef<std::string> outputs);

  /// Puts all of them into the graph, the nodes in front.
  void addAll();

private:
  pb::GraphProto &graph;
  llvm::StringSet<> names; ///< of all values
  std::deque<pb::TensorProto> tensors;
  std::deque<pb::NodeProto> nodes;
};

void addAttribute(pb::NodeProto &node, llvm::StringRef name, int64_t value);
void addAttribute(pb::NodeProto &node, llvm::StringRef name,
                  llvm::ArrayRef<int64_t> values);

} // namespace accel::onnx

#endif
