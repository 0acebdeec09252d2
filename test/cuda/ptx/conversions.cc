// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt between all types, with every rounding and saturation, and the packing
// forms of the narrow floating-point types.
#include <limits>

#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/float_values.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

// `variant` of a conversion.
constexpr uint8_t kToInteger = 1;  // .rni and its like
constexpr uint8_t kRelu = 2;

// In a conversion `size` holds the source's type, `count` the result's and
// `bits` the width of the destination register.
Type From(const Instruction& i) { return static_cast<Type>(i.size); }
Type To(const Instruction& i) { return static_cast<Type>(i.count); }

int64_t LeastOf(Type type) {
  return IsSigned(type)
             ? -1 -
                   static_cast<int64_t>(LowBits(~uint64_t{0}, BitsOf(type) - 1))
             : 0;
}
uint64_t GreatestOf(Type type) {
  return LowBits(~uint64_t{0}, BitsOf(type) - (IsSigned(type) ? 1 : 0));
}

// A result wider than its type is extended by its sign.
void PutInteger(Thread& t, const Instruction& i, uint64_t value) {
  const int bits = BitsOf(To(i));
  const uint64_t low = LowBits(value, bits);
  t.registers[i.d] =
      IsSigned(To(i))
          ? LowBits(static_cast<uint64_t>(SignExtend(low, bits)), i.bits)
          : low;
}

void IntegerToInteger(Thread& t, const Instruction& i) {
  const uint64_t low = LowBits(t.registers[i.a], BitsOf(From(i)));
  const bool negative =
      IsSigned(From(i)) && SignExtend(low, BitsOf(From(i))) < 0;
  uint64_t value =
      negative ? static_cast<uint64_t>(SignExtend(low, BitsOf(From(i)))) : low;
  if (i.saturate) {
    if (negative) {
      value = static_cast<uint64_t>(
          std::max(static_cast<int64_t>(value), LeastOf(To(i))));
    } else {
      value = std::min(value, GreatestOf(To(i)));
    }
  }
  PutInteger(t, i, value);
}

// Keeps the compiler from moving a conversion out of the rounding's scope.
double NearestF64(uint64_t magnitude, bool negative, Rounding rounding) {
  const ScopedRounding scope(rounding);
  if (negative) {
    volatile auto value = static_cast<int64_t>(-magnitude);
    volatile auto result = static_cast<double>(value);
    return result;
  }
  volatile uint64_t value = magnitude;
  volatile auto result = static_cast<double>(value);
  return result;
}

void PutFloat(Thread& t, const Instruction& i, double value) {
  switch (To(i)) {
    case Type::kF64:
      t.registers[i.d] = BitsOfF64(value);
      return;
    case Type::kF32: {
      const uint32_t bits = RoundTo(kF32, value, i.rounding);
      t.registers[i.d] =
          i.flush ? BitsOfF32(FlushSubnormal(std::bit_cast<float>(bits)))
                  : bits;
      return;
    }
    default:
      t.registers[i.d] = RoundTo(FormatOf(To(i)), value, i.rounding);
  }
}

void IntegerToFloat(Thread& t, const Instruction& i) {
  const uint64_t low = LowBits(t.registers[i.a], BitsOf(From(i)));
  const int64_t extended = SignExtend(low, BitsOf(From(i)));
  const bool negative = IsSigned(From(i)) && extended < 0;
  const uint64_t magnitude = negative ? -static_cast<uint64_t>(extended) : low;
  if (To(i) == Type::kF64) {
    PutFloat(t, i, NearestF64(magnitude, negative, i.rounding));
  } else {
    PutFloat(t, i, IntegerToOdd(magnitude, negative));
  }
}

