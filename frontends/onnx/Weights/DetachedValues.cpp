// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk forwards, from parameters, and one backwards, from results. Nodes of
// exported programs stand in the order of their computation.
#include "frontends/onnx/Weights/DetachedValues.h"

#include "llvm/ADT/STLExtras.h"

namespace accel::onnx {
namespace {

bool isDetach(llvm::StringRef call) {
  return getCalledOperator(call) == "detach" ||
         getCalledOperator(call) == "detach_";
}

/// Whether nothing in front of the node gets a gradient through it.
bool isStep(const pb::NodeProto &node) {
  constexpr llvm::StringLiteral steps[] = {"Ceil", "Floor", "Round", "Sign"};
  return llvm::is_contained(steps, node.op_type());
}

class Search {
public:
  Search(const LeftOutCalls &leftOut, FindParameter findParameter)
      : leftOut(leftOut), graph(leftOut.getGraph()),
        signature(leftOut.getSignature()), findParameter(findParameter) {}

  std::vector<const pb::NodeProto *> run();

private:
  void findTrained();
  void findUsed();
  bool isDetached(const pb::NodeProto &node) const;

  const LeftOutCalls &leftOut;
  const pb::GraphProto &graph;
  const GraphSignature &signature;
  FindParameter findParameter;
  llvm::StringSet<> trained; ///< values that have a gradient by a parameter
  llvm::StringSet<> used;    ///< values by which a result has a gradient
};

void Search::findTrained() {
  for (const pb::NodeProto &node : graph.node()) {
    bool dependsOnOne =
        llvm::any_of(node.input(), [&](const std::string &input) {
          return trained.contains(input) ||
                 signature.isParameter(findParameter(input));
        });
    for (const std::string &output : node.output()) {
      if (dependsOnOne && !isStep(node) && !leftOut.isDiscrete(output)) {
        trained.insert(output);
      }
    }
  }
}

void Search::findUsed() {
  for (const pb::ValueInfoProto &output : graph.output()) {
    used.insert(output.name());
  }
  for (const pb::NodeProto &node : llvm::reverse(graph.node())) {
    bool isUsed = !isStep(node) &&
                  llvm::any_of(node.output(), [&](const std::string &output) {
                    return used.contains(output);
                  });
    for (const std::string &input : node.input()) {
      if (isUsed && !leftOut.isDiscrete(input)) {
        used.insert(input);
      }
    }
  }
}

/// Whether the node stands for a detach of something trained, or reads in place
/// of one what no argument of its call is; if it reads nothing of that kind, it
/// reads what is detached as an argument, too.
bool Search::isDetached(const pb::NodeProto &node) const {
  std::optional<FxCall> call = getFxCall(node);
  if (!call) {
    return false;
  }
  if (isDetach(call->name)) {
    return trained.contains(node.input(0)) ||
           signature.isParameter(findParameter(node.input(0)));
  }
  if (llvm::none_of(leftOut.find(*call), isDetach)) {
    return false;
  }
  llvm::SmallVector<llvm::StringRef> values = leftOut.findUnnamed(node, *call);
  if (values.empty()) {
    values.append(node.input().begin(), node.input().end());
  }
  return llvm::any_of(values, [&](llvm::StringRef value) {
    return trained.contains(value) ||
           signature.isParameter(findParameter(value));
  });
}

std::vector<const pb::NodeProto *> Search::run() {
  findTrained();
  findUsed();
  std::vector<const pb::NodeProto *> found;
  for (const pb::NodeProto &node : graph.node()) {
    bool isUsed = llvm::any_of(node.output(), [&](const std::string &output) {
      return used.contains(output);
    });
    if (isUsed && node.input_size() > 0 && isDetached(node)) {
      found.push_back(&node);
    }
  }
  return found;
}

} // namespace

std::vector<const pb::NodeProto *> findDetached(const LeftOutCalls &leftOut,
                                                FindParameter findParameter) {
  return Search(leftOut, findParameter).run();
}

} // namespace accel::onnx
