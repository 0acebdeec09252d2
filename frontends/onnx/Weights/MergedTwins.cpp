// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk forwards. FX says how many calls read a call's result, and that
// tells a twin from a step that was left out: `tanh_1`, which nobody computes,
// reads what `tanh` reads if that has a reader more than the file has.
#include "frontends/onnx/Weights/MergedTwins.h"

#include "llvm/ADT/STLExtras.h"

namespace accel::onnx {
namespace {

/// Whether the node draws numbers, or drops elements as long as it trains.
bool isRandom(const pb::NodeProto &node, const FxCall *call) {
  llvm::StringRef op = node.op_type();
  if (op == "Dropout" || op == "Bernoulli" || op.starts_with("RandomUniform") ||
      op.starts_with("RandomNormal")) {
    return true;
  }
  // Its probability is in the text alone.
  double dropped = 0.0;
  return call && call->isAten("scaled_dot_product_attention") &&
         call->arguments.size() > 4 &&
         !call->arguments[4].getAsDouble(dropped) && dropped > 0.0;
}

/// Whether nodes whose call is a sum or the like are something else, of which
/// that was the last step: what the call names is in the middle of them.
bool isPartOfAnother(llvm::ArrayRef<const pb::NodeProto *> nodes,
                     const FxCall &call) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> operators[] = {
      {"add", "Add"},
      {"cat", "Concat"},
      {"div", "Div"},
      {"mul", "Mul"},
      {"sub", "Sub"}};
  auto found = llvm::find_if(operators, [&](const auto &each) {
    return each.first == getCalledOperator(call.name);
  });
  return found != std::end(operators) &&
         llvm::none_of(nodes, [&](const pb::NodeProto *node) {
           return found->second == node->op_type();
         });
}

class TwinSearch {
public:
  TwinSearch(const LeftOutCalls &leftOut, FindParameter findParameter);

  std::vector<MergedTwin> run();

private:
  /// What the file has of a call.
  struct Call {
    FxCall fx;
    std::vector<const pb::NodeProto *> nodes;
    llvm::StringSet<> readers; ///< of what its nodes compute
  };

  /// The call that computes the value; none if nothing tells.
  const Call *findMaker(llvm::StringRef value) const;
  void noteReaders();
  void noteOrigins(const pb::NodeProto &node);
  bool isSharedWithTwin(const Call &call) const;
  bool isAlike(llvm::StringRef value, llvm::StringRef absent) const;
  bool isTwin(llvm::StringRef value, llvm::StringRef absent) const;
  llvm::SmallVector<llvm::StringRef> findOperands(const Call &call) const;
  std::optional<llvm::StringRef> findRead(const Call &call,
                                          llvm::StringRef absent) const;

  const LeftOutCalls &leftOut;
  const pb::GraphProto &graph;
  FindParameter findParameter;
  std::vector<std::string> order; ///< of calls, as the graph has them
  llvm::StringMap<Call> calls;
  llvm::StringMap<std::string> callOf;  ///< of each computed value, or empty
  llvm::StringMap<unsigned> namedBy;    ///< how many calls name a call
  llvm::StringMap<TwinOrigins> origins; ///< of each computed value
};

TwinSearch::TwinSearch(const LeftOutCalls &leftOut, FindParameter findParameter)
    : leftOut(leftOut), graph(leftOut.getGraph()),
      findParameter(findParameter) {
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<FxCall> fx = getFxCall(node);
    for (const std::string &output : node.output()) {
      if (!output.empty()) {
        callOf[output] = fx ? fx->name.str() : "";
      }
    }
    if (fx) {
      auto [call, isNew] = calls.try_emplace(fx->name);
      call->second.nodes.push_back(&node);
      if (isNew) {
        call->second.fx = *fx;
        order.push_back(fx->name.str());
      }
    }
  }
}

const TwinSearch::Call *TwinSearch::findMaker(llvm::StringRef value) const {
  auto maker = callOf.find(value);
  auto found = maker == callOf.end() ? calls.end() : calls.find(maker->second);
  return found == calls.end() ? nullptr : &found->second;
}

void TwinSearch::noteReaders() {
  for (const pb::NodeProto &node : graph.node()) {
    if (node.output_size() == 0) {
      continue;
    }
    std::string name = callOf.lookup(node.output(0));
    for (const std::string &input : node.input()) {
      auto maker = calls.find(callOf.lookup(input));
      if (maker != calls.end() && maker->first() != name) {
        maker->second.readers.insert(name.empty() ? node.output(0) : name);
      }
    }
  }
  for (const pb::ValueInfoProto &output : graph.output()) {
    auto maker = calls.find(callOf.lookup(output.name()));
    if (maker != calls.end()) {
      maker->second.readers.insert(output.name());
    }
  }
  for (const auto &each : calls) {
    llvm::StringSet<> named;
    for (llvm::StringRef value : each.second.fx.getValues()) {
      named.insert(value.drop_front());
    }
    for (const auto &name : named) {
      ++namedBy[name.getKey()];
    }
  }
  for (llvm::StringRef result : leftOut.getSignature().getResults()) {
    ++namedBy[result];
  }
}

