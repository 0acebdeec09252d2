// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides by their names which parameters train.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/ErrorCodes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_FREEZEPARAMETERSPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// PEFT's names of the parameters that it adds to a model.
constexpr llvm::StringLiteral kAdapterNames =
    "(^|[.])(lora_(A|B|embedding_A|embedding_B|magnitude_vector)|ia3_l)([.]|$)";

/// Names that a message lists at most.
constexpr size_t kListedNames = 4;

struct TrainingRule {
  bool trains;
  std::string pattern;
  llvm::Regex regex;

  /// As it was written on the command line: `--freeze='wte'`.
  std::string getText() const {
    return (trains ? "--train='" : "--freeze='") + pattern + "'";
  }
};

/// `'a', 'b' and 7 more`
std::string listNames(ArrayRef<StringRef> names) {
  std::string text = llvm::join(
      llvm::map_range(names.take_front(kListedNames),
                      [](StringRef name) { return "'" + name.str() + "'"; }),
      ", ");
  return names.size() > kListedNames
             ? text + " and " + std::to_string(names.size() - kListedNames) +
                   " more"
             : text;
}

class FreezeParametersPass
    : public impl::FreezeParametersPassBase<FreezeParametersPass> {
public:
  using FreezeParametersPassBase::FreezeParametersPassBase;

  void runOnOperation() override {
    auto parsed = parseRules();
    if (failed(parsed) || failed(apply(*parsed))) {
      signalPassFailure();
    }
  }

private:
  InFlightDiagnostic emitError() {
    return emitCodedError(getOperation().getLoc(), codes::TrainedParameters);
  }

  FailureOr<std::vector<TrainingRule>> parseRules();
  LogicalResult apply(ArrayRef<TrainingRule> rules);
  LogicalResult refuseAdapters(ArrayRef<StringRef> names);
  LogicalResult verifyMatches(ArrayRef<TrainingRule> rules,
                              ArrayRef<StringRef> names);
};

FailureOr<std::vector<TrainingRule>> FreezeParametersPass::parseRules() {
  std::vector<TrainingRule> parsed;
  for (StringRef rule : rules) {
    auto [kind, pattern] = rule.split('=');
    llvm::Regex regex(pattern);
    std::string problem;
    if (kind != "train" && kind != "freeze") {
      problem = "it begins with neither train= nor freeze=";
    } else if (pattern.empty()) {
      problem = "the pattern is empty";
    } else {
      regex.isValid(problem);
    }
    if (!problem.empty()) {
      return emitError() << "rule '" << rule
                         << "': expected train=REGEX or freeze=REGEX, got one "
                            "that cannot be read: "
                         << problem;
    }
    parsed.push_back({kind == "train", pattern.str(), std::move(regex)});
  }
  return parsed;
}

LogicalResult FreezeParametersPass::apply(ArrayRef<TrainingRule> rules) {
  auto parameters = llvm::to_vector(getOperation().getOps<ParameterOp>());
  auto names = llvm::map_to_vector(
      parameters, [](ParameterOp op) { return op.getSymName(); });
  if (rules.empty()) {
    return refuseAdapters(names);
  }
  if (failed(verifyMatches(rules, names))) {
    return failure();
  }
  int64_t training = 0;
  for (ParameterOp parameter : parameters) {
    auto last =
        llvm::find_if(llvm::reverse(rules), [&](const TrainingRule &rule) {
          return rule.regex.match(parameter.getSymName());
        });
    bool isMatched = last != rules.rend();
    if (isMatched ? !last->trains : rules.front().trains) {
      parameter.setTrainable(false);
    }
    training += parameter.getTrainable() ? 1 : 0;
  }
  if (training == 0 && !parameters.empty()) {
    return emitError() << "expected --freeze and --train to leave a parameter "
                          "to train, got none of "
                       << parameters.size();
  }
  remark::analysis(
      getOperation().getLoc(),
      remark::RemarkOpts::name("Frozen").category("accel-freeze-parameters"))
      << remark::add("{0} of {1} parameters train", training,
                     parameters.size());
  return success();
}

/// A file with adapters is one whose base was frozen; to train both has to be
/// asked for.
LogicalResult FreezeParametersPass::refuseAdapters(ArrayRef<StringRef> names) {
  llvm::Regex regex(kAdapterNames);
  SmallVector<StringRef> adapters;
  llvm::copy_if(names, std::back_inserter(adapters),
                [&](StringRef name) { return regex.match(name); });
  if (adapters.empty()) {
    return success();
  }
  bool hasScales = llvm::any_of(
      adapters, [](StringRef name) { return name.contains("ia3_l"); });
  bool savesModules = llvm::any_of(
      names, [](StringRef name) { return name.contains(".modules_to_save."); });
  std::string pattern = hasScales ? "lora_|ia3_l" : "lora_";
  pattern += savesModules ? "|modules_to_save" : "";
  return emitError()
         << "expected --train or --freeze for a model with adapters, got "
            "neither: the file does not say what PyTorch froze, and the base "
            "would be trained, too; write --train='"
         << pattern
         << "' to train the adapters alone, --train='.' to train everything; "
            "adapters are "
         << listNames(adapters);
}

LogicalResult FreezeParametersPass::verifyMatches(ArrayRef<TrainingRule> rules,
                                                  ArrayRef<StringRef> names) {
  bool hasFailed = false;
  for (const TrainingRule &rule : rules) {
    if (llvm::none_of(names,
                      [&](StringRef name) { return rule.regex.match(name); })) {
      hasFailed = true;
      emitError() << rule.getText()
                  << ": expected a pattern that matches the name of a "
                     "parameter, got one that matches none; names are "
                  << listNames(names)
                  << (names.size() > kListedNames
                          ? " (--compile-to=frontend prints all)"
                          : "");
    }
  }
  return failure(hasFailed);
}

} // namespace
} // namespace accel
