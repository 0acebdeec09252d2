// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that dropout and random_normal make of Philox words.
#include "passes/Lower/RandomOps.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Conversions.h"
#include "passes/Lower/Routine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace accel;

static constexpr llvm::StringLiteral kNormalRoutine = "random.normal";

/// Places up to `count` fit into 31 bits, so that half the vector width
/// suffices.
static Type placeTypeFor(OpBuilder &builder, int64_t count) {
  return count <= std::numeric_limits<int32_t>::max() ? builder.getI32Type()
                                                      : builder.getI64Type();
}

Value accel::emitSite(ScalarEmitter &emitter, Location loc, int64_t number,
                      Value siteOffset) {
  OpBuilder &builder = emitter.getBuilder();
  Arithmetic words(builder, loc, builder.getI32Type());
  Value site = words.integer(static_cast<int32_t>(number));
  if (!siteOffset) {
    return site;
  }
  Value offset = emitter.scalarAt(siteOffset, emitter.number(0));
  if (!offset) {
    return {};
  }
  return words.add(site, words.truncate(offset));
}

RandomElement::RandomElement(ScalarEmitter &emitter, DropoutOp op,
                             AffineExpr position)
    : op(op), loc(op.getLoc()) {
  OpBuilder &builder = emitter.getBuilder();
  int64_t perSample =
      getNumElements(op.getOperand()) / getNumElements(op.getSamples());
  Value sample =
      emitter.scalarAt(op.getSamples(), position.floorDiv(perSample));
  Value seed = emitter.scalarAt(op.getSeed(), emitter.number(0));
  Value site = emitSite(emitter, loc, op.getSite(), op.getSiteOffset());
  if (!sample || !seed || !site) {
    return;
  }
  Arithmetic wide(builder, loc, builder.getI64Type());
  Arithmetic words(builder, loc, builder.getI32Type());
  sampleLow = words.truncate(sample);
  sampleHigh = words.truncate(wide.shiftRightLogical(sample, 32));
  keys = emitPhiloxKeys(builder, loc, seed, site);
  first = position % perSample;
  placeType = placeTypeFor(builder, perSample);
  valid = true;
}

RandomElement::RandomElement(ScalarEmitter &emitter, RandomNormalOp op,
                             AffineExpr position)
    : op(op), loc(op.getLoc()) {
  OpBuilder &builder = emitter.getBuilder();
  Value seed = emitter.scalarAt(op.getSeed(), emitter.number(0));
  Value site = emitSite(emitter, loc, op.getSite(), op.getSiteOffset());
  if (!seed || !site) {
    return;
  }
  Type i64 = builder.getI64Type();
  Arithmetic wide(builder, loc, i64);
  seedLane = wide.xorBits(seed, wide.shiftRightLogical(seed, 32));
  siteLane = wide.zeroExtend(site);
  first = position;
  // As wide as the doubles that become of it.
  placeType = i64;
  routineLanes = emitter.getRoutineLanes();
  valid = true;
}

/// `value >> bits` and `value & (2^bits - 1)`.
static std::pair<Value, Value> splitAt(const Arithmetic &m, Value value,
                                       int64_t bits) {
  return {m.shiftRightLogical(value, bits),
          m.andBits(value, m.integer((int64_t(1) << bits) - 1))};
}

std::array<Value, 4> RandomElement::buildBlock(OpBuilder &builder,
                                               Value block) const {
  Arithmetic words(builder, loc, builder.getI32Type());
  Value low = block;
  Value high = words.integer(0);
  if (block.getType() != words.getType()) {
    Arithmetic places(builder, loc, block.getType());
    low = words.truncate(block);
    high = words.truncate(places.shiftRightLogical(block, 32));
  }
  return emitPhiloxBlock(builder, loc, keys,
                         {low, high, sampleLow, sampleHigh});
}

