// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A float of bf16 is the upper half of one of f32: widening is a shift, and the
// odd element of a pair lies where a float's bits are.
#include "passes/Lower/Cpu/PackedFormat.h"

#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/SmallFloatCasts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace accel;

std::optional<PackedFormat> PackedFormat::get(Type element, bool dots,
                                              int64_t block) {
  if (element.isF32()) {
    return PackedFormat(Kind::Floats);
  }
  if (element.isF16()) {
    return PackedFormat(Kind::Halves);
  }
  if (element.isBF16()) {
    return PackedFormat(dots ? Kind::Pairs : Kind::Floats2);
  }
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) {
    return PackedFormat(dots ? Kind::Pairs : Kind::Floats2, element, block);
  }
  return std::nullopt;
}

std::string PackedFormat::getSuffix() const {
  std::string suffix = getPackedSuffix().str();
  if (bytes) {
    llvm::raw_string_ostream(suffix) << "_of_" << bytes;
  }
  if (scaled) {
    suffix += "_per_" + std::to_string(scaled);
  }
  return suffix;
}

StringRef PackedFormat::getPackedSuffix() const {
  switch (kind) {
  case Kind::Floats:
    return "";
  case Kind::Halves:
    return "_f16";
  case Kind::Floats2:
    return "_bf16";
  case Kind::Pairs:
    return "_bf16_pairs";
  }
  llvm_unreachable("all kinds are listed");
}

Value PackedFormat::packedDepth(const TileCode &t, Value depth) const {
  if (!isPaired()) {
    return depth;
  }
  Value units = t.div(t.add(depth, int64_t(1)), 2);
  return isDot() ? units : t.mul(units, 2);
}

/// The processor's instruction for pairs of bf16.
static Value emitDot(const TileCode &t, Value x, Value y, Value sum) {
  OpBuilder &builder = t.getBuilder();
  auto pairs = VectorType::get({2 * kTileLanes}, builder.getBF16Type());
  auto asPairs = [&](Value bits) -> Value {
    return vector::BitCastOp::create(builder, t.getLoc(), pairs, bits);
  };
  return LLVM::CallIntrinsicOp::create(
             builder, t.getLoc(), sum.getType(),
             builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, asPairs(x), asPairs(y)})
      .getResults();
}

Value PackedFormat::multiplyAdd(const TileCode &t, Value x, Value y,
                                Value sum) const {
  return isDot() ? emitDot(t, x, y, sum) : t.floats().fma(x, y, sum);
}

Value PackedFormat::finishSum(const TileCode &t, Value sum) const {
  if (!isPaired()) {
    return sum;
  }
  Arithmetic m = t.floats();
  Value isNan = m.compare(arith::CmpFPredicate::UNO, sum, sum);
  return m.select(isNan, m.number(std::numeric_limits<double>::quiet_NaN()),
                  sum);
}

/// Elements of bf16 as integers, or of f32 or f16 as they are. `scale`: what
/// they are multiplied by, or null.
Value OperandUnits::load(Value at, int64_t lanes, Value count,
                         Value scale) const {
  Value stored =
      count ? memory.loadSome(at, lanes, count) : memory.load(at, lanes);
  if (!format.bytes) {
    return stored;
  }
  OpBuilder &builder = t.getBuilder();
  Value wide =
      emitWidened(builder, t.getLoc(), *SmallFloat::get(format.bytes), stored);
  if (scale) {
    wide = arith::MulFOp::create(builder, t.getLoc(), wide, scale);
  }
  // The upper half of the f32: its mantissa has no bits in the lower one.
  Arithmetic bits(builder, t.getLoc(),
                  VectorType::get({lanes}, builder.getI32Type()));
  Value upper = bits.shiftRightLogical(
      arith::BitcastOp::create(builder, t.getLoc(), bits.getType(), wide), 16);
  return arith::TruncIOp::create(builder, t.getLoc(),
                                 VectorType::get({lanes}, builder.getI16Type()),
                                 upper);
}