void FloatToInteger(Thread& t, const Instruction& i) {
  double value = ValueOf(t.registers[i.a], From(i));
  const int bits = BitsOf(To(i));
  if (std::isnan(value)) {
    // The PTX ISA: 0, but the highest bit where f64 or 64 bits take part.
    const bool wide = From(i) == Type::kF64 || bits == 64;
    PutInteger(t, i, wide ? uint64_t{1} << (bits - 1) : 0);
    return;
  }
  if (i.flush) {
    value = FlushSubnormal(static_cast<float>(value));
  }
  value = RoundToInteger(value, i.rounding);
  const double least = static_cast<double>(LeastOf(To(i)));
  const double above = std::ldexp(1.0, bits - (IsSigned(To(i)) ? 1 : 0));
  if (value >= above) {
    PutInteger(t, i, GreatestOf(To(i)));
  } else if (value <= least) {
    PutInteger(t, i, static_cast<uint64_t>(LeastOf(To(i))));
  } else if (value < 0) {
    PutInteger(t, i, static_cast<uint64_t>(static_cast<int64_t>(value)));
  } else {
    PutInteger(t, i, static_cast<uint64_t>(value));
  }
}

void FloatToFloat(Thread& t, const Instruction& i) {
  double value = ValueOf(t.registers[i.a], From(i));
  if (i.flush && From(i) == Type::kF32) {
    value = FlushSubnormal(static_cast<float>(value));
  }
  if ((i.variant & kToInteger) != 0) {
    value = RoundToInteger(value, i.rounding);
  }
  if (i.saturate) {
    value = SaturateToOne(value);
  }
  if ((i.variant & kRelu) != 0 && value <= 0) {
    value = 0;
  }
  PutFloat(t, i, value);
}

// The form of nearly every load of a bf16 tensor: a shift.
void Bf16ToF32(Thread& t, const Instruction& i) {
  t.registers[i.d] = (t.registers[i.a] & 0xffff) << 16;
}

uint32_t F32ToBf16(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return 0x7fff;
  }
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
void F32ToBf16Nearest(Thread& t, const Instruction& i) {
  t.registers[i.d] = F32ToBf16(Get<uint32_t>(t, i.a));
}
void F32ToBf16Pair(Thread& t, const Instruction& i) {
  t.registers[i.d] =
      F32ToBf16(Get<uint32_t>(t, i.a)) << 16 | F32ToBf16(Get<uint32_t>(t, i.b));
}

uint32_t ToNarrow(const Instruction& i, double value) {
  if ((i.variant & kRelu) != 0 && value <= 0) {
    value = 0;
  }
  return RoundTo(FormatOf(To(i)), value, i.rounding, i.saturate);
}

// The first operand becomes the upper half.
void F32ToPair(Thread& t, const Instruction& i) {
  const int width = BitsOf(To(i)) / 2;
  t.registers[i.d] = ToNarrow(i, Get<float>(t, i.a)) << width |
                     ToNarrow(i, Get<float>(t, i.b));
}
// Pairs of f16 or bf16 to pairs of fp8, and back.
void PairToPair(Thread& t, const Instruction& i) {
  const Format& from = FormatOf(From(i));
  const int width = BitsOf(From(i)) / 2;
  const uint64_t a = t.registers[i.a];
  const uint32_t low = ToNarrow(i, Widen(from, LowBits(a, width)));
  const uint32_t high = ToNarrow(i, Widen(from, LowBits(a >> width, width)));
  t.registers[i.d] = high << (BitsOf(To(i)) / 2) | low;
}

// --- decoding ---

bool IsPair(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2 ||
         type == Type::kE4m3x2 || type == Type::kE5m2x2;
}
bool IsFp8(Type type) { return type == Type::kE4m3x2 || type == Type::kE5m2x2; }

// Takes .rn or .rni and so on.
void TakeRounding(Decoder& d, bool* is_rounded, bool* to_integer) {
  *is_rounded = d.TakeRounding();
  const absl::string_view name = d.TakeOneOf({"rni", "rzi", "rmi", "rpi"});
  *to_integer = !name.empty();
  if (name == "rzi") {
    d.instruction.rounding = Rounding::kZero;
  } else if (name == "rmi") {
    d.instruction.rounding = Rounding::kDown;
  } else if (name == "rpi") {
    d.instruction.rounding = Rounding::kUp;
  }
}