/// Whether the program has more readers of the result than the file: the twin
/// of one that is there reads the same.
bool TwinSearch::isSharedWithTwin(const Call &call) const {
  return call.fx.users && *call.fx.users > call.readers.size();
}

void TwinSearch::noteOrigins(const pb::NodeProto &node) {
  const Call *call = findMaker(node.output(0));
  TwinOrigins found;
  found.random = isRandom(node, call ? &call->fx : nullptr);
  found.loss = call && call->fx.isAten("cross_entropy_loss");
  for (const std::string &input : node.input()) {
    found.parameters |= !findParameter(input).empty();
    const Call *maker = findMaker(input);
    if (maker && maker != call && isSharedWithTwin(*maker)) {
      continue;
    }
    TwinOrigins read = origins.lookup(input);
    found.random |= read.random;
    found.loss |= read.loss;
    found.parameters |= read.parameters;
  }
  for (const std::string &output : node.output()) {
    origins[output] = found;
  }
}

/// Whether `absent` is a call of the operator that computes the value.
bool TwinSearch::isAlike(llvm::StringRef value, llvm::StringRef absent) const {
  const Call *maker = findMaker(value);
  return getCalledOperator(absent) == getCalledOperator(value) ||
         (maker &&
          getCalledOperator(absent) == getCalledOperator(maker->fx.name));
}

/// Whether `absent` is not computed of the value, as `x + 0` or a view of a
/// view: all readers that the program has are there, and name it.
bool TwinSearch::isTwin(llvm::StringRef value, llvm::StringRef absent) const {
  const Call *maker = findMaker(value);
  bool isCounted =
      maker && maker->fx.users &&
      getCalledOperator(absent) == getCalledOperator(maker->fx.name);
  return !isCounted || *maker->fx.users <= namedBy.lookup(maker->fx.name);
}

/// What the call's nodes read of other calls, as often as they read it.
llvm::SmallVector<llvm::StringRef>
TwinSearch::findOperands(const Call &call) const {
  llvm::SmallVector<llvm::StringRef> operands;
  for (const pb::NodeProto *node : call.nodes) {
    for (const std::string &input : node->input()) {
      auto maker = callOf.find(input);
      if (maker != callOf.end() && maker->second != call.fx.name) {
        operands.push_back(input);
      }
    }
  }
  return operands;
}

/// What the call's nodes read in place of one that is absent: an operand alike
/// that it does not name, or names less often than they read it.
std::optional<llvm::StringRef>
TwinSearch::findRead(const Call &call, llvm::StringRef absent) const {
  llvm::SmallVector<llvm::StringRef> operands = findOperands(call);
  llvm::SmallVector<llvm::StringRef> named = call.fx.getValues();
  auto countNames = [&](llvm::StringRef operand) {
    return llvm::count_if(named, [&](llvm::StringRef each) {
      return each.drop_front() == operand ||
             each.drop_front() == callOf.lookup(operand);
    });
  };
  bool namesAll = llvm::all_of(operands, countNames);
  for (llvm::StringRef operand : operands) {
    // Nodes of a call with several read their operands in any number.
    bool isRead = llvm::count(operands, operand) > countNames(operand) ||
                  (namesAll && call.nodes.size() > 1);
    if (isRead && isAlike(operand, absent) && isTwin(operand, absent)) {
      return operand;
    }
  }
  return std::nullopt;
}

std::vector<MergedTwin> TwinSearch::run() {
  noteReaders();
  for (const pb::NodeProto &node : graph.node()) {
    if (node.output_size() > 0) {
      noteOrigins(node);
    }
  }
  std::vector<MergedTwin> twins;
  for (const std::string &name : order) {
    const Call &call = calls.find(name)->second;
    if (isPartOfAnother(call.nodes, call.fx)) {
      continue;
    }
    for (llvm::StringRef absent : leftOut.find(call.fx)) {
      if (std::optional<llvm::StringRef> read = findRead(call, absent)) {
        twins.push_back({call.nodes.back(), read->str(), absent.str(),
                         origins.lookup(*read)});
      }
    }
  }
  return twins;
}

} // namespace

std::vector<MergedTwin> findMergedTwins(const LeftOutCalls &leftOut,
                                        FindParameter findParameter) {
  return TwinSearch(leftOut, findParameter).run();
}

} // namespace accel::onnx
