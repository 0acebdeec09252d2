// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A granule of a segment lies in one parameter. A rank finds the maxima of its
// granules, those of the others are zero for it; scales are repeated for each
// granule, of which a rank takes its own.
#include "passes/Shard/Fp8Weights.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "passes/Analysis/StateMemory.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace accel;

namespace {

/// A segment whose parameters are read in 8 bits.
struct Fp8Segment {
  StateOp compute;
  SmallVector<ParameterOp> parameters; ///< in the order in which they lie
  int64_t granules = 0;
  Value master; ///< null: the function leaves it as it is

  /// Where the granules of parameter `i` begin. Behind the last one there is
  /// nothing else in the segment.
  int64_t getBegin(size_t i) {
    return i == parameters.size()
               ? granules
               : static_cast<int64_t>(*parameters[i].getOffset()) /
                     kFp8Alignment;
  }
};

class Fp8WeightBuilder {
public:
  Fp8WeightBuilder(ArithmeticBuilder &b, ModuleOp module, FindMaster findMaster)
      : b(b) {
    findSegments(module, findMaster);
  }

  void build() {
    bool isAnyWritten =
        llvm::any_of(segments, [](auto &each) { return bool(each.master); });
    if (!isAnyWritten) {
      return;
    }
    auto type = RankedTensorType::get({count}, b.getBuilder().getF32Type());
    write(kWeightAmaxState, buildMaxima());
    Value amaxes = b.create<ReadOp>(type, kWeightAmaxState);
    Value scales = buildScale(
        b, amaxes, getElementTypeOrSelf(segments.front().compute.getType()));
    // What is left as it is, or zero, keeps its scale; so does what is no
    // number.
    Value isKnown = b.compare(ComparePredicate::GT, amaxes, 0.0);
    Value old = b.create<ReadOp>(type, kWeightScaleState);
    scales = b.select(isKnown, scales, old);
    write(kWeightScaleState, scales);
    write(kWeightInverseState, buildInverseScale(b, scales));
    for (Fp8Segment &segment : segments) {
      if (segment.master) {
        writeNumbers(segment, scales);
      }
    }
  }

private:
  void write(StringRef symbol, Value value) {
    WriteOp::create(b.getBuilder(), b.getLoc(), symbol, value);
  }

  /// `values[begin], ..., values[end - 1]` of a vector.
  Value slice(Value values, int64_t begin, int64_t end) {
    auto type = cast<RankedTensorType>(values.getType()).clone({end - begin});
    return b.create<SliceOp>(type, values, ArrayRef<int64_t>{begin},
                             ArrayRef<int64_t>{1});
  }

  void findSegments(ModuleOp module, FindMaster findMaster);
  Value buildRowMaxima(const Fp8Segment &segment);
  Value buildMaxima();
  void writeNumbers(Fp8Segment &segment, Value scales);

  ArithmeticBuilder &b;
  SmallVector<Fp8Segment> segments;
  int64_t count = 0; ///< of parameters
};

} // namespace

void Fp8WeightBuilder::findSegments(ModuleOp module, FindMaster findMaster) {
  SymbolTable symbols(module);
  for (StateOp state : module.getOps<StateOp>()) {
    if (!state.getSlot() || state.getSlot()->getRole() != SlotRole::Compute ||
        !isFp8(getElementTypeOrSelf(state.getType()))) {
      continue;
    }
    Fp8Segment segment{state, getSegmentParameters(state), 0, Value()};
    llvm::sort(segment.parameters, [](ParameterOp left, ParameterOp right) {
      return *left.getOffset() < *right.getOffset();
    });
    segment.granules =
        cast<RankedTensorType>(state.getType()).getNumElements() /
        kFp8Alignment;
    segment.master = findMaster(symbols.lookup<StateOp>(state.getMasterName()));
    count += static_cast<int64_t>(segment.parameters.size());
    segments.push_back(segment);
  }
}

/// That of each granule.
Value Fp8WeightBuilder::buildRowMaxima(const Fp8Segment &segment) {
  Value rows =
      b.reshape(b.abs(segment.master), {segment.granules, kFp8Alignment});
  return b.create<ReduceMaxOp>(rows, ArrayRef<int64_t>{1});
}

/// The largest magnitudes of all parameters, as far as this rank knows them; 0
/// for those that are left as they are.
Value Fp8WeightBuilder::buildMaxima() {
  auto one = RankedTensorType::get({1}, b.getBuilder().getF32Type());
  SmallVector<Value> maxima(count, Value());
  for (Fp8Segment &segment : segments) {
    Value rows = segment.master ? buildRowMaxima(segment) : Value();
    for (auto [i, parameter] : llvm::enumerate(segment.parameters)) {
      Value &amax = maxima[*parameter.getScale()];
      if (!rows) {
        amax = b.constant(one, 0.0);
        continue;
      }
      Value own = slice(rows, segment.getBegin(i), segment.getBegin(i + 1));
      amax = b.reshape(b.create<ReduceMaxOp>(own, ArrayRef<int64_t>{0}), {1});
    }
  }
  return b.concat(maxima);
}

void Fp8WeightBuilder::writeNumbers(Fp8Segment &segment, Value scales) {
  auto rows = RankedTensorType::get({segment.granules, kFp8Alignment},
                                    b.getBuilder().getF32Type());
  SmallVector<Value> repeated;
  for (auto [i, parameter] : llvm::enumerate(segment.parameters)) {
    auto index = static_cast<int64_t>(*parameter.getScale());
    int64_t granules = segment.getBegin(i + 1) - segment.getBegin(i);
    Value scale = buildElement(b, scales, index);
    repeated.push_back(b.repeat(scale, rows.clone({granules})));
  }
  Value factors =
      b.create<BroadcastOp>(rows, b.concat(repeated), ArrayRef<int64_t>{0});
  Value scaled = b.mul(b.reshape(segment.master, rows.getShape()), factors);
  scaled = b.reshape(scaled, {segment.granules * kFp8Alignment});
  write(segment.compute.getSymName(),
        b.cast(scaled, getElementTypeOrSelf(segment.compute.getType())));
}

void accel::buildFp8Weights(ArithmeticBuilder &b, ModuleOp module,
                            FindMaster findMaster) {
  Fp8WeightBuilder(b, module, findMaster).build();
}

void accel::declareFp8Amax(ModuleOp module, Operation *before) {
  if (auto scales = module.lookupSymbol<StateOp>(kWeightScaleState)) {
    OpBuilder builder(before);
    StateOp::create(builder, scales.getLoc(), kWeightAmaxState,
                    scales.getType(), StateKind::PartialMax);
  }
}
