// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What outlives a step: parameters and state, and the operations that read and
// change them by name.
#include "dialects/Accel/IR/AccelOps.h"

using namespace mlir;
using namespace accel;

/// Verifies that the declared type of a symbol is a tensor the dialect knows,
/// of known size; of bytes (codes, 8-bit floats) only if it may be.
static LogicalResult verifyDeclaredType(Operation *op, Type type,
                                        bool mayBeBytes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    return op->emitOpError()
           << "expected a ranked tensor type with a static shape, got " << type;
  }
  Type element = tensor.getElementType();
  bool isKnown =
      isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(element) ||
      element.isSignlessInteger(64) || element.isSignlessInteger(32) ||
      element.isSignlessInteger(1) ||
      (mayBeBytes &&
       (element.isUnsignedInteger(8) ||
        isa<Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(element)));
  if (!isKnown) {
    return op->emitOpError()
           << "expected element type f32, f64, bf16, f16, i64, i32"
           << (mayBeBytes ? ", i1, ui8, f8E4M3FN, f8E5M2 or f8E8M0FNU, got "
                          : " or i1, got ")
           << element;
  }
  return success();
}

/// Verifies that the dictionary `initial` of `op` has `key` with an attribute
/// of type AttrTy, which diagnostics call `what`.
template <typename AttrTy>
static LogicalResult verifyEntry(Operation *op, DictionaryAttr initial,
                                 StringRef key, StringRef what) {
  if (initial.getAs<AttrTy>(key)) {
    return success();
  }
  InFlightDiagnostic error = op->emitOpError();
  error << "expected `initial` to have `" << key << "`, " << what << ", got ";
  if (Attribute other = initial.get(key)) {
    return error << other;
  }
  return error << "none";
}

static LogicalResult verifyInitial(Operation *op, DictionaryAttr initial) {
  auto kind = initial.getAs<StringAttr>("kind");
  StringRef name = kind ? kind.getValue() : StringRef();
  if (name == "file") {
    return verifyEntry<StringAttr>(op, initial, "key", "a string");
  }
  if (name == "constant") {
    return verifyEntry<FloatAttr>(op, initial, "value", "a float");
  }
  if (name == "normal") {
    return success(
        succeeded(verifyEntry<FloatAttr>(op, initial, "mean", "a float")) &&
        succeeded(
            verifyEntry<FloatAttr>(op, initial, "deviation", "a float")) &&
        succeeded(verifyEntry<IntegerAttr>(op, initial, "site", "an integer")));
  }
  if (name == "uniform") {
    return success(
        succeeded(verifyEntry<FloatAttr>(op, initial, "bound", "a float")) &&
        succeeded(verifyEntry<IntegerAttr>(op, initial, "site", "an integer")));
  }
  return op->emitOpError() << "expected the `kind` of `initial` to be "
                              "\"file\", \"normal\", \"uniform\" or "
                              "\"constant\", got "
                           << initial;
}

/// What is said of the update of a parameter.
static LogicalResult verifyUpdate(ParameterOp op) {
  // parameter_c7
  for (StringRef key : {"lr_factor", "decays", "weight_decay"}) {
    if (!op.getTrainable() && op->hasAttr(key)) {
      return op.emitOpError() << "expected a trainable parameter beside `"
                              << key << "`, got one that nothing updates";
    }
  }
  // parameter_c8
  std::pair<StringRef, std::optional<APFloat>> numbers[] = {
      {"lr_factor", op.getLrFactor()}, {"weight_decay", op.getWeightDecay()}};
  for (auto [key, number] : numbers) {
    if (number && (!number->isFinite() || number->isNegative())) {
      return op.emitOpError()
             << "expected `" << key << "` that is finite and not negative, got "
             << number->convertToDouble();
    }
  }
  return success();
}

