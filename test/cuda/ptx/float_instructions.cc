// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IEEE arithmetic in f32, f64, f16, bf16 and the pairs of them. Approximations
// are in approximations.cc.
#include <limits>

#include "test/cuda/ptx/approximations.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/float_values.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

// `variant` of an arithmetic instruction: .relu.
constexpr uint8_t kRelu = 1;

// --- operations: Do on the host's types, DoToOdd on narrower ones ---

struct AddOp {
  static constexpr int kOperands = 2;
  template <typename T>
  static T Do(T a, T b, T) {
    return a + b;
  }
  static double DoToOdd(double a, double b, double) { return AddToOdd(a, b); }
};
struct SubtractOp {
  static constexpr int kOperands = 2;
  template <typename T>
  static T Do(T a, T b, T) {
    return a - b;
  }
  static double DoToOdd(double a, double b, double) { return AddToOdd(a, -b); }
};
struct MultiplyOp {
  static constexpr int kOperands = 2;
  template <typename T>
  static T Do(T a, T b, T) {
    return a * b;
  }
  static double DoToOdd(double a, double b, double) { return a * b; }
};
struct FmaOp {
  static constexpr int kOperands = 3;
  template <typename T>
  static T Do(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  static double DoToOdd(double a, double b, double c) {
    // The product of two numbers of 11 bits is exact.
    const double product = a * b;
    return AddToOdd(product, c);
  }
};
struct DivideOp {
  static constexpr int kOperands = 2;
  template <typename T>
  static T Do(T a, T b, T) {
    return a / b;
  }
};
struct SqrtOp {
  static constexpr int kOperands = 1;
  template <typename T>
  static T Do(T a, T, T) {
    return std::sqrt(a);
  }
};
struct ReciprocalOp {
  static constexpr int kOperands = 1;
  template <typename T>
  static T Do(T a, T, T) {
    return T(1) / a;
  }
};

// --- f32 and f64 ---

template <typename T>
T FromBits(uint64_t bits) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else {
    return std::bit_cast<double>(bits);
  }
}
template <typename T>
uint64_t ToBits(T value) {
  if constexpr (sizeof(T) == 4) {
    return BitsOfF32(value);
  } else {
    return BitsOfF64(value);
  }
}

// The compiler must not move the operation out of the rounding's scope, hence
// the volatile operands.
template <typename T, typename Op>
T Rounded(Rounding rounding, T a, T b, T c) {
  if (rounding == Rounding::kNearestEven) {
    return Op::Do(a, b, c);
  }
  const ScopedRounding scope(rounding);
  volatile T x = a;
  volatile T y = b;
  volatile T z = c;
  volatile T result = Op::Do(T(x), T(y), T(z));
  return result;
}

template <typename T, typename Op>
uint64_t General(const Instruction& i, uint64_t a, uint64_t b, uint64_t c) {
  T x = FromBits<T>(a);
  T y = FromBits<T>(b);
  T z = FromBits<T>(c);
  if (i.flush) {
    x = FlushSubnormal(x);
    y = FlushSubnormal(y);
    z = FlushSubnormal(z);
  }
  T result = Rounded<T, Op>(i.rounding, x, y, z);
  result = i.flush ? FlushSubnormal(result) : result;
  return ToBits<T>(i.saturate ? SaturateToOne(result) : result);
}

template <typename Op>
uint64_t ReadB(Thread& t, const Instruction& i) {
  return Op::kOperands >= 2 ? t.registers[i.b] : 0;
}
template <typename Op>
uint64_t ReadC(Thread& t, const Instruction& i) {
  return Op::kOperands >= 3 ? t.registers[i.c] : 0;
}

