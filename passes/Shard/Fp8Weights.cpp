// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A granule of a segment lies in one parameter, and in one square of it if it
// is cut into those. A rank finds the maxima of its granules, those of the
// others are zero for it; scales are repeated for each granule, of which a rank
// takes its own.
#include "passes/Shard/Fp8Weights.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/StateMemory.h"

#include "mlir/IR/SymbolTable.h"

#include <numeric>

using namespace mlir;
using namespace accel;

namespace {

/// The scales of a parameter whose granules are a vector: one of all of them.
class ParameterScales {
public:
  ParameterScales(ArithmeticBuilder &b, ParameterOp parameter)
      : b(b), type(cast<RankedTensorType>(parameter.getType())),
        first(static_cast<int64_t>(*parameter.getScale())) {}
  virtual ~ParameterScales() = default;

  virtual int64_t count() const { return 1; }
  /// The largest magnitude that each scale is made for. `granules`: those of
  /// the parameter and of what is left free behind it, which are zero.
  virtual Value buildMaxima(Value granules) const {
    return b.reshape(b.create<ReduceMaxOp>(granules, ArrayRef<int64_t>{0}),
                     {1});
  }
  /// What each of so many granules is multiplied by. `scales`: all there are.
  virtual Value buildFactors(Value scales, int64_t granules) const {
    auto vector = cast<RankedTensorType>(scales.getType()).clone({granules});
    return b.repeat(buildElement(b, scales, first), vector);
  }

protected:
  ArithmeticBuilder &b;
  RankedTensorType type; ///< of the parameter
  int64_t first;         ///< of its scales
};

/// One of each square of so many rows and columns. Granules do not cross them.
class SquareScales final : public ParameterScales {
public:
  SquareScales(ArithmeticBuilder &b, ParameterOp parameter, int64_t size,
               int64_t granule)
      : ParameterScales(b, parameter), size(size), inRow(size / granule),
        perRow(type.getDimSize(1) / granule) {}

  int64_t count() const override { return countSquares(type, size); }

  /// A square becomes a row. Zeros behind the last granule change no maximum.
  Value buildMaxima(Value granules) const override {
    int64_t height = type.getDimSize(0);
    Value own =
        b.reshape(buildPart(b, granules, 0, height * perRow), {height, perRow});
    Value padded = buildPadded(b, own, size, inRow);
    ArrayRef<int64_t> shape = shapeOf(padded);
    Value squares = b.create<TransposeOp>(
        b.reshape(padded, {shape[0] / size, size, shape[1] / inRow, inRow}),
        ArrayRef<int64_t>{0, 2, 1, 3});
    return b.create<ReduceMaxOp>(b.reshape(squares, {count(), size * inRow}),
                                 ArrayRef<int64_t>{1});
  }

  Value buildFactors(Value scales, int64_t granules) const override {
    int64_t height = type.getDimSize(0);
    int64_t used = height * perRow;
    Value repeated = buildRepeated(b, buildPart(b, scales, first, count()),
                                   size, inRow, {height, perRow});
    repeated = b.reshape(repeated, {used});
    if (used == granules) {
      return repeated;
    }
    auto vector = cast<RankedTensorType>(scales.getType());
    return b.concat({repeated, b.constant(vector.clone({granules - used}), 1)});
  }

private:
  int64_t size;
  int64_t inRow;  ///< granules in a row of a square
  int64_t perRow; ///< granules in a row of the parameter
};

/// A segment whose parameters are read in 8 bits.
struct Fp8Segment {
  StateOp compute;
  SmallVector<ParameterOp> parameters; ///< in the order in which they lie
  int64_t granule = kFp8Alignment;     ///< elements
  int64_t elements = 0;
  Value master; ///< null: the function leaves it as it is

  int64_t granules() const { return elements / granule; }
  /// Where the granules of parameter `i` begin. Behind the last one there is
  /// nothing else in the segment.
  int64_t getBegin(size_t i) {
    return i == parameters.size()
               ? granules()
               : static_cast<int64_t>(*parameters[i].getOffset()) / granule;
  }
};

class Fp8WeightBuilder {
public:
  Fp8WeightBuilder(ArithmeticBuilder &b, ModuleOp module, FindMaster findMaster)
      : b(b) {
    auto fp8 = module->getAttrOfType<DictionaryAttr>(kFp8Attr);
    auto size = fp8 ? fp8.getAs<IntegerAttr>("block") : IntegerAttr();
    block = size ? size.getInt() : 0;
    findSegments(module, findMaster);
  }

