// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel.adapters = {rank, alpha, dropout, added = [{weight, fan_in_fan_out}]}
#include "dialects/Accel/IR/Adapters.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace accel {

static constexpr StringLiteral kAdaptersAttr = "accel.adapters";

StringRef getModuleOfWeight(StringRef weight) {
  weight.consume_back(".weight");
  return weight;
}

std::string Adapter::getModule() const {
  return getModuleOfWeight(weight).str();
}

void setAdapters(ModuleOp module, const Adapters &adapters) {
  Builder builder(module.getContext());
  SmallVector<Attribute> added;
  for (const Adapter &each : adapters.added) {
    NamedAttrList entry;
    entry.set("weight", builder.getStringAttr(each.weight));
    entry.set("fan_in_fan_out", builder.getBoolAttr(each.fanInFanOut));
    added.push_back(entry.getDictionary(module.getContext()));
  }
  NamedAttrList all;
  all.set("rank", builder.getI64IntegerAttr(adapters.rank));
  all.set("alpha", builder.getF64FloatAttr(adapters.alpha));
  all.set("dropout", builder.getF64FloatAttr(adapters.dropout));
  all.set("added", builder.getArrayAttr(added));
  module->setAttr(kAdaptersAttr, all.getDictionary(module.getContext()));
}

Adapters getAdapters(ModuleOp module) {
  Adapters adapters;
  auto all = module->getAttrOfType<DictionaryAttr>(kAdaptersAttr);
  if (!all) {
    return adapters;
  }
  if (auto rank = all.getAs<IntegerAttr>("rank")) {
    adapters.rank = rank.getInt();
  }
  if (auto alpha = all.getAs<FloatAttr>("alpha")) {
    adapters.alpha = alpha.getValueAsDouble();
  }
  if (auto dropout = all.getAs<FloatAttr>("dropout")) {
    adapters.dropout = dropout.getValueAsDouble();
  }
  if (auto added = all.getAs<ArrayAttr>("added")) {
    for (auto entry : added.getAsRange<DictionaryAttr>()) {
      auto weight = entry.getAs<StringAttr>("weight");
      auto turned = entry.getAs<BoolAttr>("fan_in_fan_out");
      if (weight && turned) {
        adapters.added.push_back({weight.str(), turned.getValue()});
      }
    }
  }
  return adapters;
}

} // namespace accel