template <typename T, typename Op>
void Simple(Thread& t, const Instruction& i) {
  const T result =
      Op::Do(FromBits<T>(t.registers[i.a]), FromBits<T>(ReadB<Op>(t, i)),
             FromBits<T>(ReadC<Op>(t, i)));
  t.registers[i.d] = ToBits<T>(result);
}
template <typename T, typename Op>
void WithModifiers(Thread& t, const Instruction& i) {
  t.registers[i.d] =
      General<T, Op>(i, t.registers[i.a], ReadB<Op>(t, i), ReadC<Op>(t, i));
}
template <typename Op>
void PairOfF32(Thread& t, const Instruction& i) {
  const uint64_t a = t.registers[i.a];
  const uint64_t b = ReadB<Op>(t, i);
  const uint64_t c = ReadC<Op>(t, i);
  const uint64_t low = General<float, Op>(i, a, b, c);
  const uint64_t high = General<float, Op>(i, a >> 32, b >> 32, c >> 32);
  t.registers[i.d] = high << 32 | low;
}

// --- f16 and bf16 ---

double FlushTo(const Format& format, double value) {
  return std::fabs(value) < std::ldexp(1.0, 1 - format.Bias())
             ? std::copysign(0.0, value)
             : value;
}

uint32_t EncodeResult(const Instruction& i, const Format& format,
                      double value) {
  if (i.variant == kRelu && value < 0) {
    value = 0;
  }
  if (i.saturate) {
    value = SaturateToOne(value);
  }
  const uint32_t bits = RoundTo(format, value, Rounding::kNearestEven);
  if (i.flush &&
      std::fabs(Widen(format, bits)) < std::ldexp(1.0, 1 - format.Bias())) {
    return bits & format.SignBit();
  }
  return i.variant == kRelu && bits == format.SignBit() ? 0 : bits;
}

template <typename Op, int kCount>
void Narrow(Thread& t, const Instruction& i) {
  const Format& format = i.size == 0 ? kF16 : kBf16;
  const uint64_t sources[] = {t.registers[i.a], ReadB<Op>(t, i),
                              ReadC<Op>(t, i)};
  uint64_t result = 0;
  for (int k = 0; k < kCount; ++k) {
    double values[3];
    for (int s = 0; s < 3; ++s) {
      values[s] = Widen(format, sources[s] >> (16 * k) & 0xffff);
      values[s] = i.flush ? FlushTo(format, values[s]) : values[s];
    }
    const double exact = Op::DoToOdd(values[0], values[1], values[2]);
    result |= uint64_t{EncodeResult(i, format, exact)} << (16 * k);
  }
  t.registers[i.d] = result;
}

// --- sign bits ---

// `immediate` masks: which bits are signs. A NaN keeps its payload.
template <bool kNegate>
void ChangeSign(Thread& t, const Instruction& i) {
  uint64_t a = t.registers[i.a];
  if (i.flush) {
    a = std::bit_cast<uint32_t>(
        FlushSubnormal(std::bit_cast<float>(static_cast<uint32_t>(a))));
  }
  const auto signs = static_cast<uint64_t>(i.offset);
  t.registers[i.d] = kNegate ? a ^ signs : a & ~signs;
}
// copysign d, a, b: the sign of a, the magnitude of b
void CopySign(Thread& t, const Instruction& i) {
  const auto sign = static_cast<uint64_t>(i.offset);
  t.registers[i.d] = (t.registers[i.a] & sign) | (t.registers[i.b] & ~sign);
}

uint64_t SignsOf(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kBf16:
      return 0x8000;
    case Type::kF16x2:
    case Type::kBf16x2:
      return 0x80008000;
    case Type::kF32:
      return 0x80000000;
    case Type::kF64:
      return uint64_t{1} << 63;
    default:
      return 0;
  }
}

// --- decoding ---

bool IsNarrow(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 ||
         type == Type::kBf16x2;
}

template <typename Op>
void ReadSources(Decoder& d, Type type) {
  d.Expect(1 + Op::kOperands);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  if (Op::kOperands >= 2) {
    d.instruction.b = d.Source(2, type);
  }
  if (Op::kOperands >= 3) {
    d.instruction.c = d.Source(3, type);
  }
}

template <typename Op>
void SelectHost(Decoder& d, Type type) {
  Instruction& i = d.instruction;
  const bool simple =
      i.rounding == Rounding::kNearestEven && !i.flush && !i.saturate;
  if (type == Type::kF32) {
    i.execute = simple ? &Simple<float, Op> : &WithModifiers<float, Op>;
  } else if (type == Type::kF64 && !i.flush && !i.saturate) {
    i.execute = simple ? &Simple<double, Op> : &WithModifiers<double, Op>;
  } else if (type == Type::kF32x2 && !i.saturate) {
    i.execute = &PairOfF32<Op>;
  }
}