/// Word number `which` of four.
static Value selectWord(const Arithmetic &m, const Arithmetic &places,
                        Value which, const std::array<Value, 4> &words) {
  Value word = words[3];
  for (int64_t i = 2; i >= 0; --i) {
    Value isWord = places.isEqual(which, places.integer(i));
    word = m.select(isWord, words[i], word);
  }
  return word;
}

/// 2 u, of 24 bits: all that a float holds.
static Value emitUniformFactor(OpBuilder &builder, Location loc,
                               const Arithmetic &places, Value which,
                               const std::array<Value, 4> &words) {
  Arithmetic numbers(builder, loc, builder.getI32Type());
  Arithmetic m(builder, loc, builder.getF32Type());
  Value bits =
      numbers.shiftRightLogical(selectWord(m, places, which, words), 8);
  return m.mul(m.fromUnsigned(bits), m.number(std::ldexp(1.0, -23)));
}

/// 1 + z: a pair of words makes two numbers, by cosine and sine.
static Value emitNormalFactor(OpBuilder &builder, Location loc,
                              const Arithmetic &places, Value which,
                              const std::array<Value, 4> &words) {
  Arithmetic m(builder, loc, builder.getF32Type());
  auto [pair, isSine] = splitAt(places, which, 1);
  Value isFirst = places.isZero(pair);
  Value one = m.select(isFirst, words[0], words[2]);
  Value other = m.select(isFirst, words[1], words[3]);
  Value u1 = m.mul(m.add(m.fromUnsigned(one), m.number(1.0)),
                   m.number(std::ldexp(1.0, -32)));
  Value angle = m.mul(m.fromUnsigned(other),
                      m.number(std::ldexp(2.0 * std::numbers::pi, -32)));
  Value radius = m.sqrt(m.mul(m.number(-2.0), m.log(u1)));
  Value wave = m.select(places.isZero(isSine), m.cos(angle), m.sin(angle));
  return m.add(m.mul(radius, wave), m.number(1.0));
}

Value RandomElement::buildDropout(OpBuilder &builder, Value place,
                                  Value operand, bool startsBlock) const {
  auto dropout = cast<DropoutOp>(op);
  double probability = dropout.getProbability().convertToDouble();
  std::optional<uint32_t> threshold = getLeastKeptWord(probability);
  Arithmetic m(builder, loc, operand.getType());
  Value zero = m.number(0.0);
  if (!threshold) {
    return zero;
  }
  Arithmetic places(builder, loc, place.getType());
  auto [block, which] = splitAt(places, place, 2);
  if (startsBlock) {
    block.getDefiningOp()->setAttr(kQuarterAttr, builder.getUnitAttr());
  }
  std::array<Value, 4> words = buildBlock(builder, block);
  if (dropout.getFactor()) {
    Value factor = *dropout.getFactor() == RandomFactor::Uniform
                       ? emitUniformFactor(builder, loc, places, which, words)
                       : emitNormalFactor(builder, loc, places, which, words);
    return m.mul(operand, emitCast(builder, loc, factor, operand.getType()));
  }
  Value word = selectWord(m, places, which, words);
  Arithmetic numbers(builder, loc, builder.getI32Type());
  Value least = numbers.integer(static_cast<int32_t>(*threshold));
  Value keep = numbers.compare(arith::CmpIPredicate::uge, word, least);
  Value scale = m.number(1.0 / (1.0 - probability));
  return m.select(keep, m.mul(operand, scale), zero);
}

//===----------------------------------------------------------------------===//
// Normal numbers
//===----------------------------------------------------------------------===//

