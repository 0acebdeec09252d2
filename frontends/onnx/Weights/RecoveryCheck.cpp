// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evidence is what calls name and nodes do not read.
#include "frontends/onnx/Weights/RecoveryCheck.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/BatchNormMode.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Weights/MergedCalls.h"
#include "frontends/onnx/Weights/MergedTwins.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

class RecoveryCheck {
public:
  explicit RecoveryCheck(const RecoveryProblem &problem);

  bool checkPresence();
  bool checkCalls();
  bool checkNamed();
  bool checkTwins();
  bool checkConstants();
  bool checkBuffers();
  bool checkDetached(DetachedInputs &inputs);

private:
  /// A FindParameter.
  auto finder() const {
    return [this](StringRef initializer) {
      const RecoveredParameter *found = problem.recovery.find(initializer);
      return found ? StringRef(found->parameter) : StringRef();
    };
  }

  bool isRecovered(StringRef parameter) const {
    return llvm::any_of(problem.recovery.parameters, [&](const auto &each) {
      return each.parameter == parameter;
    });
  }

  bool mergesCalls() const {
    return mergesCallsOfParameters(leftOut, finder());
  }

  /// Whether branches with equal parameters became one.
  bool mergesBranches() const {
    return llvm::any_of(
        twins, [](const MergedTwin &twin) { return twin.origins.parameters; });
  }

  const RecoveryProblem &problem;
  LeftOutCalls leftOut;
  std::vector<MergedTwin> twins;
};

RecoveryCheck::RecoveryCheck(const RecoveryProblem &problem)
    : problem(problem), leftOut(problem.graph, problem.signature),
      twins(findMergedTwins(leftOut, finder())) {}

} // namespace

/// Whether a parameter of this name may be a single number: weights and biases
/// of layers have dimensions, and are absent where they are tied or not used.
static bool mayBeScalar(StringRef parameter) {
  StringRef leaf = parameter.substr(parameter.rfind('.') + 1);
  return leaf != "weight" && leaf != "bias";
}

/// A parameter that nothing in the file tells of is tied to another one or not
/// used, and none trains for itself; or it was merged with another, together
/// with the call that read it; or the call was left out.
bool RecoveryCheck::checkPresence() {
  std::vector<std::string> absent;
  for (StringRef parameter : problem.lost.list()) {
    if (!isRecovered(parameter)) {
      absent.push_back(parameter.str());
    }
  }
  bool isMerged = !absent.empty() && (mergesCalls() || mergesBranches());
  if (!isMerged) {
    llvm::erase_if(absent, [](const auto &each) { return !mayBeScalar(each); });
  }
  bool isLeftOut =
      !isMerged && !absent.empty() && !leftOut.findIdleSteps().empty();
  if (!isMerged && !isLeftOut) {
    return true;
  }
  emitCodedError(UnknownLoc::get(&problem.context),
                 isMerged ? codes::MergedCalls : codes::IdleParameters)
      << problem.path << ": expected a tensor for each parameter, got "
      << absent.size()
      << (isMerged ? " that the exporter merged with equal ones, with what "
                     "reads them"
                   : " that the exporter left out with products with 1, sums "
                     "with 0 or bounds of bounds")
      << " (or that the model does not use): " << llvm::join(absent, ", ")
      << "; export them apart: " << kExportByName;
  return false;
}

/// Parameters that were equal, and are told apart by some calls, may have had
/// others that are one node now.
bool RecoveryCheck::checkCalls() {
  bool hasEqual =
      llvm::any_of(problem.recovery.parameters, [](const auto &each) {
        return each.kind == RecoveredParameter::Kind::Untied;
      });
  if (!hasEqual || !mergesCalls()) {
    return true;
  }
  emitCodedError(UnknownLoc::get(&problem.context), codes::MergedCalls)
      << problem.path
      << ": expected a node for each call, got one for calls of an operator "
         "with parameters that are equal; export them apart: "
      << kExportByName;
  return false;
}

/// Calls on equal operands are not one in training if each draws numbers of its
/// own. Two cross entropies of the same differ in their smoothing, which the
/// text of the one has that is left.
bool RecoveryCheck::checkTwins() {
  auto twin = llvm::find_if(twins, [](const MergedTwin &each) {
    return each.origins.random || each.origins.loss;
  });
  if (twin == twins.end()) {
    return true;
  }
  emitCodedError(getNodeLocation(problem.context, *twin->reader),
                 codes::MergedCalls)
      << "'" << getNodeName(*twin->reader) << "': expected '" << twin->call
      << "' beside '" << twin->value
      << "', got one node that the exporter made "
      << (twin->origins.random
              ? "of both, where each has random numbers of its own"
              : "of two cross entropies, where each may have its own smoothing")
      << "; export with dynamo=True, optimize=False";
  return false;
}