Value OperandUnits::zero(int64_t lanes) const {
  Type element =
      format.isPaired() ? t.getBuilder().getI32Type() : memory.getElement();
  return t.zeros(VectorType::get({lanes}, element));
}

Value OperandUnits::widenScales(Value stored) const {
  OpBuilder &builder = t.getBuilder();
  return emitWidened(
      builder, t.getLoc(),
      *SmallFloat::get(Float8E8M0FNUType::get(builder.getContext())), stored);
}

Value OperandUnits::along(Value at, int64_t lanes, Value count,
                          Value scale) const {
  int64_t wanted = lanes * format.elements();
  Value factor;
  if (scale) {
    OpBuilder &builder = t.getBuilder();
    factor = vector::BroadcastOp::create(
        builder, t.getLoc(), VectorType::get({wanted}, builder.getF32Type()),
        widenScales(scales.scalar(scale)));
  }
  Value elements = load(at, wanted, count, factor);
  if (!format.isPaired()) {
    return elements;
  }
  OpBuilder &builder = t.getBuilder();
  return vector::BitCastOp::create(
      builder, t.getLoc(), VectorType::get({lanes}, builder.getI32Type()),
      elements);
}

Value OperandUnits::across(Value at, Value next, int64_t lanes, Value count,
                           Value scale) const {
  Value factors;
  if (scale) {
    factors = widenScales(count ? scales.loadSome(scale, lanes, count)
                                : scales.load(scale, lanes));
  }
  Value first = load(at, lanes, count, factors);
  if (!format.isPaired()) {
    return first;
  }
  OpBuilder &builder = t.getBuilder();
  auto type = VectorType::get({lanes}, builder.getI32Type());
  auto extend = [&](Value halves) -> Value {
    return arith::ExtUIOp::create(builder, t.getLoc(), type, halves);
  };
  if (!next) {
    return extend(first);
  }
  Arithmetic bits(builder, t.getLoc(), type);
  return bits.orBits(
      extend(first),
      bits.shiftLeft(extend(load(next, lanes, count, factors)), 16));
}

SmallVector<Value, 2> OperandUnits::pack(Value units) const {
  OpBuilder &builder = t.getBuilder();
  auto type = cast<VectorType>(units.getType());
  auto asFloats = [&](Value bits) -> Value {
    return arith::BitcastOp::create(builder, t.getLoc(),
                                    type.clone(builder.getF32Type()), bits);
  };
  switch (format.kind) {
  case PackedFormat::Kind::Floats:
    return {units};
  case PackedFormat::Kind::Halves:
    return {emitWidened(builder, t.getLoc(),
                        *SmallFloat::get(builder.getF16Type()), units)};
  case PackedFormat::Kind::Pairs:
    return {asFloats(units)};
  case PackedFormat::Kind::Floats2: {
    Arithmetic bits(builder, t.getLoc(), type);
    Value odd = bits.andBits(units, bits.integer(-0x10000));
    return {asFloats(odd), asFloats(bits.shiftLeft(units, 16))};
  }
  }
  llvm_unreachable("all kinds are listed");
}

void OperandUnits::store(Value units, const FloatMemory &target, Value at,
                         int64_t step) const {
  for (auto [i, numbers] : llvm::enumerate(pack(units))) {
    target.store(numbers, t.add(at, static_cast<int64_t>(i) * step));
  }
}

void OperandUnits::storeRow(Value units, const FloatMemory &target,
                            Value at) const {
  SmallVector<Value, 2> numbers = pack(units);
  if (numbers.size() == 1) {
    return target.store(numbers.front(), at);
  }
  int64_t lanes = cast<VectorType>(units.getType()).getNumElements();
  for (int64_t half = 0; half < 2; ++half) {
    SmallVector<int64_t> order;
    for (int64_t i = half * lanes / 2; i < (half + 1) * lanes / 2; ++i) {
      order.append({i, lanes + i});
    }
    Value neighbours = vector::ShuffleOp::create(t.getBuilder(), t.getLoc(),
                                                 numbers[0], numbers[1], order);
    target.store(neighbours, t.add(at, half * lanes));
  }
}
