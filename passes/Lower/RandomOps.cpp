// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that dropout and random_normal make of Philox words.
#include "passes/Lower/RandomOps.h"

#include "passes/Lower/ElementOps.h"
#include "passes/Lower/Routine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

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
  Value site = emitNumber(builder, loc, builder.getI32Type(),
                          static_cast<int32_t>(number));
  if (!siteOffset) {
    return site;
  }
  Value offset = emitter.scalarAt(siteOffset, emitter.number(0));
  if (!offset) {
    return {};
  }
  return arith::AddIOp::create(
      builder, loc, site,
      arith::TruncIOp::create(builder, loc, builder.getI32Type(), offset));
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
  Type i32 = builder.getI32Type();
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  sampleLow = arith::TruncIOp::create(builder, loc, i32, sample);
  sampleHigh = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, sample, half));
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
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  seedLane = arith::XOrIOp::create(
      builder, loc, seed, arith::ShRUIOp::create(builder, loc, seed, half));
  siteLane = arith::ExtUIOp::create(builder, loc, i64, site);
  first = position;
  // As wide as the doubles that become of it.
  placeType = i64;
  routineLanes = emitter.getRoutineLanes();
  valid = true;
}

/// `value >> bits` and `value & (2^bits - 1)`.
static std::pair<Value, Value> splitAt(OpBuilder &builder, Location loc,
                                       Value value, int64_t bits) {
  Type type = value.getType();
  return {arith::ShRUIOp::create(builder, loc, value,
                                 emitNumber(builder, loc, type, bits)),
          arith::AndIOp::create(
              builder, loc, value,
              emitNumber(builder, loc, type, (int64_t(1) << bits) - 1))};
}

std::array<Value, 4> RandomElement::buildBlock(OpBuilder &builder,
                                               Value block) const {
  Type i32 = builder.getI32Type();
  Value low = block;
  Value high = emitNumber(builder, loc, i32, 0);
  if (block.getType() != i32) {
    low = arith::TruncIOp::create(builder, loc, i32, block);
    high = arith::TruncIOp::create(builder, loc, i32,
                                   splitAt(builder, loc, block, 32).first);
  }
  return emitPhiloxBlock(builder, loc, keys,
                         {low, high, sampleLow, sampleHigh});
}

static Value isNumber(OpBuilder &builder, Location loc, Value value,
                      int64_t number) {
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, value,
      emitNumber(builder, loc, value.getType(), number));
}

Value RandomElement::buildDropout(OpBuilder &builder, Value place,
                                  Value operand, bool startsBlock) const {
  double probability = cast<DropoutOp>(op).getProbability().convertToDouble();
  std::optional<uint32_t> threshold = getLeastKeptWord(probability);
  Value zero = emitNumber(builder, loc, operand.getType(), 0.0);
  if (!threshold) {
    return zero;
  }
  auto [block, which] = splitAt(builder, loc, place, 2);
  if (startsBlock) {
    block.getDefiningOp()->setAttr(kQuarterAttr, builder.getUnitAttr());
  }
  std::array<Value, 4> words = buildBlock(builder, block);
  Value word = words[3];
  for (int64_t i = 2; i >= 0; --i) {
    word = arith::SelectOp::create(
        builder, loc, isNumber(builder, loc, which, i), words[i], word);
  }
  Value least = emitNumber(builder, loc, builder.getI32Type(),
                           static_cast<int32_t>(*threshold));
  Value keep = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                     word, least);
  Value scale =
      emitNumber(builder, loc, operand.getType(), 1.0 / (1.0 - probability));
  return arith::SelectOp::create(
      builder, loc, keep, arith::MulFOp::create(builder, loc, operand, scale),
      zero);
}

//===----------------------------------------------------------------------===//
// Normal numbers
//===----------------------------------------------------------------------===//

/// The standard normal number at `place`, an i64 or lanes of them, as the two
/// lanes of the key are. In double: it is done once per run, and a
/// single-precision logarithm near 1 would leave few good digits.
static Value emitStandardNormal(OpBuilder &builder, Location loc, Value place,
                                Value seed, Value site) {
  Type f64 = builder.getF64Type();
  auto lanes = dyn_cast<VectorType>(place.getType());
  Type type = lanes ? Type(lanes.clone(f64)) : f64;
  auto number = [&](double value) {
    return emitNumber(builder, loc, type, value);
  };
  auto times = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(builder, loc, a, b);
  };
  auto [block, which] = splitAt(builder, loc, place, 1);
  Value none = emitNumber(builder, loc, place.getType(), 0);
  std::array<Value, 4> words = emitPhiloxLanes(
      builder, loc, seed, site,
      {block, splitAt(builder, loc, block, 32).first, none, none});
  Value isFirst = isNumber(builder, loc, which, 0);
  auto uniform = [&](Value one, Value other) -> Value {
    Value word = arith::SelectOp::create(builder, loc, isFirst, one, other);
    return arith::UIToFPOp::create(builder, loc, type, word);
  };
  Value one = arith::AddFOp::create(builder, loc, uniform(words[0], words[2]),
                                    number(1.0));
  Value u1 = times(one, number(std::ldexp(1.0, -32)));
  Value angle = times(uniform(words[1], words[3]),
                      number(std::ldexp(2.0 * std::numbers::pi, -32)));
  Value radius = math::SqrtOp::create(
      builder, loc, times(number(-2.0), math::LogOp::create(builder, loc, u1)));
  return times(radius, math::CosOp::create(builder, loc, angle));
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
  Value deviation =
      emitNumber(builder, loc, f64, normal.getDeviation().convertToDouble());
  Value mean =
      emitNumber(builder, loc, f64, normal.getMean().convertToDouble());
  Value scaled = arith::MulFOp::create(builder, loc, z, deviation);
  return emitCast(builder, loc,
                  arith::AddFOp::create(builder, loc, scaled, mean),
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