/// The standard normal number at `place`, an i64 or lanes of them, as the two
/// lanes of the key are. In double: it is done once per run, and a
/// single-precision logarithm near 1 would leave few good digits.
static Value emitStandardNormal(OpBuilder &builder, Location loc, Value place,
                                Value seed, Value site) {
  Arithmetic places(builder, loc, place.getType());
  Arithmetic m = places.of(builder.getF64Type());
  auto [block, which] = splitAt(places, place, 1);
  Value none = places.integer(0);
  std::array<Value, 4> words =
      emitPhiloxLanes(builder, loc, seed, site,
                      {block, places.shiftRightLogical(block, 32), none, none});
  Value isFirst = places.isZero(which);
  auto uniform = [&](Value one, Value other) {
    return m.fromUnsigned(m.select(isFirst, one, other));
  };
  Value one = m.add(uniform(words[0], words[2]), m.number(1.0));
  Value u1 = m.mul(one, m.number(std::ldexp(1.0, -32)));
  Value angle = m.mul(uniform(words[1], words[3]),
                      m.number(std::ldexp(2.0 * std::numbers::pi, -32)));
  Value radius = m.sqrt(m.mul(m.number(-2.0), m.log(u1)));
  return m.mul(radius, m.cos(angle));
}

namespace {

struct NormalArguments {
  Value place, seed, site;
  auto fields() { return std::tie(place, seed, site); }
};

} // namespace

/// Adds a function of place, seed and site to a module, or its form for vectors
/// of `lanes`, unless it is there.
static void addNormalRoutine(ModuleOp module, Location loc, int64_t lanes) {
  OpBuilder builder(module.getContext());
  auto typeOf = [&](Type element) -> Type {
    return lanes == 0 ? element : VectorType::get({lanes}, element);
  };
  SmallVector<Type> operands(3, typeOf(builder.getI64Type()));
  getRoutine(module, loc, getRoutineFor(kNormalRoutine, lanes),
             builder.getFunctionType(operands, typeOf(builder.getF64Type())),
             [&](OpBuilder &body, ValueRange of) -> SmallVector<Value> {
               auto a = getArguments<NormalArguments>(of);
               return {emitStandardNormal(body, loc, a.place, a.seed, a.site)};
             });
}

/// One routine serves all tensors: it is a hundred times as long as its call.
Value RandomElement::buildNormal(OpBuilder &builder, Value place) const {
  auto normal = cast<RandomNormalOp>(op);
  auto module = op->getParentOfType<ModuleOp>();
  addNormalRoutine(module, loc, /*lanes=*/0);
  for (int64_t lanes : routineLanes) {
    addNormalRoutine(module, loc, lanes);
  }
  Type f64 = builder.getF64Type();
  Value z = func::CallOp::create(
                builder, loc, kNormalRoutine, f64,
                getOperands(NormalArguments{place, seedLane, siteLane}))
                .getResult(0);
  Arithmetic m(builder, loc, f64);
  Value deviation = m.number(normal.getDeviation().convertToDouble());
  Value mean = m.number(normal.getMean().convertToDouble());
  return emitCast(builder, loc, m.add(m.mul(z, deviation), mean),
                  normal.getType().getElementType());
}

Value RandomElement::build(OpBuilder &builder, Value place, Value operand,
                           bool startsBlock) const {
  return isa<DropoutOp>(op) ? buildDropout(builder, place, operand, startsBlock)
                            : buildNormal(builder, place);
}

template <typename OpTy>
static Value emitScalar(ScalarEmitter &emitter, OpTy op, AffineExpr position,
                        Value operand) {
  RandomElement element(emitter, op, position);
  if (!element.isValid()) {
    return {};
  }
  OpBuilder &builder = emitter.getBuilder();
  Value place =
      arith::IndexCastOp::create(builder, op.getLoc(), element.getPlaceType(),
                                 emitter.materialize(element.getFirst()));
  return element.build(builder, place, operand, /*startsBlock=*/false);
}

Value accel::emitRandomScalar(ScalarEmitter &emitter, DropoutOp op,
                              AffineExpr position) {
  Value operand = emitter.scalarAt(op.getOperand(), position);
  return operand ? emitScalar(emitter, op, position, operand) : Value();
}

Value accel::emitRandomScalar(ScalarEmitter &emitter, RandomNormalOp op,
                              AffineExpr position) {
  return emitScalar(emitter, op, position, Value());
}