LogicalResult ParameterOp::verify() {
  // parameter_c1
  if (failed(verifyDeclaredType(*this, getType(), /*mayBeBytes=*/false))) {
    return failure();
  }
  // parameter_c2
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (getTrainable() && !isa<FloatType>(element)) {
    return emitOpError() << "expected a trainable parameter to have a float "
                            "element type, got "
                         << element << ": leave out `trainable`";
  }
  // parameter_c4
  if (std::optional<Type> compute = getCompute()) {
    if (!element.isF32() ||
        !isa<BFloat16Type, Float16Type, Float8E4M3FNType, Float8E5M2Type>(
            *compute)) {
      return emitOpError() << "expected `compute` bf16, f16, f8E4M3FN or "
                              "f8E5M2 of a parameter of f32, got "
                           << *compute << " of " << element;
    }
  }
  // parameter_c5
  bool isScaled = getCompute() && getCompute()->getIntOrFloatBitWidth() == 8;
  if (isScaled != getScale().has_value()) {
    return emitOpError() << "expected `scale` exactly beside a `compute` of 8 "
                            "bits, got "
                         << (isScaled ? "none" : "one");
  }
  // parameter_c6
  if (getStatistic() && (!element.isF32() || getTrainable() || getCompute())) {
    return emitOpError() << "expected a statistic of f32 that is not trainable "
                            "and read as it is stored, got "
                         << (getTrainable() ? "a trainable one"
                             : getCompute() ? "one with `compute`"
                                            : "another element type");
  }
  if (failed(verifyUpdate(*this))) {
    return failure();
  }
  // parameter_c3
  return getInitial() ? verifyInitial(*this, *getInitial()) : success();
}

double ParameterOp::getRateFactor() {
  std::optional<APFloat> factor = getLrFactor();
  return factor ? factor->convertToDouble() : 1.0;
}

bool ParameterOp::isDecayed(int64_t decayRank) {
  if (std::optional<APFloat> own = getWeightDecay()) {
    return !own->isZero();
  }
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  return getDecays().value_or(rank >= decayRank);
}

std::optional<double> ParameterOp::getOwnDecay() {
  std::optional<APFloat> own = getWeightDecay();
  return own && !own->isZero() ? std::optional(own->convertToDouble())
                               : std::nullopt;
}

RankedTensorType ParameterOp::getComputeType() {
  auto type = cast<RankedTensorType>(getType());
  return getCompute() ? type.clone(*getCompute()) : type;
}

SlotRole ParameterOp::getSlotRole(Type type) {
  return getCompute() && type == getComputeType() ? SlotRole::Compute
                                                  : SlotRole::Master;
}

LogicalResult StateOp::verify() {
  // state_c1
  if (failed(verifyDeclaredType(*this, getType(), /*mayBeBytes=*/true))) {
    return failure();
  }
  // state_c2
  bool isSlot = getKind() == StateKind::Slot;
  for (StringRef key : {"segment", "slot", "group"}) {
    if (isSlot != (*this)->hasAttr(key)) {
      return emitOpError() << "expected " << (isSlot ? "a slot" : "a ")
                           << (isSlot ? "" : stringifyStateKind(getKind()))
                           << " to have " << (isSlot ? "`" : "no `") << key
                           << "`, got " << (isSlot ? "none" : "one");
    }
  }
  return success();
}

bool StateOp::isMaster() {
  return getSlot() && getSlot()->getRole() == SlotRole::Master;
}

bool StateOp::isGradient() {
  return getSlot() && getSlot()->getRole() == SlotRole::Gradient;
}

bool StateOp::isRead() {
  if (!getSlot() || getSlot()->getRole() == SlotRole::Compute) {
    return bool(getSlot());
  }
  auto compute = SlotAttr::get(getContext(), SlotRole::Compute);
  return isMaster() &&
         !SymbolTable::lookupNearestSymbolFrom<StateOp>(
             *this, StringAttr::get(getContext(), getSibling(compute)));
}

std::string StateOp::getSibling(SlotAttr slot) {
  return getSegment()->getSlotName(slot);
}

std::string StateOp::getMasterName() {
  return getSibling(SlotAttr::get(getContext(), SlotRole::Master));
}

SlotAttr SlotAttr::get(MLIRContext *context, SlotRole role) {
  return get(context, role, StringAttr());
}

