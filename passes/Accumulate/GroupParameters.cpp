// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives parameters a learning rate and a weight decay of their own.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Accumulate/GroupRule.h"
#include "passes/Accumulate/LayerNumbers.h"
#include "passes/Analysis/NumberText.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_GROUPPARAMETERSPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// Names in small letters that Hugging Face's Trainer does not decay, besides
/// those of layer norms (Trainer.get_decay_parameter_names).
constexpr llvm::StringLiteral kUndecayedNames =
    "bias|layernorm|rmsnorm|(^|[.])norm($|[.])|_norm($|[.])";

/// Names that a message lists at most.
constexpr size_t kNearNames = 4;

/// Those that are spelled most like `pattern`: `'a', 'b'`.
std::string listNearNames(StringRef pattern, ArrayRef<StringRef> names) {
  std::string plain = pattern.str();
  llvm::erase_if(
      plain, [](char c) { return StringRef("\\^$[](){}*+?|").contains(c); });
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (StringRef name : names) {
    // What a name has on top of the pattern is no difference.
    unsigned distance = StringRef(plain).edit_distance(name);
    unsigned longer =
        name.size() > plain.size() ? name.size() - plain.size() : 0;
    near.emplace_back(distance - longer, name);
  }
  llvm::stable_sort(near, llvm::less_first());
  size_t shown = std::min(near.size(), kNearNames);
  std::string text =
      llvm::join(llvm::map_range(ArrayRef(near).take_front(shown),
                                 [](const auto &each) {
                                   return "'" + each.second.str() + "'";
                                 }),
                 ", ");
  return text;
}

/// What is said of one parameter.
struct Properties {
  double layerFactor = 1.0; ///< of the learning rate, by its layer
  double factor = 1.0;      ///< and by a rule
  std::optional<bool> decays;
  std::optional<double> decay;
};

class GroupParametersPass
    : public impl::GroupParametersPassBase<GroupParametersPass> {
public:
  using GroupParametersPassBase::GroupParametersPassBase;

  void runOnOperation() override {
    if (rules.empty() && layerDecay == 1.0 && decay == "rank") {
      return;
    }
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      if (parameter.getTrainable()) {
        properties.emplace_back(parameter, Properties());
      }
    }
    bool hasFailed = failed(applyDecay());
    hasFailed |= failed(applyLayers());
    hasFailed |= failed(applyRules());
    if (hasFailed) {
      return signalPassFailure();
    }
    for (auto &[parameter, each] : properties) {
      write(parameter, each);
    }
  }

private:
  InFlightDiagnostic fail() {
    return emitCodedError(getOperation().getLoc(), codes::ParameterGroups);
  }

  LogicalResult applyDecay();
  LogicalResult applyLayers();
  LogicalResult applyRules();
  LogicalResult apply(StringRef text, const GroupRule &rule);
  RepeatOp findLoop();
  std::optional<NamedBlocks> findBlocks();
  void write(ParameterOp parameter, const Properties &said);

  /// Of each parameter that trains, in the order of their declarations.
  SmallVector<std::pair<ParameterOp, Properties>> properties;
};

RepeatOp GroupParametersPass::findLoop() {
  auto step = findFunction(getOperation(), FunctionRole::Step);
  auto loops =
      step ? llvm::to_vector(step.getOps<RepeatOp>()) : SmallVector<RepeatOp>();
  if (loops.size() != 1) {
    getOperation().emitError("expected a function of role step with one "
                             "accel.repeat, got ")
        << loops.size();
    return {};
  }
  return loops.front();
}

/// The parameters that layer norms scale and shift with, whatever their names.
static llvm::StringSet<> findNormParameters(RepeatOp loop) {
  llvm::StringSet<> names;
  loop.walk([&](LayerNormOp norm) {
    for (Value operand : {norm.getScale(), norm.getBias()}) {
      while (operand &&
             isa_and_nonnull<CastOp, ReshapeOp>(operand.getDefiningOp())) {
        operand = operand.getDefiningOp()->getOperand(0);
      }
      if (auto read = operand ? operand.getDefiningOp<ReadOp>() : ReadOp()) {
        names.insert(read.getSymbol());
      }
    }
  });
  return names;
}

LogicalResult GroupParametersPass::applyDecay() {
  if (decay == "rank") {
    return success();
  }
  if (decay != "hf") {
    return fail() << "--decay: expected rank or hf, got '" << decay << "'";
  }
  RepeatOp loop = findLoop();
  if (!loop) {
    return failure();
  }
  llvm::StringSet<> norms = findNormParameters(loop);
  llvm::Regex undecayed(kUndecayedNames);
  for (auto &[parameter, each] : properties) {
    StringRef name = parameter.getSymName();
    each.decays = !norms.contains(name) && !undecayed.match(name.lower());
  }
  return success();
}

