// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kahn's algorithm with the lowest ready index first, so that a sorted file
// keeps its order.
#include "frontends/onnx/Conversion/GraphOrder.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"

#include <queue>

using namespace mlir;

namespace accel::onnx {
namespace {

constexpr int notANode = -1;

/// Who makes each value: a node's index, or `notANode` for inputs and
/// initializers.
FailureOr<llvm::StringMap<int>> findProducers(const pb::GraphProto &graph,
                                              StringRef path,
                                              MLIRContext &context) {
  llvm::StringMap<int> producers;
  for (const pb::ValueInfoProto &input : graph.input()) {
    producers[input.name()] = notANode;
  }
  for (const pb::TensorProto &tensor : graph.initializer()) {
    producers[tensor.name()] = notANode;
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string &output : graph.node(i).output()) {
      if (!output.empty() && !producers.try_emplace(output, i).second) {
        return emitCodedError(getNodeLocation(context, graph.node(i)),
                              codes::GraphStructure)
               << path << ": expected every value to be made once, got '"
               << output << "' again from node '" << getNodeName(graph.node(i))
               << "'";
      }
    }
  }
  return producers;
}

/// Which nodes wait for which.
struct Dependencies {
  std::vector<int> waiting;            ///< per node: for how many inputs
  std::vector<std::vector<int>> users; ///< per node: once per use
};

FailureOr<Dependencies> findDependencies(const pb::GraphProto &graph,
                                         const llvm::StringMap<int> &producers,
                                         StringRef path, MLIRContext &context) {
  Dependencies dependencies;
  dependencies.waiting.resize(graph.node_size());
  dependencies.users.resize(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string &input : graph.node(i).input()) {
      auto found = producers.find(input);
      if (!input.empty() && found == producers.end()) {
        return emitCodedError(getNodeLocation(context, graph.node(i)),
                              codes::GraphStructure)
               << path << ": node '" << getNodeName(graph.node(i))
               << "': expected the value '" << input
               << "' as an input, an initializer or the output of a node, got "
                  "none";
      }
      if (!input.empty() && found->second != notANode) {
        ++dependencies.waiting[i];
        dependencies.users[found->second].push_back(i);
      }
    }
  }
  return dependencies;
}

/// All nodes that wait for nothing, again and again; fewer than all if there is
/// a cycle. Those that remain still wait.
SmallVector<int> sortIndices(Dependencies &dependencies) {
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (auto [node, count] : llvm::enumerate(dependencies.waiting)) {
    if (count == 0) {
      ready.push(static_cast<int>(node));
    }
  }
  SmallVector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int user : dependencies.users[order.back()]) {
      if (--dependencies.waiting[user] == 0) {
        ready.push(user);
      }
    }
  }
  return order;
}

} // namespace

FailureOr<SmallVector<const pb::NodeProto *>>
orderNodes(const pb::GraphProto &graph, StringRef path, MLIRContext &context) {
  FailureOr<llvm::StringMap<int>> producers =
      findProducers(graph, path, context);
  if (failed(producers)) {
    return failure();
  }
  FailureOr<Dependencies> dependencies =
      findDependencies(graph, *producers, path, context);
  if (failed(dependencies)) {
    return failure();
  }
  SmallVector<int> order = sortIndices(*dependencies);
  if (static_cast<int>(order.size()) == graph.node_size()) {
    return llvm::map_to_vector(order,
                               [&](int index) { return &graph.node(index); });
  }
  auto stuck =
      llvm::find_if(dependencies->waiting, [](int count) { return count > 0; });
  const pb::NodeProto &node =
      graph.node(static_cast<int>(stuck - dependencies->waiting.begin()));
  return emitCodedError(getNodeLocation(context, node), codes::GraphStructure)
         << path << ": expected a graph without cycles, got one through node '"
         << getNodeName(node) << "' or behind it";
}

} // namespace accel::onnx
