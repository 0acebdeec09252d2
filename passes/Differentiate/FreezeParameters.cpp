// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides by their names which parameters train.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/NameRules.h"
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
    FailureOr<NameRules> parsed = NameRules::parse(
        rules, {"train", "freeze", "--"}, [&] { return emitError(); });
    if (failed(parsed) || failed(apply(*parsed))) {
      signalPassFailure();
    }
  }

private:
  InFlightDiagnostic emitError() {
    return emitCodedError(getOperation().getLoc(), codes::TrainedParameters);
  }

  LogicalResult apply(NameRules &rules);
  LogicalResult refuseAdapters(ArrayRef<StringRef> names);
  LogicalResult verifyMatches(const NameRules &rules,
                              ArrayRef<StringRef> names);
};

LogicalResult FreezeParametersPass::apply(NameRules &rules) {
  auto parameters = llvm::to_vector(getOperation().getOps<ParameterOp>());
  auto names = llvm::map_to_vector(
      parameters, [](ParameterOp op) { return op.getSymName(); });
  if (rules.empty()) {
    return refuseAdapters(names);
  }
  int64_t training = 0;
  for (ParameterOp parameter : parameters) {
    if (!rules.isChosen(rules.match(parameter.getSymName()))) {
      parameter.setTrainable(false);
    }
    training += parameter.getTrainable() ? 1 : 0;
  }
  if (failed(verifyMatches(rules, names))) {
    return failure();
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

LogicalResult FreezeParametersPass::verifyMatches(const NameRules &rules,
                                                  ArrayRef<StringRef> names) {
  return rules.verifyMatched([&](const NameRule &rule) {
    emitError() << rule.text
                << ": expected a pattern that matches the name of a "
                   "parameter, got one that matches none; names are "
                << listNames(names)
                << (names.size() > kListedNames
                        ? " (--compile-to=frontend prints all)"
                        : "");
  });
}

} // namespace
} // namespace accel
