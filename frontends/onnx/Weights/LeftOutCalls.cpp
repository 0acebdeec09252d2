// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the arguments of calls, as the exporter's text has them, with what
// the nodes read.
#include "frontends/onnx/Weights/LeftOutCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace accel::onnx {

llvm::StringRef getCalledOperator(llvm::StringRef call) {
  llvm::StringRef name = call.rtrim("0123456789");
  return name.size() < call.size() && name.ends_with("_") ? name.drop_back()
                                                          : call;
}

bool movesNumbers(llvm::StringRef call) {
  constexpr llvm::StringLiteral movers[] = {"_to_copy",
                                            "_unsafe_view",
                                            "alias",
                                            "broadcast_to",
                                            "chunk",
                                            "clone",
                                            "contiguous",
                                            "detach",
                                            "embedding",
                                            "expand",
                                            "expand_as",
                                            "flatten",
                                            "gather",
                                            "getitem",
                                            "index",
                                            "index_select",
                                            "lift_fresh_copy",
                                            "movedim",
                                            "permute",
                                            "repeat",
                                            "reshape",
                                            "select",
                                            "slice",
                                            "split",
                                            "squeeze",
                                            "t",
                                            "tile",
                                            "to",
                                            "transpose",
                                            "type_as",
                                            "unflatten",
                                            "unsqueeze",
                                            "view",
                                            "view_as"};
  return llvm::is_contained(movers, getCalledOperator(call));
}

/// Whether exporters leave out such a call for one of its operands: where the
/// other one is 0 or 1, or where the next call is another bound.
static bool mayBeLeftOut(llvm::StringRef call) {
  constexpr llvm::StringLiteral names[] = {"add",     "clamp", "div", "maximum",
                                           "minimum", "mul",   "sub"};
  return llvm::is_contained(names, getCalledOperator(call));
}

/// Whether `value` has a type, and not one of floats.
static bool isDiscreteType(const pb::ValueInfoProto &value) {
  pb::TensorProto tensor;
  tensor.set_data_type(value.type().tensor_type().elem_type());
  return tensor.data_type() != pb::TensorProto::UNDEFINED &&
         !isFloatTensor(tensor);
}

bool readsOtherConstant(const FxCall &call, llvm::StringRef constant,
                        llvm::StringRef parameter,
                        const GraphSignature &signature) {
  return llvm::none_of(call.getValues(), [&](llvm::StringRef each) {
    return each.drop_front() == constant ||
           signature.findParameter(each) == parameter;
  });
}

LeftOutCalls::LeftOutCalls(const pb::GraphProto &graph,
                           const GraphSignature &signature)
    : graph(graph), signature(signature) {
  for (const pb::TensorProto &tensor : graph.initializer()) {
    present.insert(tensor.name());
    initializers.insert(tensor.name());
  }
  for (const pb::ValueInfoProto &input : graph.input()) {
    present.insert(input.name());
    inputs.insert(input.name());
  }
  for (const auto *values : {&graph.input(), &graph.value_info()}) {
    for (const pb::ValueInfoProto &value : *values) {
      if (isDiscreteType(value)) {
        discrete.insert(value.name());
      }
    }
  }
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<FxCall> call = getFxCall(node);
    if (call) {
      present.insert(call->name);
    }
    for (const std::string &output : node.output()) {
      present.insert(output);
      callOf[output] = call ? call->name : llvm::StringRef();
    }
  }
}

LeftOutCalls::Names LeftOutCalls::find(const FxCall &call) const {
  Names absent;
  for (llvm::StringRef each : call.getValues()) {
    llvm::StringRef name = each.drop_front();
    if (!present.contains(name) && signature.findParameter(each).empty() &&
        signature.findBuffer(each).empty()) {
      absent.push_back(name);
    }
  }
  return absent;
}

std::vector<ReplacedConstant>
LeftOutCalls::findReplacedConstants(FindParameter findParameter) const {
  std::vector<ReplacedConstant> replaced;
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<FxCall> call = getFxCall(node);
    Names absent = call ? find(*call) : Names();
    // A view has the numbers of the parameter for good; where nothing is
    // absent, the call has a number in its text.
    if (!call || (!absent.empty() && llvm::all_of(absent, movesNumbers))) {
      continue;
    }
    auto computed = llvm::find_if_not(absent, movesNumbers);
    for (const std::string &input : node.input()) {
      llvm::StringRef parameter = findParameter(input);
      // What was separated again has a name of its own.
      if (signature.isParameter(parameter) && present.contains(input) &&
          readsOtherConstant(*call, input, parameter, signature)) {
        replaced.push_back({&node, parameter.str(),
                            computed == absent.end() ? "" : computed->str()});
      }
    }
  }
  return replaced;
}

LeftOutCalls::Names LeftOutCalls::findUnnamed(const pb::NodeProto &node,
                                              const FxCall &call) const {
  llvm::SmallVector<llvm::StringRef> named = call.getValues();
  Names unnamed;
  for (llvm::StringRef input : node.input()) {
    llvm::StringRef maker = callOf.lookup(input);
    bool isStep = !maker.empty() && maker == call.name; // of the same call
    bool isNamed = llvm::any_of(named, [&](llvm::StringRef each) {
      llvm::StringRef name = each.drop_front();
      return name == input || name == maker ||
             (signature.findParameter(each) == input && !input.empty());
    });
    if (!input.empty() && !isStep && !isNamed) {
      unnamed.push_back(input);
    }
  }
  return unnamed;
}

std::vector<std::string> LeftOutCalls::findIdleSteps() const {
  llvm::SetVector<llvm::StringRef> steps;
  for (const pb::NodeProto &node : graph.node()) {
    std::optional<FxCall> call = getFxCall(node);
    Names unnamed = call ? findUnnamed(node, *call) : Names();
    bool readsData = llvm::any_of(unnamed, [&](llvm::StringRef each) {
      return (inputs.contains(each) || callOf.contains(each)) &&
             !isDiscrete(each);
    });
    if (readsData) {
      for (llvm::StringRef absent : find(*call)) {
        if (mayBeLeftOut(absent)) {
          steps.insert(absent);
        }
      }
    }
  }
  for (llvm::StringRef result : signature.getResults()) {
    if (mayBeLeftOut(result) && !present.contains(result)) {
      steps.insert(result);
    }
  }
  std::vector<std::string> names;
  for (llvm::StringRef step : steps) {
    names.push_back(step.str());
  }
  return names;
}

} // namespace accel::onnx
