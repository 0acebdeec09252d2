// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed element by element of parts of longer rows, and padded to
// rows of that length again, is computed of the longer rows.
#include "dialects/Accel/IR/AccelInterfaces.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace accel {
#define GEN_PASS_DEF_HOISTPADSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// Whether `first` and `strides` name a beginning, without gaps.
static bool isBeginning(ArrayRef<int64_t> first, ArrayRef<int64_t> strides) {
  return llvm::all_of(first, [](int64_t i) { return i == 0; }) &&
         llvm::all_of(strides, [](int64_t i) { return i == 1; });
}

/// Whether few enough zeros are behind what `pad` reads that to compute
/// something in their place costs next to nothing.
static bool isShort(PadOp pad) {
  int64_t elements = getNumElements(pad.getOperand());
  return getNumElements(pad.getResult()) - elements <= elements / 8;
}

/// `value` in a tensor of shape `wide`, with anything behind its elements; null
/// if that takes more than a view or a source.
static Value widen(ArithmeticBuilder &b, Value value, ArrayRef<int64_t> wide) {
  auto type = cast<RankedTensorType>(value.getType()).clone(wide);
  return TypeSwitch<Operation *, Value>(value.getDefiningOp())
      .Case([&](SliceOp slice) {
        bool isPart = isBeginning(slice.getOffsets(), slice.getStrides()) &&
                      shapeOf(slice.getOperand()) == wide;
        return isPart ? slice.getOperand() : Value();
      })
      .Case([&](BroadcastOp repeat) {
        ArrayRef<int64_t> dimensions = repeat.getDimensions();
        for (auto [size, to] :
             llvm::zip_equal(shapeOf(repeat.getOperand()), dimensions)) {
          if (size != 1 && size != wide[to]) {
            return Value();
          }
        }
        return b.create<BroadcastOp>(type, repeat.getOperand(), dimensions);
      })
      .Case([&](IotaOp iota) {
        return b.create<IotaOp>(type, iota.getDimensionAttr());
      })
      .Case([&](ConstantOp constant) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        return splat ? b.create<ConstantOp>(splat.resizeSplat(type)) : Value();
      })
      .Default(Value());
}

/// What makes `value`, element by element, of tensors of the same shape.
static SetVector<Operation *> findElementwise(Value value) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [](Operation *op) {
    auto fusable = dyn_cast<FusionOpInterface>(op);
    return fusable && fusable.getFusionKind() == FusionKind::Elementwise;
  };
  SetVector<Operation *> found;
  (void)getBackwardSlice(value, &found, options);
  return found;
}

/// Maps what the operations `narrow` read to the same in tensors of shape
/// `wide`.
static LogicalResult widenOperands(ArithmeticBuilder &b,
                                   const SetVector<Operation *> &narrow,
                                   ArrayRef<int64_t> wide, IRMapping &mapping) {
  for (Operation *op : narrow) {
    for (Value operand : op->getOperands()) {
      if (narrow.contains(operand.getDefiningOp()) ||
          mapping.contains(operand)) {
        continue;
      }
      Value wider = operand.getDefiningOp() ? widen(b, operand, wide) : Value();
      if (!wider) {
        return failure();
      }
      mapping.map(operand, wider);
    }
  }
  return success();
}

/// `value` where `like` has elements, zeros behind them.
static Value clear(ArithmeticBuilder &b, Value value, ArrayRef<int64_t> like) {
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [dimension, size] : llvm::enumerate(like)) {
    if (size != type.getDimSize(dimension)) {
      auto indices = type.clone(b.getBuilder().getI64Type());
      Value index = b.create<IotaOp>(
          indices, b.getBuilder().getI64IntegerAttr(dimension));
      value = b.keepWhere(
          b.compare(ComparePredicate::LT, index, static_cast<double>(size)),
          value);
    }
  }
  return value;
}

static void hoist(PadOp pad) {
  if (!isBeginning(pad.getLow(), pad.getStrides()) || !isShort(pad) ||
      !pad.getOperand().hasOneUse()) {
    return;
  }
  // Zeros are chosen before they are rounded, as code has no other numbers of
  // 16 bits than rounded ones.
  auto rounding = pad.getOperand().getDefiningOp<CastOp>();
  Value last = rounding ? rounding.getOperand() : pad.getOperand();
  SetVector<Operation *> narrow = findElementwise(last);
  ArrayRef<int64_t> wide = shapeOf(pad.getResult());
  OpBuilder builder(pad);
  ArithmeticBuilder b(builder, pad.getLoc());
  IRMapping mapping;
  if (narrow.empty() || failed(widenOperands(b, narrow, wide, mapping))) {
    return;
  }
  for (Operation *op : narrow) {
    Operation *wider = builder.clone(*op, mapping);
    for (Value result : wider->getResults()) {
      result.setType(cast<RankedTensorType>(result.getType()).clone(wide));
    }
  }
  Value cleared = clear(b, mapping.lookup(last), shapeOf(last));
  pad.replaceAllUsesWith(b.cast(cleared, elementTypeOf(pad.getResult())));
}

namespace {

class HoistPadsPass : public accel::impl::HoistPadsPassBase<HoistPadsPass> {
public:
  using HoistPadsPassBase::HoistPadsPassBase;

  void runOnOperation() override { getOperation().walk(hoist); }
};

} // namespace