template <typename Op>
void SelectNarrow(Decoder& d, Type type) {
  Instruction& i = d.instruction;
  const bool bf16 = FormatOf(type).exponent_bits == 8;
  i.size = bf16 ? 1 : 0;
  i.variant = Op::kOperands == 3 && d.Take("relu") ? kRelu : 0;
  if (i.rounding != Rounding::kNearestEven || (bf16 && i.flush)) {
    return;
  }
  i.execute = BitsOf(type) == 16 ? &Narrow<Op, 1> : &Narrow<Op, 2>;
}

// `must_round`: the instruction has no form without a rounding.
template <typename Op>
void DecodeArithmetic(Decoder& d, Type type, bool must_round) {
  const bool has_rounding = d.TakeRounding();
  if (must_round && !has_rounding) {
    d.FailUnknown("expected .rn, .rz, .rm, .rp or .approx");
  }
  d.instruction.flush = d.Take("ftz");
  d.instruction.saturate = d.Take("sat");
  ReadSources<Op>(d, type);
  if constexpr (requires { &Op::DoToOdd; }) {
    if (IsNarrow(type)) {
      SelectNarrow<Op>(d, type);
      return;
    }
  }
  SelectHost<Op>(d, type);
}

template <bool kNegate>
void DecodeSign(Decoder& d, Type type) {
  d.instruction.flush = type == Type::kF32 && d.Take("ftz");
  d.Expect(2);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.offset = static_cast<int64_t>(SignsOf(type));
  d.instruction.execute = SignsOf(type) == 0 ? nullptr : &ChangeSign<kNegate>;
}

void DecodeCopySign(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(3);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.offset = static_cast<int64_t>(SignsOf(type));
  const bool known = type == Type::kF32 || type == Type::kF64;
  d.instruction.execute = known ? &CopySign : nullptr;
}

void DecodeFma(Decoder& d) {
  DecodeArithmetic<FmaOp>(d, d.TakeType(), /*must_round=*/true);
}
void DecodeSqrt(Decoder& d) {
  if (!DecodeApproximateSqrt(d)) {
    DecodeArithmetic<SqrtOp>(d, d.TakeType(), /*must_round=*/true);
  }
}
void DecodeReciprocal(Decoder& d) {
  if (!DecodeApproximateReciprocal(d)) {
    DecodeArithmetic<ReciprocalOp>(d, d.TakeType(), /*must_round=*/true);
  }
}

constexpr Family kFamilies[] = {
    {"fma", &DecodeFma},
    {"sqrt", &DecodeSqrt},
    {"rcp", &DecodeReciprocal},
    {"copysign", &DecodeCopySign},
};

}  // namespace

void DecodeFloatArithmetic(Decoder& decoder, absl::string_view opcode,
                           Type type) {
  if (opcode == "add") {
    DecodeArithmetic<AddOp>(decoder, type, /*must_round=*/false);
  } else if (opcode == "sub") {
    DecodeArithmetic<SubtractOp>(decoder, type, /*must_round=*/false);
  } else if (opcode == "mul") {
    DecodeArithmetic<MultiplyOp>(decoder, type, /*must_round=*/false);
  } else if (opcode == "mad") {
    DecodeArithmetic<FmaOp>(decoder, type, /*must_round=*/true);
  } else if (opcode == "div") {
    if (!DecodeApproximateDivision(decoder, type)) {
      DecodeArithmetic<DivideOp>(decoder, type, /*must_round=*/true);
    }
  } else if (opcode == "neg") {
    DecodeSign<true>(decoder, type);
  } else if (opcode == "abs") {
    DecodeSign<false>(decoder, type);
  } else if (opcode == "min" || opcode == "max") {
    DecodeMinMax(decoder, type, opcode == "max");
  }
}

Decode FindFloatInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
