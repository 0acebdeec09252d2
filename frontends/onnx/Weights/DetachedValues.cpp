// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk forwards, from parameters, and one backwards, from results. Nodes of
// exported programs stand in the order of their computation.
#include "frontends/onnx/Weights/DetachedValues.h"

#include "frontends/onnx/Weights/DetachedLines.h"

#include "llvm/ADT/STLExtras.h"

#include <iterator>
#include <optional>

namespace accel::onnx {
namespace {

/// Whether nothing in front of the node gets a gradient through it.
bool isStep(const pb::NodeProto &node) {
  constexpr llvm::StringLiteral steps[] = {"Ceil", "Floor", "Round", "Sign"};
  return llvm::is_contained(steps, node.op_type());
}

class Search {
public:
  Search(const LeftOutCalls &leftOut, FindParameter findParameter)
      : leftOut(leftOut), graph(leftOut.getGraph()),
        signature(leftOut.getSignature()), findParameter(findParameter),
        lines(leftOut) {}

  DetachedValues run();

private:
  using Inputs = llvm::SmallVector<int, 2>;

  void findTrained();
  void findUsed();
  bool isTrained(llvm::StringRef value) const;
  Inputs findUnnamed(const pb::NodeProto &node, const FxCall &call) const;
  std::optional<Inputs> selectDetached(const pb::NodeProto &node,
                                       const Inputs &unnamed,
                                       const LeftOutCalls::Names &absent) const;
  std::optional<Inputs> selectOfTwo(const pb::NodeProto &node,
                                    const FxCall &call) const;
  bool isReadByAnother(llvm::StringRef name) const;
  bool isUsed(const pb::NodeProto &node) const {
    return llvm::any_of(node.output(), [&](const std::string &output) {
      return used.contains(output);
    });
  }
  std::optional<llvm::StringRef> findMerged(const pb::NodeProto &node) const;
  bool missesOne() const;
  void findMergedReaders(DetachedValues &found);
  void classify(const pb::NodeProto &node, DetachedValues &found);
  /// Inputs of the node that are detached; none where that is not clear.
  std::optional<Inputs> findDetached(const pb::NodeProto &node) const;

