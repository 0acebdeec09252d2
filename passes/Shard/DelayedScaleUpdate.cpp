// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A history is a ring: the column of the oldest step becomes that of this one,
// which moves nothing else. A maximum does not ask for an order.
#include "passes/Shard/DelayedScaleUpdate.h"

#include "dialects/Accel/IR/Fp8Scale.h"

#include <limits>

using namespace mlir;
using namespace accel;

namespace {

class DelayedScaleBuilder {
public:
  DelayedScaleBuilder(UpdateBuilder &b, ModuleOp module, StateOp scales)
      : b(b), module(module), scales(scales) {}

  void build() {
    Value amax = read(scales.getType(), kDelayedAmaxState);
    if (auto history = module.lookupSymbol<StateOp>(kDelayedHistoryState)) {
      amax = buildLargest(history, amax);
    }
    Value old = read(scales.getType(), kDelayedScaleState);
    Value next = b.write(kDelayedScaleState, buildNext(amax, old), old);
    // Where the scale stays, so does this.
    WriteOp::create(b.getBuilder(), b.getLoc(), kDelayedInverseState,
                    buildInverseScale(b, next));
  }

private:
  Value read(Type type, StringRef name) { return b.create<ReadOp>(type, name); }

  /// Comparisons with NaN are false. A scale whose inverse were infinite would
  /// make NaN of zeros.
  Value buildNext(Value amax, Value old) {
    Value largest = b.create<ConstantOp>(
        scales.getType(),
        scales->getAttrOfType<DenseElementsAttr>(kDelayedLargestAttr));
    Value isFinite = b.compare(ComparePredicate::LE, amax,
                               double(std::numeric_limits<float>::max()));
    Value isKnown =
        b.create<AndOp>(b.compare(ComparePredicate::GT, amax, 0.0), isFinite);
    Value next = buildScale(b, amax, largest);
    next = b.max(next, b.constant(next, kLeastScale));
    return b.select(isKnown, next, old);
  }

  /// Puts `amax` into the history; the largest of each row.
  Value buildLargest(StateOp history, Value amax) {
    auto type = mlir::cast<RankedTensorType>(history.getType());
    Value column = b.read(kDelayedColumnState);
    Value isColumn = buildIsColumn(column, type);
    Value old = read(type, kDelayedHistoryState);
    Value repeated = b.create<BroadcastOp>(type, amax, ArrayRef<int64_t>{0});
    Value next =
        b.write(kDelayedHistoryState, b.select(isColumn, repeated, old), old);
    Value behind = b.add(column, b.number(1));
    Value wrapped = b.selectLess(behind, b.number(double(type.getDimSize(1))),
                                 behind, b.number(0));
    b.write(kDelayedColumnState, wrapped, column);
    return b.create<ReduceMaxOp>(next, ArrayRef<int64_t>{1});
  }

  /// Whether an element of the history is in `column`.
  Value buildIsColumn(Value column, RankedTensorType history) {
    auto type = history.clone(b.getBuilder().getI64Type());
    Value wanted = b.repeat(b.cast(column, type.getElementType()), type);
    return b.compare(ComparePredicate::EQ, b.create<IotaOp>(type, int64_t{1}),
                     wanted);
  }

  UpdateBuilder &b;
  ModuleOp module;
  StateOp scales;
};

} // namespace

void accel::buildDelayedScaleUpdate(UpdateBuilder &b, ModuleOp module) {
  if (auto scales = module.lookupSymbol<StateOp>(kDelayedScaleState)) {
    DelayedScaleBuilder(b, module, scales).build();
  }
}