  void build() {
    bool isAnyWritten =
        llvm::any_of(segments, [](auto &each) { return bool(each.master); });
    if (!isAnyWritten) {
      return;
    }
    Value found = buildMaxima();
    auto type = cast<RankedTensorType>(found.getType());
    write(kWeightAmaxState, found);
    Value amaxes = b.create<ReadOp>(type, kWeightAmaxState);
    Value scales = buildScales(amaxes);
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

  void findSegments(ModuleOp module, FindMaster findMaster);
  std::unique_ptr<ParameterScales> getScales(const Fp8Segment &segment,
                                             ParameterOp parameter);
  Value buildScales(Value amaxes);
  Value buildRowMaxima(const Fp8Segment &segment);
  Value buildMaxima();
  void writeNumbers(Fp8Segment &segment, Value scales);

  ArithmeticBuilder &b;
  int64_t block; ///< rows and columns of squares; 0: parameters have one scale
  SmallVector<Fp8Segment> segments;
};

} // namespace

void Fp8WeightBuilder::findSegments(ModuleOp module, FindMaster findMaster) {
  SymbolTable symbols(module);
  for (StateOp state : module.getOps<StateOp>()) {
    if (!state.getSlot() || state.getSlot()->getRole() != SlotRole::Compute ||
        !isFp8(getElementTypeOrSelf(state.getType()))) {
      continue;
    }
    Fp8Segment segment;
    segment.compute = state;
    segment.parameters = getSegmentParameters(state);
    llvm::sort(segment.parameters, [](ParameterOp left, ParameterOp right) {
      return *left.getOffset() < *right.getOffset();
    });
    if (block > 0) {
      segment.granule = block;
      for (ParameterOp parameter : segment.parameters) {
        auto type = cast<RankedTensorType>(parameter.getType());
        segment.granule = std::gcd(segment.granule, type.getDimSize(1));
      }
    }
    segment.elements = cast<RankedTensorType>(state.getType()).getNumElements();
    segment.master = findMaster(symbols.lookup<StateOp>(state.getMasterName()));
    segments.push_back(segment);
  }
}

std::unique_ptr<ParameterScales>
Fp8WeightBuilder::getScales(const Fp8Segment &segment, ParameterOp parameter) {
  if (block > 0) {
    return std::make_unique<SquareScales>(b, parameter, block, segment.granule);
  }
  return std::make_unique<ParameterScales>(b, parameter);
}

Value Fp8WeightBuilder::buildScales(Value amaxes) {
  Type element = getElementTypeOrSelf(segments.front().compute.getType());
  if (block == 0) {
    return buildScale(b, amaxes, element);
  }
  Value inverses = buildBlockInverse(b, amaxes, element);
  return buildInverseScale(b, b.cast(inverses, elementTypeOf(amaxes)));
}

/// That of each granule.
Value Fp8WeightBuilder::buildRowMaxima(const Fp8Segment &segment) {
  Value rows =
      b.reshape(b.abs(segment.master), {segment.granules(), segment.granule});
  return b.create<ReduceMaxOp>(rows, ArrayRef<int64_t>{1});
}

/// The largest magnitudes that all scales are made for, as far as this rank
/// knows them; 0 for those of parameters that are left as they are.
Value Fp8WeightBuilder::buildMaxima() {
  auto f32 = b.getBuilder().getF32Type();
  llvm::MapVector<int64_t, Value> maxima; // by the first scale
  for (Fp8Segment &segment : segments) {
    Value rows = segment.master ? buildRowMaxima(segment) : Value();
    for (auto [i, parameter] : llvm::enumerate(segment.parameters)) {
      std::unique_ptr<ParameterScales> scales = getScales(segment, parameter);
      Value &found = maxima[static_cast<int64_t>(*parameter.getScale())];
      if (!rows) {
        found = b.constant(RankedTensorType::get({scales->count()}, f32), 0.0);
        continue;
      }
      int64_t begin = segment.getBegin(i);
      int64_t end = segment.getBegin(i + 1);
      found = scales->buildMaxima(buildPart(b, rows, begin, end - begin));
    }
  }
  auto ordered = maxima.takeVector();
  llvm::sort(ordered, llvm::less_first());
  return b.concat(llvm::map_to_vector(
      ordered, [](const auto &each) { return each.second; }));
}

void Fp8WeightBuilder::writeNumbers(Fp8Segment &segment, Value scales) {
  auto rows = RankedTensorType::get({segment.granules(), segment.granule},
                                    b.getBuilder().getF32Type());
  SmallVector<Value> factors;
  for (auto [i, parameter] : llvm::enumerate(segment.parameters)) {
    factors.push_back(getScales(segment, parameter)
                          ->buildFactors(scales, segment.getBegin(i + 1) -
                                                     segment.getBegin(i)));
  }
  Value all = b.concat(factors);
  if (block > 0 && factors.size() == 1) {
    // Nobody joins them, but a rank takes the factors of its granules from a
    // vector.
    auto stored = TransposeOp::create(b.getBuilder(), b.getLoc(), all,
                                      ArrayRef<int64_t>{0});
    stored.setStored(true);
    all = stored;
  }
  Value repeated = b.create<BroadcastOp>(rows, all, ArrayRef<int64_t>{0});
  Value scaled = b.mul(b.reshape(segment.master, rows.getShape()), repeated);
  scaled = b.reshape(scaled, {segment.elements});
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
