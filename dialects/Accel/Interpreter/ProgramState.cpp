// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What outlives a step of an interpreted program.
#include "dialects/Accel/Interpreter/ProgramState.h"

#include "dialects/Accel/Interpreter/RandomNormal.h"

using namespace mlir;

namespace accel {

RankedTensorType ProgramState::getDeclaredType(Operation *declaration) {
  if (auto parameter = dyn_cast<ParameterOp>(declaration)) {
    return dyn_cast<RankedTensorType>(parameter.getType());
  }
  return dyn_cast<RankedTensorType>(cast<StateOp>(declaration).getType());
}

ProgramState::ProgramState(ModuleOp module, int64_t seed) {
  for (Operation &op : module.getOps()) {
    if (isa<ParameterOp, StateOp>(op)) {
      declarations.push_back(&op);
      byName[SymbolTable::getSymbolName(&op)] = &op;
    }
  }
  for (Operation *op : declarations) {
    RankedTensorType type = getDeclaredType(op);
    auto state = dyn_cast<StateOp>(op);
    if (state && type && fitsHost(type)) {
      values[state.getSymName()] = HostTensor::splat(
          type,
          state.getInitial() ? state.getInitial()->convertToDouble() : 0.0);
    }
  }
  for (Operation *op : declarations) {
    if (auto parameter = dyn_cast<ParameterOp>(op)) {
      if (HostTensor initial = makeInitial(parameter, seed)) {
        (void)write(parameter.getSymName(), initial);
      }
    }
  }
  clearChanges();
}

HostTensor ProgramState::makeInitial(ParameterOp parameter,
                                     int64_t seed) const {
  RankedTensorType type = getDeclaredType(parameter);
  if (!parameter.getInitial() || !type || !fitsHost(type)) {
    return HostTensor();
  }
  DictionaryAttr initial = *parameter.getInitial();
  auto getNumber = [&](StringRef name) {
    auto number = initial.getAs<FloatAttr>(name);
    return number ? number.getValueAsDouble() : 0.0;
  };
  auto kind = initial.getAs<StringAttr>("kind");
  if (kind && kind.getValue() == "constant") {
    auto integer = initial.getAs<IntegerAttr>("value");
    return HostTensor::splat(type, integer
                                       ? static_cast<double>(integer.getInt())
                                       : getNumber("value"));
  }
  auto site = initial.getAs<IntegerAttr>("site");
  if (kind && kind.getValue() == "normal" && site &&
      isa<FloatType>(type.getElementType())) {
    return makeRandomNormal(type, seed, site.getInt(), getNumber("mean"),
                            getNumber("deviation"));
  }
  if (kind && kind.getValue() == "uniform" && site &&
      isa<FloatType>(type.getElementType())) {
    HostTensor values = makeRandomNormal(type, seed, site.getInt(),
                                         /*mean=*/0.0, std::sqrt(0.5));
    for (double &value : values.mutableFloats()) {
      value = getNumber("bound") * std::erf(value);
    }
    return values;
  }
  return HostTensor();
}

ProgramState::Part ProgramState::getPart(ParameterOp parameter,
                                         SlotRole role) const {
  if (!parameter.getSegment()) {
    return {};
  }
  int64_t offset = parameter.getOffset().value_or(0);
  auto master = dyn_cast_or_null<StateOp>(lookup(*parameter.getSegment()));
  if (!master || role == SlotRole::Master) {
    return {parameter.getSegment()->str(), offset};
  }
  for (Operation *op : declarations) {
    auto state = dyn_cast<StateOp>(op);
    if (state && state.getSlot() &&
        state.getSegmentAttr() == master.getSegmentAttr() &&
        state.getSlot()->getRole() == role) {
      return {state.getSymName().str(), offset};
    }
  }
  return {};
}

HostTensor ProgramState::readPart(const Part &part,
                                  RankedTensorType type) const {
  HostTensor whole = values.lookup(part.state);
  int64_t size = type.getNumElements();
  if (!whole || !whole.isFloat() || !isa<FloatType>(type.getElementType()) ||
      part.offset < 0 || part.offset + size > whole.getNumElements()) {
    return HostTensor();
  }
  ArrayRef<double> elements = whole.floats().slice(part.offset, size);
  return HostTensor(type,
                    std::vector<double>(elements.begin(), elements.end()));
}

void ProgramState::writePart(const Part &part, const HostTensor &value) {
  auto whole = values.find(part.state);
  int64_t size = value.getNumElements();
  if (whole == values.end() || part.offset < 0 ||
      part.offset + size > whole->second.getNumElements()) {
    return;
  }
  llvm::copy(value.floats(),
             whole->second.mutableFloats().slice(part.offset, size).begin());
  written.insert(part.state);
}

HostTensor ProgramState::read(StringRef name) const {
  auto parameter = dyn_cast_or_null<ParameterOp>(lookup(name));
  if (parameter && parameter.getSegment()) {
    return readPart(getPart(parameter, SlotRole::Master),
                    getDeclaredType(parameter));
  }
  return values.lookup(name);
}

static HostTensor roundTo(RankedTensorType type, const HostTensor &value) {
  return HostTensor(type, std::vector<double>(value.floats().begin(),
                                              value.floats().end()))
      .rounded();
}

HostTensor ProgramState::readAs(StringRef name, RankedTensorType type) const {
  auto parameter = dyn_cast_or_null<ParameterOp>(lookup(name));
  if (!parameter || parameter.getSlotRole(type) != SlotRole::Compute) {
    return read(name);
  }
  if (parameter.getSegment()) {
    return readPart(getPart(parameter, SlotRole::Compute), type);
  }
  HostTensor value = read(name);
  return value ? roundTo(type, value) : value;
}

LogicalResult ProgramState::write(StringRef name, const HostTensor &value) {
  Operation *declaration = lookup(name);
  if (!declaration || !value ||
      value.getType() != getDeclaredType(declaration)) {
    return failure();
  }
  written.insert(name);
  auto parameter = dyn_cast<ParameterOp>(declaration);
  if (parameter && parameter.getSegment()) {
    writePart(getPart(parameter, SlotRole::Master), value);
    if (parameter.getCompute()) {
      writePart(getPart(parameter, SlotRole::Compute),
                roundTo(parameter.getComputeType(), value));
    }
  } else {
    values[name] = value;
  }
  return success();
}

HostTensor ProgramState::getGradient(StringRef name) const {
  auto parameter = dyn_cast_or_null<ParameterOp>(lookup(name));
  if (!parameter || !parameter.isAccumulated()) {
    return HostTensor();
  }
  if (parameter.getSegment()) {
    return readPart(getPart(parameter, SlotRole::Gradient),
                    getDeclaredType(parameter));
  }
  HostTensor gradient = gradients.lookup(name);
  return gradient ? gradient : HostTensor(getDeclaredType(parameter));
}

void ProgramState::accumulate(Operation *declaration, const HostTensor &value) {
  StringRef name = SymbolTable::getSymbolName(declaration);
  auto parameter = dyn_cast<ParameterOp>(declaration);
  HostTensor sum = parameter ? getGradient(name) : read(name);
  for (auto [element, addend] :
       llvm::zip_equal(sum.mutableFloats(), value.floats())) {
    element += addend;
  }
  if (!parameter) {
    (void)write(name, sum);
    return;
  }
  accumulated.insert(name);
  if (parameter.getSegment()) {
    writePart(getPart(parameter, SlotRole::Gradient), sum);
  } else {
    gradients[name] = sum;
  }
}

void ProgramState::clearGradients() {
  gradients.clear();
  for (Operation *op : declarations) {
    auto parameter = dyn_cast<ParameterOp>(op);
    if (parameter && parameter.getSegment() && parameter.isAccumulated()) {
      writePart(getPart(parameter, SlotRole::Gradient),
                HostTensor(getDeclaredType(op)));
    }
  }
}

void ProgramState::clearChanges() {
  written.clear();
  accumulated.clear();
}

HostTensor ProgramState::getMoment(StringRef slot,
                                   ParameterOp parameter) const {
  return moments.lookup((slot + "." + parameter.getSymName()).str());
}

void ProgramState::setMoment(StringRef slot, ParameterOp parameter,
                             const HostTensor &value) {
  moments[(slot + "." + parameter.getSymName()).str()] = value;
}

} // namespace accel
