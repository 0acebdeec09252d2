// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an inverse back to the scale, and from that to the largest magnitude.
#include "passes/Precision/Fp8ScaleCheck.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace accel;

Operation *accel::findStored(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, SplitOp, BroadcastOp,
                         WindowsOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return op;
}

Value accel::findRepeated(Value value) {
  auto repeated = value.getDefiningOp<BroadcastOp>();
  return repeated && cast<RankedTensorType>(repeated.getOperand().getType())
                             .getRank() == 0
             ? Value(repeated.getOperand())
             : Value();
}

/// How many scales a parameter of `type` has; 0: none are for such a parameter.
static int64_t countScales(RankedTensorType type, int64_t block) {
  if (block == 0) {
    return 1;
  }
  return type.getRank() == 2 ? llvm::divideCeil(type.getDimSize(0), block) *
                                   llvm::divideCeil(type.getDimSize(1), block)
                             : 0;
}

LogicalResult accel::checkScaleIndices(ModuleOp module, int64_t block) {
  auto state = module.lookupSymbol<StateOp>("weight_scale");
  int64_t all =
      state ? cast<RankedTensorType>(state.getType()).getNumElements() : 0;
  auto firstOf = [](ParameterOp parameter) {
    return static_cast<int64_t>(*parameter.getScale());
  };
  SmallVector<ParameterOp> scaled;
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (parameter.getScale()) {
      scaled.push_back(parameter);
    }
  }
  llvm::stable_sort(scaled, [&](ParameterOp left, ParameterOp right) {
    return firstOf(left) < firstOf(right);
  });
  int64_t free = 0; // from here on
  for (ParameterOp parameter : scaled) {
    int64_t first = firstOf(parameter);
    int64_t count =
        countScales(cast<RankedTensorType>(parameter.getType()), block);
    if (count == 0 || first < free || first + count > all) {
      return parameter.emitError("expected parameter '")
             << parameter.getSymName() << "' to have "
             << (block == 0 ? "a scale" : "scales") << " of its own among the "
             << all << " of 'weight_scale', got " << first;
    }
    free = first + count;
  }
  return success();
}

/// Whether `state` is of `kind` and holds `shape` numbers of f32, all `initial`
/// at step 0.
static bool isState(StateOp state, StateKind kind, ArrayRef<int64_t> shape,
                    double initial) {
  auto type =
      state ? cast<RankedTensorType>(state.getType()) : RankedTensorType();
  return state && state.getKind() == kind && type.getElementType().isF32() &&
         type.getShape() == shape &&
         (state.getInitial() ? state.getInitial()->convertToDouble() : 0) ==
             initial;
}

LogicalResult accel::checkDelayedStates(func::FuncOp microbatch) {
  auto module = microbatch->getParentOfType<ModuleOp>();
  auto find = [&](StringRef name) {
    return module.lookupSymbol<StateOp>(name);
  };
  StateOp scales = find("delayed_scale");
  if (!scales) {
    return success(); // nothing is cast in the microbatch
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(scales.getType()).getShape();
  StateOp history = find("delayed_history");
  auto rows = history ? cast<RankedTensorType>(history.getType()).getShape()
                      : ArrayRef<int64_t>();
  bool isSound =
      shape.size() == 1 && isState(scales, StateKind::Scale, shape, 1) &&
      isState(find("delayed_inverse"), StateKind::Scale, shape, 1) &&
      isState(find("delayed_amax"), StateKind::AccumulatorMax, shape, 0) &&
      (!history ||
       (rows.size() == 2 && rows.front() == shape.front() &&
        isState(history, StateKind::Scale, rows, 0) && find("delayed_column")));
  if (!isSound) {
    return scales.emitError(
        "expected scales, inverses, magnitudes and history of as many tensors, "
        "with scale 1 at step 0, got others");
  }
  int raised = 0;
  for (WriteOp write : microbatch.getBody().front().getOps<WriteOp>()) {
    bool isAmax = write.getSymbol() == "delayed_amax";
    raised += isAmax ? 1 : 0;
    if (write.getSymbol().starts_with("delayed_") && (!isAmax || raised > 1)) {
      return write.emitError("expected a microbatch to write 'delayed_amax' "
                             "once and no other state of the scales, got a "
                             "write of '")
             << write.getSymbol() << "'";
    }
  }
  return success();
}

double accel::largestOf(Type element) {
  return isa<Float8E5M2Type>(element) ? 57344 : 448;
}

bool accel::isConstant(Value value, double number) {
  DenseElementsAttr numbers;
  return matchPattern(value, m_Constant(&numbers)) && numbers.isSplat() &&
         numbers.getSplatValue<APFloat>().convertToFloat() ==
             static_cast<float>(number);
}

/// What `value` divides `dividend` by; null if it does not.
static Value findDivisor(Value value, double dividend) {
  auto quotient = value.getDefiningOp<DivOp>();
  return quotient && isConstant(quotient.getLhs(), dividend)
             ? Value(quotient.getRhs())
             : Value();
}

/// Whether `amax` is the largest magnitude in `tensor`.
static bool isAmaxOf(Value amax, Value tensor) {
  while (amax && amax.getDefiningOp<ReduceMaxOp>()) {
    amax = amax.getDefiningOp()->getOperand(0);
  }
  auto magnitude = amax ? amax.getDefiningOp<AbsOp>() : AbsOp();
  return magnitude && magnitude.getOperand() == tensor;
}

/// Whether `scale` is the largest number of `element` over the largest
/// magnitude in `tensor`, or over a number that keeps it finite.
static bool isScaleOf(Value scale, Value tensor, Type element) {
  Value divisor = findDivisor(scale, largestOf(element));
  auto least = divisor ? divisor.getDefiningOp<MaxOp>() : MaxOp();
  return isAmaxOf(least ? Value(least.getLhs()) : Value(), tensor);
}

/// Which element of `state` the scalar `value` is; none if it is of another
/// one.
static std::optional<int64_t> findElement(Value value, StringRef state) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto slice =
      reshape ? reshape.getOperand().getDefiningOp<SliceOp>() : SliceOp();
  auto read = slice ? slice.getOperand().getDefiningOp<ReadOp>() : ReadOp();
  return read && read.getSymbol() == state
             ? std::optional<int64_t>(slice.getOffsets().front())
             : std::nullopt;
}