void DecodePair(Decoder& d, Type to, Type from, bool is_rounded) {
  Instruction& i = d.instruction;
  const bool satfinite = d.Take("satfinite");
  i.variant = d.Take("relu") ? kRelu : 0;
  i.saturate = satfinite;
  const bool nearest = i.rounding == Rounding::kNearestEven;
  const bool zero = i.rounding == Rounding::kZero;
  if (!is_rounded || (IsFp8(to) && (!satfinite || !nearest)) ||
      !(nearest || zero)) {
    d.FailUnknown("expected .rn, and .satfinite for an 8-bit type");
  }
  i.d = d.Destination(0, BitsOf(to));
  if (from == Type::kF32) {
    d.Expect(3);
    i.a = d.Source(1, from);
    i.b = d.Source(2, from);
    const bool plain =
        to == Type::kBf16x2 && nearest && i.variant == 0 && !satfinite;
    i.execute = plain ? &F32ToBf16Pair : &F32ToPair;
    return;
  }
  d.Expect(2);
  i.a = d.Source(1, from);
  const bool down = IsFp8(to) && from == Type::kF16x2;
  const bool up = IsFp8(from) && to == Type::kF16x2 && !satfinite;
  i.execute = down || up ? &PairToPair : nullptr;
}

// Whether every value of one type is a value of the other.
bool IsExact(Type from, Type to) {
  return from == to || to == Type::kF64 ||
         (to == Type::kF32 && from != Type::kF64);
}

void DecodeFloats(Decoder& d, Type to, Type from, bool rounded,
                  bool to_integer) {
  Instruction& i = d.instruction;
  i.variant = (to_integer ? kToInteger : 0) | (d.Take("relu") ? kRelu : 0);
  const bool changes = !IsExact(from, to);
  if (changes != rounded && !(from == to && to_integer)) {
    d.Fail(changes ? "a narrower type needs a rounding"
                   : "an exact conversion has no rounding");
  }
  if (to_integer && from != to) {
    d.FailUnknown("rounding to an integer keeps the type");
  }
  const bool plain = i.variant == 0 && !i.flush && !i.saturate;
  i.execute = &FloatToFloat;
  if (plain && from == Type::kBf16 && to == Type::kF32) {
    i.execute = &Bf16ToF32;
  } else if (plain && from == Type::kF32 && to == Type::kBf16 &&
             i.rounding == Rounding::kNearestEven) {
    i.execute = &F32ToBf16Nearest;
  }
}

void DecodeConversion(Decoder& d) {
  Instruction& i = d.instruction;
  bool rounded = false;
  bool to_integer = false;
  TakeRounding(d, &rounded, &to_integer);
  i.flush = d.Take("ftz");
  const Type to = d.TakeType();
  const Type from = d.TakeType();
  i.count = static_cast<uint8_t>(to);
  i.size = static_cast<uint8_t>(from);
  if (IsPair(to)) {
    DecodePair(d, to, from, rounded);
    return;
  }
  i.saturate = d.Take("sat");
  d.Expect(2);
  // A register may be wider than an integer in it.
  i.bits = IsInteger(to) ? d.BitsOfRegister(d.At(0)) : BitsOf(to);
  if (i.bits < BitsOf(to)) {
    d.Fail("the destination is narrower than its type");
  }
  i.d = d.Destination(0, i.bits);
  i.a = d.WideSource(d.At(1), from);
  if (IsInteger(to) && IsInteger(from)) {
    i.execute = rounded || to_integer ? nullptr : &IntegerToInteger;
  } else if (IsFloat(to) && IsInteger(from)) {
    i.execute = rounded && !i.saturate ? &IntegerToFloat : nullptr;
  } else if (IsInteger(to) && IsFloat(from)) {
    i.execute = to_integer ? &FloatToInteger : nullptr;
  } else if (IsFloat(to) && IsFloat(from)) {
    DecodeFloats(d, to, from, rounded, to_integer);
  }
}

}  // namespace

Decode FindConversion(absl::string_view opcode) {
  return opcode == "cvt" ? &DecodeConversion : nullptr;
}

}  // namespace accel::ptx
