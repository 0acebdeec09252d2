// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dictionary of two lists of names and two flags.
#include "dialects/Accel/IR/HyperparameterMeaning.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace accel;

static constexpr llvm::StringLiteral kChoices = "choices";
static constexpr llvm::StringLiteral kReadBy = "read_by";
static constexpr llvm::StringLiteral kInteger = "integer";
static constexpr llvm::StringLiteral kDefaultsToSteps = "defaults_to_steps";

HyperparameterMeaning HyperparameterMeaning::get(Operation *state) {
  HyperparameterMeaning meaning;
  auto all = state->getAttrOfType<DictionaryAttr>(kMeaningAttr);
  if (!all) {
    return meaning;
  }
  auto read = [&](StringRef key, SmallVectorImpl<StringRef> &names) {
    if (auto list = all.getAs<ArrayAttr>(key)) {
      llvm::append_range(names, list.getAsValueRange<StringAttr>());
    }
  };
  read(kChoices, meaning.choices);
  read(kReadBy, meaning.readBy);
  meaning.isInteger = all.contains(kInteger);
  meaning.defaultsToSteps = all.contains(kDefaultsToSteps);
  return meaning;
}

DictionaryAttr HyperparameterMeaning::getAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList all;
  if (!choices.empty()) {
    all.set(kChoices, builder.getStrArrayAttr(choices));
  }
  if (!readBy.empty()) {
    all.set(kReadBy, builder.getStrArrayAttr(readBy));
  }
  if (isInteger) {
    all.set(kInteger, builder.getUnitAttr());
  }
  if (defaultsToSteps) {
    all.set(kDefaultsToSteps, builder.getUnitAttr());
  }
  return all.empty() ? DictionaryAttr() : all.getDictionary(context);
}

static bool isListOfNames(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && !list.empty() && llvm::all_of(list, [](Attribute each) {
           auto name = dyn_cast<StringAttr>(each);
           return name && !name.empty();
         });
}

LogicalResult accel::verifyMeaning(Operation *op, Attribute value) {
  auto state = dyn_cast<StateOp>(op);
  if (!state || state.getKind() != StateKind::Hyperparameter) {
    return op->emitOpError("expected ")
           << kMeaningAttr << " on a hyperparameter, got it here";
  }
  auto all = dyn_cast<DictionaryAttr>(value);
  if (!all || all.empty()) {
    return op->emitOpError("expected ")
           << kMeaningAttr << " to be a dictionary with an entry, got "
           << value;
  }
  for (NamedAttribute each : all) {
    StringRef key = each.getName();
    bool isList = key == kChoices || key == kReadBy;
    bool isFlag = key == kInteger || key == kDefaultsToSteps;
    if (!isList && !isFlag) {
      return op->emitOpError("expected ")
             << kMeaningAttr << " to have choices, read_by, integer or "
             << "defaults_to_steps, got '" << key << "'";
    }
    if (isList ? !isListOfNames(each.getValue())
               : !isa<UnitAttr>(each.getValue())) {
      return op->emitOpError("expected '")
             << key << "' to be " << (isList ? "a list of names" : "a flag")
             << ", got " << each.getValue();
    }
  }
  return success();
}
