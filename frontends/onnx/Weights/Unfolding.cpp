// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the sources, adds initializers and nodes, then brings the new nodes
// in front, as other readers want values made before they are used.
#include "frontends/onnx/Weights/Unfolding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace accel::onnx {
namespace {

class Unfolder {
public:
  Unfolder(pb::GraphProto &graph, Recovery &recovery)
      : graph(graph), recovery(recovery) {
    for (const pb::TensorProto &tensor : graph.initializer()) {
      names.insert(tensor.name());
    }
    for (const pb::NodeProto &node : graph.node()) {
      names.insert(node.output().begin(), node.output().end());
    }
  }

  void run() {
    takeSources();
    int before = graph.node_size();
    for (RecoveredParameter &holder : recovery.parameters) {
      if (holder.folding) {
        unfold(holder);
      }
    }
    std::rotate(graph.mutable_node()->begin(),
                graph.mutable_node()->begin() + before,
                graph.mutable_node()->end());
  }

private:
  void takeSources();
  void unfold(RecoveredParameter &holder);
  void addInitializer(const RecoveredParameter &holder, int32_t type);
  /// What the node computes with besides the parameter; its name.
  std::string addOperand(const RecoveredParameter &holder,
                         const pb::TensorProto &source);

  pb::GraphProto &graph;
  Recovery &recovery;
  llvm::StringSet<> names; ///< of all values
  llvm::StringMap<size_t> sources;
};

void Unfolder::takeSources() {
  llvm::StringSet<> wanted;
  for (const RecoveredParameter &holder : recovery.parameters) {
    if (holder.folding) {
      wanted.insert(holder.source);
    }
  }
  auto isWanted = [&](const pb::TensorProto &tensor) {
    return wanted.contains(tensor.name());
  };
  for (pb::TensorProto &tensor : *graph.mutable_initializer()) {
    if (isWanted(tensor)) {
      sources[tensor.name()] = recovery.folded.size();
      recovery.folded.emplace_back().Swap(&tensor);
      tensor.set_name(recovery.folded.back().name());
    }
  }
  llvm::erase_if(*graph.mutable_initializer(), isWanted);
}

void Unfolder::addInitializer(const RecoveredParameter &holder, int32_t type) {
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(holder.parameter);
  tensor.set_data_type(type);
  for (int64_t size : holder.folding->shape) {
    tensor.add_dims(size);
  }
}

std::string Unfolder::addOperand(const RecoveredParameter &holder,
                                 const pb::TensorProto &source) {
  bool isShifted = holder.folding->shift != 0.0;
  std::string name = holder.initializer + (isShifted ? "_shift" : "_shape");
  while (!names.insert(name).second) {
    name += "_";
  }
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  if (isShifted) {
    tensor.set_data_type(pb::TensorProto::FLOAT);
    tensor.add_float_data(static_cast<float>(holder.folding->shift));
    return name;
  }
  tensor.set_data_type(pb::TensorProto::INT64);
  tensor.add_dims(source.dims_size());
  *tensor.mutable_int64_data() = source.dims();
  return name;
}

void Unfolder::unfold(RecoveredParameter &holder) {
  const pb::TensorProto &source =
      recovery.folded[sources.lookup(holder.source)];
  bool isNew = names.insert(holder.parameter).second;
  if (isNew) {
    addInitializer(holder, source.data_type());
  }
  std::string operand = addOperand(holder, source);
  pb::NodeProto &node = *graph.add_node();
  node.set_name("unfold_" + holder.initializer);
  node.set_op_type(holder.folding->shift != 0.0 ? "Add" : "Reshape");
  node.add_input(holder.parameter);
  node.add_input(std::move(operand));
  node.add_output(holder.initializer);
  if (isNew) {
    holder.initializer = holder.parameter;
  }
}

} // namespace

void unfoldParameters(pb::GraphProto &graph, Recovery &recovery) {
  Unfolder(graph, recovery).run();
}

} // namespace accel::onnx
