// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything is read off the IR: what the phases decided stands there.
#include "compiler/ModelFacts.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"

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

/// The group of the optimizer that a segment's master slot belongs to.
llvm::StringMap<StringRef> getGroups(ModuleOp module) {
  llvm::StringMap<StringRef> groups;
  for (auto state : module.getOps<StateOp>()) {
    groups[state.getSymName()] = state.getGroup().value_or("");
  }
  return groups;
}

void readParameters(ModuleOp module, ModelFacts &facts) {
  llvm::StringMap<StringRef> groups = getGroups(module);
  for (auto parameter : module.getOps<ParameterOp>()) {
    StringRef group = groups.lookup(parameter.getSegment().value_or(""));
    TensorCount &count = group == "decayed"     ? facts.decayed
                         : group == "undecayed" ? facts.undecayed
                                                : facts.frozen;
    int64_t elements =
        cast<RankedTensorType>(parameter.getType()).getNumElements();
    for (TensorCount *each : {&facts.parameters, &count}) {
      each->tensors += 1;
      each->elements += elements;
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
  }
  if (auto batch = module->getAttrOfType<IntegerAttr>("accel.batch")) {
    facts.batch = batch.getInt();
  }
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

void readProgram(ModuleOp module, ModelFacts &facts) {
  for (auto function : module.getOps<func::FuncOp>()) {
    facts.kernels += function->hasAttr("plan.kernel") ? 1 : 0;
    if (auto bytes = function->getAttrOfType<IntegerAttr>("plan.arena_bytes")) {
      facts.arenaBytes = std::max(facts.arenaBytes, bytes.getInt());
    }
  }
  SymbolTable symbols(module);
  module.walk([&](plan::InstructionOpInterface op) {
    ++facts.instructions;
    auto launch = dyn_cast<plan::LaunchOp>(op.getOperation());
    facts.launches += launch ? 1 : 0;
    auto kernel =
        launch ? symbols.lookup<func::FuncOp>(launch.getKernel()) : nullptr;
    FailureOr<IterationDomain> domain =
        kernel ? IterationDomain::get(kernel) : FailureOr<IterationDomain>();
    bool isProduct = succeeded(domain) && domain->kind == LoopKind::Product;
    facts.products += isProduct ? 1 : 0;
  });
}

} // namespace

ModelFacts readFacts(ModuleOp module) {
  ModelFacts facts;
  readAttributes(module, facts);
  readParameters(module, facts);
  readProgram(module, facts);
  auto buckets = module.getOps<BucketOp>();
  facts.buckets = std::distance(buckets.begin(), buckets.end());
  return facts;
}

} // namespace accel