Fp8ScaleCheck::Fp8ScaleCheck(func::FuncOp microbatch, DictionaryAttr fp8) {
  auto recipe = fp8.getAs<StringAttr>("recipe");
  isDelayed = recipe && recipe.getValue() == "delayed";
  auto number = fp8.getAs<IntegerAttr>("margin");
  margin = number ? static_cast<int>(number.getInt()) : 0;
  if (isDelayed) {
    findDelayed(microbatch);
  }
}

void Fp8ScaleCheck::findDelayed(func::FuncOp microbatch) {
  auto module = microbatch->getParentOfType<ModuleOp>();
  auto scales = module.lookupSymbol<StateOp>("delayed_scale");
  if (auto numbers = scales ? scales->getAttrOfType<DenseElementsAttr>(
                                  "accel.delayed_largest")
                            : DenseElementsAttr()) {
    llvm::append_range(largest, numbers.getValues<float>());
  }
  Value found;
  for (WriteOp write : microbatch.getBody().front().getOps<WriteOp>()) {
    auto raised = write.getValue().getDefiningOp<MaxOp>();
    auto before = raised ? raised.getLhs().getDefiningOp<ReadOp>() : ReadOp();
    if (before && write.getSymbol() == "delayed_amax" &&
        before.getSymbol() == write.getSymbol()) {
      found = raised.getRhs();
    }
  }
  if (auto all = found ? found.getDefiningOp<ConcatOp>() : ConcatOp()) {
    llvm::append_range(amaxes, all.getOperands());
  } else if (found) {
    amaxes.push_back(found);
  }
}

/// Whether the update makes scale `index` for the largest number of `element`,
/// but for the margin.
bool Fp8ScaleCheck::isMadeFor(size_t index, Type element) const {
  return index < largest.size() &&
         largest[index] == std::ldexp(largestOf(element), -margin);
}

bool Fp8ScaleCheck::undoesScale(Value inverse, Value operand) const {
  Operation *rounded = findStored(operand);
  if (auto narrow = dyn_cast_or_null<CastOp>(rounded)) {
    auto scaled = narrow.getOperand().getDefiningOp<MulOp>();
    Value used = scaled ? findRepeated(scaled.getRhs()) : Value();
    if (isDelayed) {
      return used && undoesDelayed(inverse, used, narrow);
    }
    Value scale = findDivisor(inverse, 1);
    return used && used == scale &&
           isScaleOf(scale, scaled.getLhs(), narrow.getType().getElementType());
  }
  auto read = dyn_cast_or_null<ReadOp>(rounded);
  auto parameter = read ? SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
                              read, read.getSymbolAttr())
                        : ParameterOp();
  std::optional<int64_t> index = findElement(inverse, "weight_inverse");
  return parameter && parameter.getScale() && index &&
         *index == static_cast<int64_t>(*parameter.getScale());
}

/// Whether `scale` and `inverse` are those of the tensor that became `rounded`,
/// and the next ones are made of its largest magnitude.
bool Fp8ScaleCheck::undoesDelayed(Value inverse, Value scale,
                                  CastOp rounded) const {
  std::optional<int64_t> index = findElement(scale, "delayed_scale");
  if (!index || findElement(inverse, "delayed_inverse") != index ||
      !isMadeFor(*index, rounded.getType().getElementType()) ||
      static_cast<size_t>(*index) >= amaxes.size()) {
    return false;
  }
  auto amax = amaxes[*index].getDefiningOp<ReshapeOp>();
  return amax && isAmaxOf(amax.getOperand(),
                          rounded.getOperand().getDefiningOp<MulOp>().getLhs());
}
