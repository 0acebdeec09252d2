// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the sources, then adds initializers and nodes.
#include "frontends/onnx/Weights/Unfolding.h"

#include "frontends/onnx/Model/GraphAdditions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace accel::onnx {
namespace {

class Unfolder {
public:
  Unfolder(pb::GraphProto &graph, Recovery &recovery)
      : graph(graph), recovery(recovery), additions(graph) {}

  void run() {
    takeSources();
    for (RecoveredParameter &holder : recovery.parameters) {
      if (holder.folding) {
        unfold(holder);
      }
    }
    additions.addAll();
  }

private:
  void takeSources();
  void unfold(RecoveredParameter &holder);
  /// What the node computes with besides the parameter; its name.
  std::string addOperand(const RecoveredParameter &holder,
                         const pb::TensorProto &source);

  pb::GraphProto &graph;
  Recovery &recovery;
  GraphAdditions additions;
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

std::string Unfolder::addOperand(const RecoveredParameter &holder,
                                 const pb::TensorProto &source) {
  if (holder.folding->shift != 0.0) {
    return additions.addScalar(holder.initializer + "_shift",
                               static_cast<float>(holder.folding->shift));
  }
  llvm::SmallVector<int64_t> shape(source.dims().begin(), source.dims().end());
  return additions.addIntegers(holder.initializer + "_shape", shape,
                               static_cast<int64_t>(shape.size()));
}

void Unfolder::unfold(RecoveredParameter &holder) {
  const pb::TensorProto &source =
      recovery.folded[sources.lookup(holder.source)];
  bool isNew = additions.claim(holder.parameter);
  if (isNew) {
    additions.addTensor(holder.parameter, source.data_type(),
                        holder.folding->shape);
  }
  additions.addNode("unfold_" + holder.initializer,
                    holder.folding->shift != 0.0 ? "Add" : "Reshape",
                    {holder.parameter, addOperand(holder, source)},
                    {holder.initializer});
  if (isNew) {
    holder.initializer = holder.parameter;
  }
}

} // namespace

void unfoldParameters(pb::GraphProto &graph, Recovery &recovery) {
  Unfolder(graph, recovery).run();
}

} // namespace accel::onnx
