// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every node with its row of the operator table.
#include "frontends/onnx/Checks/SupportCheck.h"

#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/BatchNormMode.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/Metadata.h"
#include "frontends/onnx/Model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace accel::onnx {
namespace {

constexpr llvm::StringLiteral kRewriteRule =
    "pkg.onnxscript.rewriter.rule_name";

/// Whether `attribute` is among those of the row, with the value that the row
/// asks for.
bool isSupported(const pb::AttributeProto &attribute,
                 const OperatorInfo &info) {
  for (const AttributeInfo &known : getAttributes(info)) {
    if (known.name != attribute.name()) {
      continue;
    }
    double expected = 0;
    double got = attribute.type() == pb::AttributeProto::FLOAT
                     ? attribute.f()
                     : static_cast<double>(attribute.i());
    return known.value.empty() || known.value.getAsDouble(expected) ||
           got == expected;
  }
  return false;
}

std::string describeValue(const pb::AttributeProto &attribute) {
  switch (attribute.type()) {
  case pb::AttributeProto::INT:
    return " = " + std::to_string(attribute.i());
  case pb::AttributeProto::FLOAT:
    return " = " + llvm::formatv("{0}", attribute.f()).str();
  case pb::AttributeProto::STRING:
    return " = '" + attribute.s() + "'";
  default:
    return "";
  }
}

/// Whether the exporter multiplied weights of `node` by those of a batch norm:
/// so says a rule among those that made the node, "A, B", or the call that the
/// node stands for.
bool mergesBatchNorm(const pb::NodeProto &node) {
  llvm::SmallVector<llvm::StringRef> rules;
  findProperty(node.metadata_props(), kRewriteRule).split(rules, ',');
  llvm::StringRef op = node.op_type();
  bool isLayer = op == "Conv" || op == "ConvTranspose" || op == "Gemm";
  return (isLayer && isBatchNormCall(node)) ||
         llvm::any_of(rules, [](llvm::StringRef rule) {
           return rule.trim().starts_with("FuseBatchNorm");
         });
}

/// What is wrong with `node`, one by one.
UnsupportedNodes findProblems(const pb::NodeProto &node, int64_t opset,
                              const ImportOptions &options) {
  std::string name = node.op_type();
  StringRef domain = getDomain(node.domain());
  StringRef knownDomain = findDomain(name);
  if (!domain.empty() && domain != knownDomain) {
    return {{&node, codes::OtherDomain,
             name + " of domain '" + node.domain() + "'"}};
  }
  // The exporter does it in training mode too. What is left is a layer that
  // nothing normalizes, whose weights are no parameters of the model: it
  // answers as the model does, and cannot train.
  if (!options.infers && mergesBatchNorm(node)) {
    return {{&node, codes::BatchNorm,
             name + " that the exporter merged a batch norm into, with "
                    "scaled weights"}};
  }
  if (name == "BatchNormalization" &&
      getBatchNormMode(node, options.batchNorm) == BatchNormMode::Unknown) {
    return {{&node, codes::BatchNorm,
             name + " of which the file does not say whether it trains"}};
  }
  std::optional<int64_t> first = findFirstOpset(name);
  if (!first || domain != knownDomain) {
    return {{&node, codes::UnknownOperator, name}};
  }
  const OperatorInfo *info = findOperator(name, opset);
  if (!info) {
    return {{&node, codes::OperatorSet,
             name + " of operator set " + std::to_string(opset) +
                 " (known from " + std::to_string(*first) + ")"}};
  }
  UnsupportedNodes problems;
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (!isSupported(attribute, *info)) {
      problems.push_back({&node, codes::UnknownAttribute,
                          name + " with attribute " + attribute.name() +
                              describeValue(attribute)});
    }
  }
  auto inputs = static_cast<unsigned>(node.input_size());
  // A list of any length has no absent members.
  unsigned required = info->maxInputs == anyNumber
                          ? std::max(inputs, info->minInputs)
                          : info->minInputs;
  bool missing = inputs < required;
  for (unsigned i = 0; !missing && i < required; ++i) {
    missing = node.input(static_cast<int>(i)).empty();
  }
  if (missing || inputs > info->maxInputs) {
    problems.push_back({&node, codes::InputCount,
                        name + " with " + std::to_string(inputs) + " inputs"});
  }
  return problems;
}

std::string describeNode(const pb::NodeProto &node) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << getNodeName(node) << "'";
  if (std::optional<PythonFrame> frame = findUserFrame(node)) {
    stream << " at " << frame->file << ":" << frame->line;
  }
  return text;
}

std::string listNodes(ArrayRef<const pb::NodeProto *> nodes) {
  constexpr size_t shown = 3;
  std::string text = std::to_string(nodes.size()) +
                     (nodes.size() == 1 ? " node: " : " nodes: ");
  text += llvm::join(llvm::map_range(nodes.take_front(shown),
                                     [](const pb::NodeProto *node) {
                                       return describeNode(*node);
                                     }),
                     ", ");
  return nodes.size() > shown ? text + " and others" : text;
}

} // namespace

/// In a graph and in all bodies of its nodes, whether they will run or not.
static void collectProblems(const pb::GraphProto &graph, int64_t opset,
                            const ImportOptions &options,
                            UnsupportedNodes &found) {
  for (const pb::NodeProto &node : graph.node()) {
    llvm::append_range(found, findProblems(node, opset, options));
    for (const pb::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        collectProblems(attribute.g(), opset, options, found);
      }
    }
  }
}

UnsupportedNodes findUnsupported(const pb::ModelProto &model,
                                 const ImportOptions &options) {
  UnsupportedNodes found;
  collectProblems(model.graph(), defaultOpset(model), options, found);
  return found;
}

void reportUnsupported(const UnsupportedNodes &nodes, StringRef path,
                       bool oneByOne, MLIRContext &context) {
  if (oneByOne) {
    for (const UnsupportedNode &each : nodes) {
      emitCodedError(getNodeLocation(context, *each.node), each.code)
          << each.text << ": " << each.code.title;
    }
    return;
  }
  std::map<std::string, SmallVector<const pb::NodeProto *>> problems;
  for (const UnsupportedNode &each : nodes) {
    problems[each.text].push_back(each.node);
  }
  std::string text;
  for (const auto &[problem, affected] : problems) {
    text += "\n  " + problem + " (" + listNodes(affected) + ")";
  }
  auto isBatchNorm = [](const UnsupportedNode &each) {
    return each.code == codes::BatchNorm;
  };
  InFlightDiagnostic error =
      emitCodedError(UnknownLoc::get(&context), nodes.front().code)
      << path << ": expected operators that the importer knows, got "
      << problems.size() << (problems.size() == 1 ? " other:" : " others:")
      << text << "\n";
  if (llvm::any_of(nodes, isBatchNorm)) {
    error << "a batch norm trains if it is exported as it is: "
             "torch.onnx.export(model, args, \"model.onnx\", dynamo=True, "
             "optimize=False), or with dynamo=False and "
             "training=torch.onnx.TrainingMode.TRAINING, "
             "do_constant_folding=False";
  }
  if (!llvm::all_of(nodes, isBatchNorm)) {
    error << (llvm::any_of(nodes, isBatchNorm) ? "\n" : "")
          << "rewrite these lines of the model with known operators, or export "
             "with another opset_version";
  }
}

} // namespace accel::onnx
