// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything is read off the IR: what the phases decided stands there.
#include "compiler/ModelFacts.h"

#include "compiler/PlanSites.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Optimizers/Average.h"
#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/Convolution.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Precision/PrecisionSites.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {
namespace {

std::string getText(DictionaryAttr dictionary, StringRef key) {
  auto text = dictionary ? dictionary.getAs<StringAttr>(key) : StringAttr();
  return text ? text.getValue().str() : "";
}

/// The groups of the optimizer by the parameters that belong to them.
llvm::DenseMap<StringAttr, OptimizerGroup> getGroups(ModuleOp module) {
  llvm::DenseMap<StringAttr, OptimizerGroup> groups;
  for (auto bucket : module.getOps<BucketOp>()) {
    for (auto segment : bucket.getSegments().getAsRange<SegmentAttr>()) {
      for (FlatSymbolRefAttr parameter : segment.getParameters()) {
        groups[parameter.getAttr()] = segment.getGroup();
      }
    }
  }
  return groups;
}

TensorCount &getCount(ModelFacts &facts, OptimizerGroup group) {
  switch (group) {
  case OptimizerGroup::Decayed:
    return facts.decayed;
  case OptimizerGroup::Undecayed:
    return facts.undecayed;
  case OptimizerGroup::Frozen:
    return facts.frozen;
  case OptimizerGroup::Statistic:
    return facts.statistics;
  }
  llvm_unreachable("every group is counted");
}

void readParameters(ModuleOp module, ModelFacts &facts) {
  llvm::DenseMap<StringAttr, OptimizerGroup> groups = getGroups(module);
  for (auto parameter : module.getOps<ParameterOp>()) {
    SmallVector<TensorCount *, 2> counts{
        parameter.getStatistic() ? &facts.statistics : &facts.parameters};
    if (auto group = groups.find(parameter.getSymNameAttr());
        group != groups.end() && !parameter.getStatistic()) {
      counts.push_back(&getCount(facts, group->second));
    }
    int64_t elements =
        cast<RankedTensorType>(parameter.getType()).getNumElements();
    for (TensorCount *each : counts) {
      each->tensors += 1;
      each->elements += elements;
    }
  }
}

void addTo(std::vector<UpdateGroup> &groups, ParameterOp parameter) {
  UpdateGroup group{parameter.getRateFactor(),
                    parameter.isDecayed(),
                    parameter.getOwnDecay(),
                    {}};
  auto found = llvm::find_if(groups, [&](const UpdateGroup &other) {
    return other.factor == group.factor && other.decays == group.decays &&
           other.decay == group.decay;
  });
  if (found == groups.end()) {
    groups.push_back(group);
    found = std::prev(groups.end());
  }
  found->parameters.tensors += 1;
  found->parameters.elements +=
      cast<RankedTensorType>(parameter.getType()).getNumElements();
}

void readGroups(ModuleOp module, ModelFacts &facts) {
  bool isSaid = false;
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (parameter.getTrainable()) {
      isSaid |= parameter.getLrFactor() || parameter.getWeightDecay();
      addTo(facts.groups, parameter);
    }
  }
  if (!isSaid) {
    facts.groups.clear();
  }
}

void readAdapters(ModuleOp module, ModelFacts &facts) {
  facts.adapters = getAdapters(module);
  for (const Adapter &adapter : facts.adapters.added) {
    for (const std::string &name : {adapter.getA(), adapter.getB()}) {
      if (auto parameter = module.lookupSymbol<ParameterOp>(name)) {
        facts.adapterElements +=
            cast<RankedTensorType>(parameter.getType()).getNumElements();
      }
    }
  }
}

void readAttributes(ModuleOp module, ModelFacts &facts) {
  facts.name =
      getText(module->getAttrOfType<DictionaryAttr>("accel.model"), "name");
  if (auto objective =
          module->getAttrOfType<DictionaryAttr>("accel.objective")) {
    facts.objective = getText(objective, "kind") + " of '" +
                      getText(objective, "output") + "'";
    facts.noEvaluation = getText(objective, "whole_microbatches");
    facts.needsWholeMicrobatches = !facts.noEvaluation.empty();
    if (facts.noEvaluation.empty()) {
      facts.noEvaluation = getText(objective, "no_evaluation");
    }
  }
  if (auto batch = module->getAttrOfType<IntegerAttr>("accel.batch")) {
    facts.batch = batch.getInt();
  }
  facts.isSynchronized = module->hasAttr(kSynchronizedStatisticsAttr);
  facts.evaluates = findFunction(module, FunctionRole::Evaluate) != nullptr;
  if (auto sites = module->getAttrOfType<ArrayAttr>("accel.dropout_sites")) {
    for (auto site : sites.getAsRange<DictionaryAttr>()) {
      std::string scope = getText(site, "scope");
      auto probability = site.getAs<FloatAttr>("probability");
      facts.dropoutSites.emplace_back(
          scope.empty() ? getText(site, "name") : scope,
          probability ? probability.getValueAsDouble() : 0.0);
    }
  }
}

