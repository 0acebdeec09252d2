// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/approximations.h"

#include <limits>

#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/float_values.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

enum class Function1 : uint8_t {
  kExp2,
  kLog2,
  kSin,
  kCos,
  kTanh,
  kReciprocal,
  kReciprocalSqrt,
  kSqrt
};

double Exact(Function1 function, double a) {
  switch (function) {
    case Function1::kExp2:
      return std::exp2(a);
    case Function1::kLog2:
      return std::log2(a);
    case Function1::kSin:
      return std::sin(a);
    case Function1::kCos:
      return std::cos(a);
    case Function1::kTanh:
      return std::tanh(a);
    case Function1::kReciprocal:
      return 1 / a;
    case Function1::kReciprocalSqrt:
      return 1 / std::sqrt(a);
    case Function1::kSqrt:
      return std::sqrt(a);
  }
  return a;
}

double UlpOfF32(double value) {
  const int exponent = std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, exponent - 23);
}

// The maximum absolute error that the PTX ISA documents for f32.
double ErrorOfF32(Function1 function, double a, double exact) {
  switch (function) {
    case Function1::kExp2:
      return 2 * UlpOfF32(exact);
    case Function1::kLog2:
      // Absolute near 1, where the logarithm vanishes, and relative elsewhere.
      return a > 0.5 && a < 2 ? 0x1p-22 : 0x1p-22 * std::fabs(exact);
    case Function1::kSin:
    case Function1::kCos:
      return std::fabs(a) <= 2 * M_PI ? std::exp2(-20.5) : std::exp2(-14.7);
    case Function1::kTanh:
      return 0x1p-11 * std::fabs(exact);
    case Function1::kReciprocal:
      return UlpOfF32(exact);
    case Function1::kReciprocalSqrt:
      return std::exp2(-22.4) * std::fabs(exact);
    case Function1::kSqrt:
      return 0x1p-23 * std::fabs(exact);
  }
  return 0;
}

double ErrorOfNarrow(Function1 function, Type type, double exact) {
  const bool half = FormatOf(type).exponent_bits == 5;
  if (function == Function1::kExp2) {
    return std::exp2(half ? -9.9 : -7) * std::fabs(exact);
  }
  return std::exp2(half ? -10.987 : -8) * std::fabs(exact);
}

// The result that the seed chooses among those within `error` of `exact`. It
// is rounded towards the exact value, so that rounding adds no error.
double Perturbed(const Thread& t, const Instruction& i, uint64_t operands,
                 double exact, double error, const Format& format) {
  const uint64_t hash =
      Hash(t.block->options().seed, Hash(i.variant, operands));
  const double unit = std::ldexp(static_cast<double>(hash >> 11), -52) - 1;
  const double moved = exact + unit * error;
  const Rounding towards = unit > 0 ? Rounding::kDown : Rounding::kUp;
  return Widen(format, RoundTo(format, moved, towards));
}

bool MustPerturb(const Thread& t, double a, double exact) {
  return t.block->options().approximation == Approximation::kPerturbed &&
         std::isfinite(a) && a != 0 && std::isfinite(exact) && exact != 0;
}

void ApproximateF32(Thread& t, const Instruction& i) {
  const auto function = static_cast<Function1>(i.variant);
  float a = Get<float>(t, i.a);
  a = i.flush ? FlushSubnormal(a) : a;
  double result = Exact(function, a);
  if (MustPerturb(t, a, result)) {
    result = Perturbed(t, i, t.registers[i.a], result,
                       ErrorOfF32(function, a, result), kF32);
  }
  auto rounded = static_cast<float>(result);
  rounded = i.flush ? FlushSubnormal(rounded) : rounded;
  t.registers[i.d] = BitsOfF32(rounded);
}