/// A parameter that a call names is read by some node, or it was computed with.
/// Batch norms that are merged with a layer are refused with it.
bool RecoveryCheck::checkNamed() {
  llvm::SetVector<StringRef> unread;
  for (const pb::NodeProto &node : problem.graph.node()) {
    std::optional<FxCall> call =
        isBatchNormCall(node) ? std::nullopt : getFxCall(node);
    for (StringRef value :
         call ? call->getValues() : SmallVector<StringRef>()) {
      StringRef parameter = problem.signature.findParameter(value);
      if (!parameter.empty() && !isRecovered(parameter)) {
        unread.insert(parameter);
      }
    }
  }
  if (unread.empty()) {
    return true;
  }
  emitCodedError(UnknownLoc::get(&problem.context), codes::FoldedWeights)
      << problem.path << ": expected a tensor for each parameter, got "
      << unread.size() << " that the exporter folded into constants: "
      << llvm::join(unread, ", ") << "; export them by name: " << kExportByName;
  return false;
}

/// What is computed of a parameter is not the parameter, though it was equal
/// when the model was exported.
bool RecoveryCheck::checkConstants() {
  std::vector<std::string> replaced;
  for (const ReplacedConstant &each : leftOut.findReplacedConstants(finder())) {
    replaced.push_back(
        (each.call.empty() ? "a number" : "'" + each.call + "'") +
        ", equal to '" + each.parameter + "', at '" + getNodeName(*each.node) +
        "'");
  }
  if (replaced.empty()) {
    return true;
  }
  emitCodedError(UnknownLoc::get(&problem.context), codes::MergedCalls)
      << problem.path << ": expected constants apart from parameters, got "
      << replaced.size() << " that the exporter merged with an equal one: "
      << llvm::join(replaced, ", ") << "; export them apart: " << kExportByName;
  return false;
}

/// A buffer that the program writes for its next run, and reads.
bool RecoveryCheck::checkBuffers() {
  constexpr StringLiteral statistics[] = {"running_mean", "running_var",
                                          "num_batches_tracked"};
  std::vector<std::string> changed;
  for (const std::string &buffer : problem.signature.getChangedBuffers()) {
    StringRef leaf = StringRef(buffer).substr(buffer.rfind('.') + 1);
    bool isRead = llvm::any_of(
        problem.graph.initializer(), [&](const pb::TensorProto &tensor) {
          return tensor.name() == buffer ||
                 llvm::is_contained(problem.index.getOrigins(tensor.name()),
                                    buffer);
        });
    if (isRead && !llvm::is_contained(statistics, leaf)) {
      changed.push_back(buffer);
    }
  }
  if (changed.empty()) {
    return true;
  }
  emitCodedError(UnknownLoc::get(&problem.context), codes::ChangedBuffer)
      << problem.path << ": expected buffers that stay as they are, got "
      << changed.size() << " that the model changes in each forward pass: "
      << llvm::join(changed, ", ")
      << "; export with the module that changes them in eval mode, if it "
         "leaves them alone there";
  return false;
}

/// Whoever detaches a value wants other gradients than those of its numbers.
bool RecoveryCheck::checkDetached(DetachedInputs &inputs) {
  DetachedValues detached = findDetached(leftOut, finder());
  for (const pb::NodeProto *node : detached.unclear) {
    emitCodedError(getNodeLocation(problem.context, *node),
                   codes::DetachedValue)
        << "'" << getNodeName(*node)
        << "': expected inputs by which it is known what has a gradient, got "
           "some of which the model detaches one, and the exporter left out "
           "more than that; export with dynamo=True, optimize=False";
  }
  inputs = std::move(detached.inputs);
  return detached.unclear.empty();
}

bool checkRecovery(const RecoveryProblem &problem, DetachedInputs &detached) {
  RecoveryCheck check(problem);
  bool hasAll = check.checkPresence();
  // Where others were folded, that is said already.
  if (problem.recovery.isComplete && hasAll) {
    hasAll = check.checkCalls() && check.checkNamed();
  }
  bool hasTwins = check.checkTwins();
  bool hasConstants = check.checkConstants();
  bool hasStates = check.checkBuffers();
  return check.checkDetached(detached) && hasAll && hasTwins && hasConstants &&
         hasStates;
}

} // namespace accel::onnx