  const LeftOutCalls &leftOut;
  const pb::GraphProto &graph;
  const GraphSignature &signature;
  FindParameter findParameter;
  DetachedLines lines;
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

bool Search::isTrained(llvm::StringRef value) const {
  return trained.contains(value) || signature.isParameter(findParameter(value));
}

/// Which inputs of the node its call names otherwise, or not at all.
Search::Inputs Search::findUnnamed(const pb::NodeProto &node,
                                   const FxCall &call) const {
  LeftOutCalls::Names names = leftOut.findUnnamed(node, call);
  Inputs inputs;
  for (auto [i, input] : llvm::enumerate(node.input())) {
    bool isAxis = i == 1 && node.op_type() == "Unsqueeze";
    if (llvm::is_contained(names, input) && !isAxis) {
      inputs.push_back(static_cast<int>(i));
    }
  }
  return inputs;
}

/// The inputs among `unnamed` that stand for a detach. Other calls that the
/// graph does not compute are constants of it; none if it does not add up.
std::optional<Search::Inputs>
Search::selectDetached(const pb::NodeProto &node, const Inputs &unnamed,
                       const LeftOutCalls::Names &absent) const {
  auto others = llvm::count_if(
      absent, [](llvm::StringRef each) { return !isDetach(each); });
  if (others == 0) {
    return unnamed;
  }
  Inputs computed;
  llvm::copy_if(unnamed, std::back_inserter(computed), [&](int input) {
    return !leftOut.isInitializer(node.input(input));
  });
  bool addsUp =
      !computed.empty() && std::ssize(unnamed) - std::ssize(computed) == others;
  return addsUp ? std::optional(computed) : std::nullopt;
}

/// Of a value that an operator has twice, as itself and detached: in the order
/// of its call, if it is the same operator.
std::optional<Search::Inputs> Search::selectOfTwo(const pb::NodeProto &node,
                                                  const FxCall &call) const {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> operators[] = {
      {"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}};
  llvm::SmallVector<llvm::StringRef> named = call.getValues();
  bool isSame = node.input_size() == 2 && named.size() == 2 &&
                node.input(0) == node.input(1);
  bool keepsOrder = llvm::any_of(operators, [&](const auto &each) {
    return node.op_type() == each.first &&
           getCalledOperator(call.name) == each.second;
  });
  if (!isSame || !keepsOrder) {
    return std::nullopt;
  }
  return Inputs{isDetach(named[0].drop_front()) ? 0 : 1};
}

/// Whether of several nodes of a call one reads what the call does not name.
bool Search::isReadByAnother(llvm::StringRef name) const {
  return llvm::any_of(graph.node(), [&](const pb::NodeProto &node) {
    std::optional<FxCall> call = getFxCall(node);
    return call && call->name == name && !findUnnamed(node, *call).empty();
  });
}

std::optional<Search::Inputs>
Search::findDetached(const pb::NodeProto &node) const {
  std::optional<FxCall> call = getFxCall(node);
  if (!call) {
    return Inputs();
  }
  if (isDetach(call->name)) {
    return Inputs{0};
  }
  LeftOutCalls::Names absent = leftOut.find(*call);
  if (llvm::none_of(absent, isDetach)) {
    return Inputs();
  }
  Inputs unnamed = findUnnamed(node, *call);
  if (!unnamed.empty()) {
    return selectDetached(node, unnamed, absent);
  }
  return isReadByAnother(call->name) ? Inputs() : selectOfTwo(node, *call);
}

/// The input by which the node reads what became one with an equal call, which
/// may have had another gradient; none if it reads nothing of that kind.
std::optional<llvm::StringRef>
Search::findMerged(const pb::NodeProto &node) const {
  std::optional<FxCall> call = getFxCall(node);
  if (!call) {
    return std::nullopt;
  }
  auto absent = llvm::count_if(leftOut.find(*call), [](llvm::StringRef each) {
    return !isDetach(each) && !movesNumbers(each);
  });
  std::optional<llvm::StringRef> merged;
  for (int input : findUnnamed(node, *call)) {
    if (trained.contains(node.input(input))) {
      merged = node.input(input);
    } else {
      --absent; // a constant that was folded
    }
  }
  return absent > 0 ? merged : std::nullopt;
}

/// Whether a call of detach is named nowhere, of those that are numbered.
bool Search::missesOne() const {
  llvm::StringSet<> names;
  for (const pb::NodeProto &node : graph.node()) {
    if (std::optional<FxCall> call = getFxCall(node)) {
      names.insert(call->name);
      for (llvm::StringRef each : call->getValues()) {
        names.insert(each.drop_front());
      }
    }
  }
  auto detached = llvm::count_if(names, [](const auto &each) {
    return getCalledOperator(each.getKey()) == "detach";
  });
  for (unsigned i = 0; i < detached; ++i) {
    std::string name = i == 0 ? "detach" : "detach_" + std::to_string(i);
    if (!names.contains(name)) {
      return true;
    }
  }
  return false;
}

/// Nodes that read something merged which depends on what is detached, or
/// anything merged if a detach has left no trace.
void Search::findMergedReaders(DetachedValues &found) {
  llvm::StringSet<> behind;
  bool isLost = missesOne();
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<llvm::StringRef> merged = findMerged(node);
    if (merged && (isLost || behind.contains(*merged)) && isUsed(node)) {
      found.unclear.push_back(&node);
    }
    bool isBehind = found.inputs.contains(node.output(0)) ||
                    llvm::any_of(node.input(), [&](const std::string &input) {
                      return behind.contains(input);
                    });
    for (const std::string &output : node.output()) {
      if (isBehind && !isStep(node)) {
        behind.insert(output);
      }
    }
  }
}

void Search::classify(const pb::NodeProto &node, DetachedValues &found) {
  std::optional<Inputs> inputs = findDetached(node);
  bool isLost = inputs && inputs->empty() &&
                lines.mayDetach(node, [&](llvm::StringRef value) {
                  return isTrained(value);
                });
  if (!inputs || isLost) {
    found.unclear.push_back(&node);
    return;
  }
  llvm::erase_if(*inputs,
                 [&](int input) { return !isTrained(node.input(input)); });
  if (!inputs->empty()) {
    found.inputs[node.output(0)] = *inputs;
  }
}

DetachedValues Search::run() {
  findTrained();
  findUsed();
  DetachedValues found;
  for (const pb::NodeProto &node : graph.node()) {
    bool readsTrained =
        llvm::any_of(node.input(), [&](const std::string &input) {
          return isTrained(input);
        });
    if (isUsed(node) && readsTrained) {
      classify(node, found);
    }
  }
  if (!found.inputs.empty()) {
    findMergedReaders(found);
  }
  return found;
}

} // namespace

DetachedValues findDetached(const LeftOutCalls &leftOut,
                            FindParameter findParameter) {
  return Search(leftOut, findParameter).run();
}

} // namespace accel::onnx