void ApproximateNarrow(Thread& t, const Instruction& i) {
  const auto function = static_cast<Function1>(i.variant);
  const auto type = static_cast<Type>(i.size);
  const Format& format = FormatOf(type);
  uint64_t results = 0;
  for (int k = 0; k < i.count; ++k) {
    const uint32_t bits = t.registers[i.a] >> (16 * k) & 0xffff;
    const double a = Widen(format, bits);
    double result = Exact(function, a);
    if (MustPerturb(t, a, result)) {
      result = Perturbed(t, i, bits, result,
                         ErrorOfNarrow(function, type, result), format);
    }
    results |= uint64_t{RoundTo(format, result, Rounding::kNearestEven)}
               << (16 * k);
  }
  t.registers[i.d] = results;
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read the upper 32 bits and write
// them; the lower ones of the result are zero.
void ApproximateF64(Thread& t, const Instruction& i) {
  const uint64_t upper = ~uint64_t{0xffffffff};
  const double a =
      FlushSubnormal(std::bit_cast<double>(t.registers[i.a] & upper));
  const double result =
      FlushSubnormal(Exact(static_cast<Function1>(i.variant), a));
  t.registers[i.d] =
      std::isnan(result) ? kNanF64 : std::bit_cast<uint64_t>(result) & upper;
}

// div.approx gives 0 for a divisor above 2^126; div.full does not.
void DivideF32(Thread& t, const Instruction& i) {
  const bool full = i.variant == 1;
  float a = Get<float>(t, i.a);
  float b = Get<float>(t, i.b);
  a = i.flush ? FlushSubnormal(a) : a;
  b = i.flush ? FlushSubnormal(b) : b;
  double result = double{a} / double{b};
  if (!full && std::fabs(b) > 0x1p126F && std::isfinite(b)) {
    result = std::isfinite(a) ? std::copysign(0.0, result)
                              : std::numeric_limits<double>::quiet_NaN();
  }
  if (MustPerturb(t, b, result)) {
    const uint64_t operands = t.registers[i.a] << 32 | t.registers[i.b];
    result = Perturbed(t, i, operands, result, 2 * UlpOfF32(result), kF32);
  }
  auto rounded = static_cast<float>(result);
  rounded = i.flush ? FlushSubnormal(rounded) : rounded;
  t.registers[i.d] = BitsOfF32(rounded);
}

// --- decoding ---

void ReadUnary(Decoder& d, Function1 function, Type type) {
  d.Expect(2);
  d.instruction.variant = static_cast<uint8_t>(function);
  d.instruction.size = static_cast<uint8_t>(type);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
}

// With `narrow`, f16 and bf16 and their pairs have the instruction, too.
void DecodeApproximate(Decoder& d, Function1 function, bool narrow) {
  if (!d.Take("approx")) {
    d.FailUnknown("expected .approx");
  }
  d.instruction.flush = d.Take("ftz");
  const Type type = d.TakeType();
  ReadUnary(d, function, type);
  if (type == Type::kF32) {
    d.instruction.execute = &ApproximateF32;
  } else if (type == Type::kF64 && d.instruction.flush &&
             (function == Function1::kReciprocal ||
              function == Function1::kReciprocalSqrt)) {
    d.instruction.execute = &ApproximateF64;
  } else if (narrow && type != Type::kF64 && BitsOf(type) <= 32 &&
             !IsBitsOrInteger(type)) {
    d.instruction.count = BitsOf(type) / 16;
    d.instruction.execute = &ApproximateNarrow;
  }
}

template <Function1 kFunction, bool kNarrow>
void DecodeUnary(Decoder& d) {
  DecodeApproximate(d, kFunction, kNarrow);
}

constexpr Family kFamilies[] = {
    {"ex2", &DecodeUnary<Function1::kExp2, true>},
    {"lg2", &DecodeUnary<Function1::kLog2, false>},
    {"sin", &DecodeUnary<Function1::kSin, false>},
    {"cos", &DecodeUnary<Function1::kCos, false>},
    {"tanh", &DecodeUnary<Function1::kTanh, true>},
    {"rsqrt", &DecodeUnary<Function1::kReciprocalSqrt, false>},
};

bool DecodeIfApproximate(Decoder& d, Function1 function) {
  if (!d.Has("approx")) {
    return false;
  }
  DecodeApproximate(d, function, /*narrow=*/false);
  return true;
}

}  // namespace

bool DecodeApproximateSqrt(Decoder& decoder) {
  return DecodeIfApproximate(decoder, Function1::kSqrt);
}

bool DecodeApproximateReciprocal(Decoder& decoder) {
  return DecodeIfApproximate(decoder, Function1::kReciprocal);
}

bool DecodeApproximateDivision(Decoder& decoder, Type type) {
  const absl::string_view form = decoder.TakeOneOf({"approx", "full"});
  if (form.empty()) {
    return false;
  }
  Instruction& i = decoder.instruction;
  i.flush = decoder.Take("ftz");
  decoder.Expect(3);
  i.variant = form == "full" ? 1 : 0;
  i.d = decoder.Destination(0, BitsOf(type));
  i.a = decoder.Source(1, type);
  i.b = decoder.Source(2, type);
  i.execute = type == Type::kF32 ? &DivideF32 : nullptr;
  return true;
}

Decode FindApproximation(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