/// `low`: what sites were asked to read; null: floats of 8 bits.
void readSites(func::FuncOp kernel, Type low, ModelFacts &facts) {
  for (Operation &op : kernel.getBody().front()) {
    if (!isSite(&op)) {
      continue;
    }
    int64_t flops = cast<CostOpInterface>(op).getFlops();
    Type operand = getElementTypeOrSelf(op.getOperand(0).getType());
    bool isLow = low ? operand == low : isFp8(operand);
    facts.sites += 1;
    facts.siteFlops += flops;
    facts.lowSites += isLow ? 1 : 0;
    facts.lowFlops += isLow ? flops : 0;
  }
}

/// Whether in some variant a library computes a convolution.
bool callsConvolution(func::FuncOp kernel) {
  auto code = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  return code && llvm::any_of(code, [](NamedAttribute entry) {
           auto call = dyn_cast<plan::LibraryCallAttr>(entry.getValue());
           return call && call.getConvolution();
         });
}

/// Whether the kernel does nothing but bring windows into an order.
bool copiesWindows(func::FuncOp kernel) {
  ValueRange results = kernel.getBody().front().getTerminator()->getOperands();
  return results.size() == 1 && findWindows(results.front());
}

void readProgram(ModuleOp module, ModelFacts &facts) {
  Type low;
  if (auto asked = module->getAttrOfType<TypeAttr>(kPrecisionAttr)) {
    low = asked.getValue();
    llvm::raw_string_ostream(facts.precision) << low;
  }
  if (auto fp8 = module->getAttrOfType<DictionaryAttr>(kFp8Attr)) {
    low = Type();
    facts.otherwise = facts.precision;
    facts.precision = "fp8";
    facts.isEmulated = fp8.contains("emulated");
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    facts.kernels += function->hasAttr("plan.kernel") ? 1 : 0;
    if (auto bytes = function->getAttrOfType<IntegerAttr>("plan.arena_bytes")) {
      facts.arenaBytes = std::max(facts.arenaBytes, bytes.getInt());
    }
  }
  SymbolTable symbols(module);
  module.walk([&](plan::InstructionOpInterface op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (function && getRole(function) == FunctionRole::Evaluate) {
      return; // A step is what is counted, and what leads to it.
    }
    ++facts.instructions;
    auto launch = dyn_cast<plan::LaunchOp>(op.getOperation());
    facts.launches += launch ? 1 : 0;
    auto kernel =
        launch ? symbols.lookup<func::FuncOp>(launch.getKernel()) : nullptr;
    FailureOr<IterationDomain> domain =
        kernel ? IterationDomain::get(kernel) : FailureOr<IterationDomain>();
    bool isProduct = succeeded(domain) && (domain->kind == LoopKind::Product ||
                                           domain->kind == LoopKind::Grouped);
    facts.products += isProduct ? 1 : 0;
    if (kernel) {
      facts.convolutions += callsConvolution(kernel) ? 1 : 0;
      facts.copiedWindows += copiesWindows(kernel) ? 1 : 0;
      readSites(kernel, low, facts);
    }
  });
}

/// `x [4, 21] of f32, mask [4] of i1`; `none` if there are none.
std::string listTensors(ModuleOp module, StateKind kind) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto state : module.getOps<StateOp>()) {
    if (state.getKind() != kind) {
      continue;
    }
    auto type = cast<RankedTensorType>(state.getType());
    stream << (text.empty() ? "" : ", ")
           << state->getAttrOfType<StringAttr>("accel.name").getValue() << " [";
    llvm::interleaveComma(type.getShape(), stream);
    stream << "] of " << type.getElementType();
  }
  return text.empty() ? "none" : text;
}

} // namespace

ModelFacts readFacts(ModuleOp module) {
  ModelFacts facts;
  facts.inputs = listTensors(module, StateKind::Input);
  facts.outputs = listTensors(module, StateKind::Output);
  readAttributes(module, facts);
  readAdapters(module, facts);
  readParameters(module, facts);
  readGroups(module, facts);
  facts.averages = module.lookupSymbol(kEmaState) != nullptr;
  readProgram(module, facts);
  auto buckets = module.getOps<BucketOp>();
  facts.buckets = std::distance(buckets.begin(), buckets.end());
  return facts;
}

} // namespace accel