/// The blocks that layers are counted by; none after an error.
std::optional<NamedBlocks> GroupParametersPass::findBlocks() {
  auto names = llvm::map_to_vector(
      getOperation().getOps<ParameterOp>(),
      [](ParameterOp parameter) { return parameter.getSymName(); });
  std::vector<NamedBlocks> blocks = findNamedBlocks(names);
  if (blocks.empty()) {
    fail()
        << "--layer-decay: expected parameters of blocks, whose names differ "
           "in one whole number between dots, as 'encoder.layer.0.norm.weight' "
           "and 'encoder.layer.1.norm.weight' do, got none among "
        << names.size() << ", such as "
        << listNearNames("layers.0.weight", names)
        << "; give rates by name with --group='REGEX:lr=0.1x'";
    return std::nullopt;
  }
  if (blocks.size() > 1 &&
      blocks[0].numbers.size() == blocks[1].numbers.size()) {
    fail() << "--layer-decay: expected one row of blocks, got '"
           << blocks[0].prefix << "N' and '" << blocks[1].prefix << "N' with "
           << blocks[0].numbers.size()
           << " each; give rates by name with --group='REGEX:lr=0.1x'";
    return std::nullopt;
  }
  return blocks.front();
}

LogicalResult GroupParametersPass::applyLayers() {
  if (layerDecay == 1.0) {
    return success();
  }
  if (!(layerDecay > 0.0 && layerDecay < 1.0)) {
    return fail()
           << "--layer-decay: expected a number above 0 and up to 1, got "
           << toText(layerDecay);
  }
  RepeatOp loop = findLoop();
  std::optional<NamedBlocks> blocks =
      loop ? findBlocks() : std::optional<NamedBlocks>();
  if (!blocks) {
    return failure();
  }
  LayerNumbers numbers = numberLayers(getOperation(), loop, *blocks);
  for (auto &[parameter, each] : properties) {
    each.layerFactor = numbers.getFactor(parameter, layerDecay);
  }
  remark::analysis(
      getOperation().getLoc(),
      remark::RemarkOpts::name("Layers").category("accel-group-parameters"))
      << remark::add("{0} blocks from {1}{2} to {1}{3}, {4} layers",
                     blocks->numbers.size(), blocks->prefix,
                     blocks->numbers.front(), blocks->numbers.back(),
                     numbers.last + 1);
  return success();
}

/// Of the rules that have a property the last one that matches decides it.
LogicalResult GroupParametersPass::applyRules() {
  bool hasFailed = false;
  for (const std::string &text : rules) {
    std::string problem;
    std::optional<GroupRule> rule = parseGroupRule(text, problem);
    if (rule && rule->rate && lr == 0.0) {
      problem = "expected a factor such as lr=0.1x where --lr is 0, got a rate";
    }
    if (!problem.empty()) {
      hasFailed = true;
      fail() << "--group='" << text << "': " << problem;
      continue;
    }
    hasFailed |= failed(apply(text, *rule));
  }
  return failure(hasFailed);
}

LogicalResult GroupParametersPass::apply(StringRef text,
                                         const GroupRule &rule) {
  llvm::Regex regex(rule.pattern);
  bool matches = false;
  for (auto &[parameter, each] : properties) {
    if (!regex.match(parameter.getSymName())) {
      continue;
    }
    matches = true;
    if (std::optional<double> factor = rule.getFactor(lr)) {
      each.factor = *factor;
    }
    if (rule.decay) {
      each.decay = rule.decay;
    }
  }
  if (matches) {
    return success();
  }
  bool isFrozen = llvm::any_of(getOperation().getOps<ParameterOp>(),
                               [&](ParameterOp parameter) {
                                 return regex.match(parameter.getSymName());
                               });
  auto names = llvm::map_to_vector(
      properties, [](auto &each) { return each.first.getSymName(); });
  return fail() << "--group='" << text
                << "': expected a pattern that matches the name of a parameter "
                   "that trains, got one that matches "
                << (isFrozen ? "only what is frozen" : "none")
                << "; near names are " << listNearNames(rule.pattern, names)
                << " (--compile-to=frontend prints all)";
}

void GroupParametersPass::write(ParameterOp parameter, const Properties &said) {
  Builder builder(&getContext());
  double factor = said.layerFactor * said.factor;
  if (factor != 1.0) {
    parameter.setLrFactorAttr(builder.getF64FloatAttr(factor));
  }
  if (said.decay) {
    parameter.setWeightDecayAttr(builder.getF64FloatAttr(*said.decay));
  } else if (said.decays) {
    parameter.setDecaysAttr(builder.getBoolAttr(*said.decays));
  }
  grouped += factor != 1.0 || said.decay || said.decays ? 1 : 0;
}

} // namespace
} // namespace accel
