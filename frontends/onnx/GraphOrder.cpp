// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kahn's algorithm with the lowest ready index first, so that a sorted file keeps its order.
#include "frontends/onnx/GraphOrder.h"

#include "frontends/onnx/Locations.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

#include <queue>

using namespace mlir;

namespace accel::onnx {
namespace {

constexpr int notANode = -1;

/// Who makes each value: a node's index, or `notANode` for inputs and initializers.
FailureOr<llvm::StringMap<int>> findProducers(const pb::GraphProto &graph, StringRef path, MLIRContext &context) {
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
        return emitError(getNodeLocation(context, graph.node(i))) << path << ": expected every value to be made once, got '" << output
                                                                  << "' again from node '" << getNodeName(graph.node(i)) << "'";
      }
    }
  }
  return producers;
}

} // namespace

FailureOr<SmallVector<const pb::NodeProto *>> orderNodes(const pb::GraphProto &graph, StringRef path, MLIRContext &context) {
  FailureOr<llvm::StringMap<int>> producers = findProducers(graph, path, context);
  if (failed(producers)) {
    return failure();
  }
  const int count = graph.node_size();
  std::vector<int> waiting(count, 0);
  std::vector<std::vector<int>> users(count);
  for (int i = 0; i < count; ++i) {
    for (const std::string &input : graph.node(i).input()) {
      auto found = producers->find(input);
      if (!input.empty() && found == producers->end()) {
        return emitError(getNodeLocation(context, graph.node(i))) << path << ": node '" << getNodeName(graph.node(i)) << "': expected the value '"
                                                                  << input << "' as an input, an initializer or the output of a node, got none";
      }
      if (!input.empty() && found->second != notANode) {
        ++waiting[i];
        users[found->second].push_back(i);
      }
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i) {
    if (waiting[i] == 0) {
      ready.push(i);
    }
  }
  SmallVector<const pb::NodeProto *> order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.push_back(&graph.node(next));
    for (int user : users[next]) {
      if (--waiting[user] == 0) {
        ready.push(user);
      }
    }
  }
  if (static_cast<int>(order.size()) == count) {
    return order;
  }
  int stuck = static_cast<int>(std::find_if(waiting.begin(), waiting.end(), [](int number) { return number > 0; }) - waiting.begin());
  return emitError(getNodeLocation(context, graph.node(stuck)))
         << path << ": expected a graph without cycles, got one through node '" << getNodeName(graph.node(stuck)) << "' or behind it";
}

} // namespace accel::onnx
