// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AdamW and SGD with momentum as PyTorch defines them, on flat segments.
#include "passes/Shard/SegmentUpdate.h"

#include "passes/Shard/BucketLayout.h"

using namespace mlir;

namespace accel {
namespace {

/// Element-wise f32 arithmetic on one segment; scalars are repeated where they
/// are used.
class SegmentBuilder {
public:
  SegmentBuilder(ScalarBuilder &scalars, const SegmentSlots &segment)
      : builder(scalars.getBuilder()), loc(scalars.getLoc()), segment(segment),
        type(RankedTensorType::get({segment.elements}, builder.getF32Type())) {}

  Value read(StringRef slot) {
    return ReadOp::create(builder, loc, type, segment.getSlot(slot));
  }
  void write(StringRef slot, Value value) {
    WriteOp::create(builder, loc, segment.getSlot(slot), value);
  }

  Value add(Value left, Value right) {
    return AddOp::create(builder, loc, left, right);
  }
  Value sub(Value left, Value right) {
    return SubOp::create(builder, loc, left, right);
  }
  Value mul(Value left, Value right) {
    return MulOp::create(builder, loc, left, right);
  }
  Value div(Value left, Value right) {
    return DivOp::create(builder, loc, left, right);
  }
  Value sqrt(Value operand) { return SqrtOp::create(builder, loc, operand); }

  /// A scalar of type f32 in every element.
  Value repeat(Value scalar) {
    return BroadcastOp::create(builder, loc, type, scalar, ArrayRef<int64_t>{});
  }

private:
  OpBuilder &builder;
  Location loc;
  const SegmentSlots &segment;
  RankedTensorType type;
};

/// An f64 scalar, rounded once to the f32 that elements are computed in.
Value roundToF32(ScalarBuilder &scalars, Value value) {
  auto type = RankedTensorType::get({}, scalars.getBuilder().getF32Type());
  return CastOp::create(scalars.getBuilder(), scalars.getLoc(), type, value);
}

/// p *= 1 - rate * decay; m += (1 - beta1) (g - m); v = beta2 v + (1 - beta2)
/// g^2; p -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
class AdamW : public SegmentOptimizer {
public:
  void buildScalars(ScalarBuilder &s, Value rate,
                    Value gradientFactor) override {
    Value one = s.number(1);
    Value first = s.read("beta1");
    Value second = s.read("beta2");
    Value correction1 = s.sub(one, advance(s, "beta1_power", first));
    Value correction2 = s.sub(one, advance(s, "beta2_power", second));
    factor = roundToF32(s, gradientFactor);
    keep = roundToF32(s, s.sub(one, s.mul(rate, s.read("weight_decay"))));
    towardsGradient = roundToF32(s, s.sub(one, first));
    beta2 = roundToF32(s, second);
    towardsSquare = roundToF32(s, s.sub(one, second));
    rootFactor = roundToF32(s, s.div(one, s.sqrt(correction2)));
    epsilon = roundToF32(s, s.read("eps"));
    stepSize = roundToF32(s, s.div(rate, correction1));
  }

  void buildUpdate(ScalarBuilder &scalars,
                   const SegmentSlots &segment) override {
    SegmentBuilder b(scalars, segment);
    Value p = b.read("master");
    Value g = b.mul(b.read("gradient"), b.repeat(factor));
    Value m = b.read("first_moment");
    Value v = b.read("second_moment");
    m = b.add(m, b.mul(b.sub(g, m), b.repeat(towardsGradient)));
    v = b.add(b.mul(v, b.repeat(beta2)),
              b.mul(b.mul(g, g), b.repeat(towardsSquare)));
    if (segment.isDecayed) {
      p = b.mul(p, b.repeat(keep));
    }
    Value denominator =
        b.add(b.mul(b.sqrt(v), b.repeat(rootFactor)), b.repeat(epsilon));
    p = b.sub(p, b.div(b.mul(m, b.repeat(stepSize)), denominator));
    b.write("first_moment", m);
    b.write("second_moment", v);
    b.write("master", p);
  }

private:
  /// Multiplies the counter `power` by `beta` and returns it.
  static Value advance(ScalarBuilder &s, StringRef power, Value beta) {
    Value next = s.mul(s.read(power), beta);
    s.write(power, next);
    return next;
  }

  Value factor, keep, towardsGradient, beta2, towardsSquare, rootFactor,
      epsilon, stepSize;
};

/// g += decay * p; m = momentum m + g; p -= rate * m
class Sgd : public SegmentOptimizer {
public:
  void buildScalars(ScalarBuilder &s, Value rate,
                    Value gradientFactor) override {
    factor = roundToF32(s, gradientFactor);
    decay = roundToF32(s, s.read("weight_decay"));
    momentum = roundToF32(s, s.read("momentum"));
    stepSize = roundToF32(s, rate);
  }

  void buildUpdate(ScalarBuilder &scalars,
                   const SegmentSlots &segment) override {
    SegmentBuilder b(scalars, segment);
    Value p = b.read("master");
    Value g = b.mul(b.read("gradient"), b.repeat(factor));
    if (segment.isDecayed) {
      g = b.add(g, b.mul(p, b.repeat(decay)));
    }
    Value m = b.add(b.mul(b.read("momentum"), b.repeat(momentum)), g);
    b.write("momentum", m);
    b.write("master", b.sub(p, b.mul(m, b.repeat(stepSize))));
  }

private:
  Value factor, decay, momentum, stepSize;
};

} // namespace

std::unique_ptr<SegmentOptimizer> createSegmentOptimizer(StringRef kind) {
  if (kind == "sgd") {
    return std::make_unique<Sgd>();
  }
  if (kind == "adamw") {
    return std::make_unique<AdamW>();
  }
  llvm::report_fatal_error("the verifier of accel.update knows all optimizers");
}

Value buildSquareSum(ScalarBuilder &scalars, const SegmentSlots &segment) {
  OpBuilder &builder = scalars.getBuilder();
  Location loc = scalars.getLoc();
  Type f32 = builder.getF32Type();
  Type f64 = builder.getF64Type();
  int64_t rows = segment.elements / kSegmentGranule;
  auto flat = RankedTensorType::get({segment.elements}, f32);
  Value gradient =
      ReadOp::create(builder, loc, flat, segment.getSlot("gradient"));
  Value squares = MulOp::create(builder, loc, gradient, gradient);
  Value matrix = ReshapeOp::create(
      builder, loc, RankedTensorType::get({rows, kSegmentGranule}, f32),
      squares);
  Value sums =
      ReduceSumOp::create(builder, loc, RankedTensorType::get({rows}, f32),
                          matrix, ArrayRef<int64_t>{1});
  Value wide =
      CastOp::create(builder, loc, RankedTensorType::get({rows}, f64), sums);
  return ReduceSumOp::create(builder, loc, RankedTensorType::get({}, f64), wide,
                             ArrayRef<int64_t>{0});
}

} // namespace accel