SlotAttr SlotAttr::getKept(MLIRContext *context, StringRef kept) {
  return get(context, SlotRole::Optimizer, StringAttr::get(context, kept));
}

StringRef SlotAttr::getName() const {
  return getRole() == SlotRole::Optimizer ? getKeptName().getValue()
                                          : stringifySlotRole(getRole());
}

LogicalResult SlotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               SlotRole role, StringAttr kept) {
  bool isKept = role == SlotRole::Optimizer;
  if (isKept != (kept && !kept.empty())) {
    return emitError() << "expected " << (isKept ? "the" : "no")
                       << " name of what the optimizer keeps, got "
                       << (isKept ? "none"
                                  : ("\"" + kept.getValue() + "\"").str());
  }
  if (isKept && symbolizeSlotRole(kept.getValue())) {
    return emitError() << "expected a name that is no role of a slot, got "
                       << kept;
  }
  return success();
}

namespace {
/// What a symbol may name.
enum class Named { ParameterOrState, AccumulatedOrState, Trainable };
} // namespace

static StringRef describe(Named named) {
  switch (named) {
  case Named::ParameterOrState:
    return "an accel.parameter or accel.state";
  case Named::AccumulatedOrState:
    return "an accel.parameter that is trainable or a statistic, or an "
           "accel.state";
  case Named::Trainable:
    return "a trainable accel.parameter";
  }
  llvm_unreachable("every kind is described");
}

/// The declared type of `symbol`, if it is one that `named` allows.
static Type declaredType(Operation *symbol, Named named) {
  if (auto parameter = dyn_cast_if_present<ParameterOp>(symbol)) {
    bool isAllowed =
        named == Named::ParameterOrState ||
        (named == Named::AccumulatedOrState ? parameter.isAccumulated()
                                            : parameter.getTrainable());
    return isAllowed ? parameter.getType() : Type();
  }
  auto state = dyn_cast_if_present<StateOp>(symbol);
  return state && named != Named::Trainable ? state.getType() : Type();
}

/// Verifies that `op` names a symbol that `named` allows, declared with `type`.
static LogicalResult verifySymbol(Operation *op, SymbolTableCollection &symbols,
                                  FlatSymbolRefAttr name, Type type,
                                  Named named) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, name);
  if (!symbol) {
    return op->emitOpError()
           << "expected " << name << " to name " << describe(named)
           << " of the module, got no such symbol";
  }
  Type declared = declaredType(symbol, named);
  if (!declared) {
    InFlightDiagnostic error = op->emitOpError()
                               << "expected " << name << " to name "
                               << describe(named) << ", got another symbol";
    error.attachNote(symbol->getLoc()) << "declared here";
    return error;
  }
  if (declared != type) {
    InFlightDiagnostic error = op->emitOpError()
                               << "expected the type of " << name << ", "
                               << declared << ", got " << type;
    error.attachNote(symbol->getLoc()) << "declared here";
    return error;
  }
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // read_c1
  auto parameter = dyn_cast_if_present<ParameterOp>(
      symbols.lookupNearestSymbolFrom(*this, getSymbolAttr()));
  if (parameter && parameter.getComputeType() == getType()) {
    return success();
  }
  if (parameter && parameter.getCompute() && parameter.getType() != getType()) {
    InFlightDiagnostic error =
        emitOpError() << "expected the type of " << getSymbolAttr() << ", "
                      << parameter.getType() << ", or that of its `compute`, "
                      << parameter.getComputeType() << ", got " << getType();
    error.attachNote(parameter.getLoc()) << "declared here";
    return error;
  }
  return verifySymbol(*this, symbols, getSymbolAttr(), getResult().getType(),
                      Named::ParameterOrState);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // write_c1
  return verifySymbol(*this, symbols, getSymbolAttr(), getValue().getType(),
                      Named::ParameterOrState);
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // accumulate_c1
  return verifySymbol(*this, symbols, getSymbolAttr(), getValue().getType(),
                      Named::AccumulatedOrState);
}

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // gradient_c1
  return verifySymbol(*this, symbols, getSymbolAttr(), getResult().getType(),
                      Named::Trainable);
}
