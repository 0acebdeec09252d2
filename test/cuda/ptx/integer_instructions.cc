// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on integers. The opcodes that floating-point types share with them
// are decoded here and handed on.
#include <algorithm>
#include <limits>

#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

// Arithmetic without the undefined overflow of signed types and without the
// promotion of 16 bits to a signed int.
template <typename T>
using Modular = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

struct AddOp {
  template <typename T>
  static T Do(T a, T b) {
    return static_cast<T>(Modular<T>(a) + Modular<T>(b));
  }
};
struct SubtractOp {
  template <typename T>
  static T Do(T a, T b) {
    return static_cast<T>(Modular<T>(a) - Modular<T>(b));
  }
};
struct MultiplyOp {
  template <typename T>
  static T Do(T a, T b) {
    return static_cast<T>(Modular<T>(a) * Modular<T>(b));
  }
};
struct MultiplyHighOp {
  template <typename T>
  static T Do(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MinOp {
  template <typename T>
  static T Do(T a, T b) {
    return std::min(a, b);
  }
};
struct MaxOp {
  template <typename T>
  static T Do(T a, T b) {
    return std::max(a, b);
  }
};

template <typename T, typename Op>
void Binary(Thread& t, const Instruction& i) {
  Put<T>(t, i.d, Op::template Do<T>(Get<T>(t, i.a), Get<T>(t, i.b)));
}

// add.sat.s32 and sub.sat.s32
template <bool kSubtract>
void Saturating(Thread& t, const Instruction& i) {
  const int64_t a = Get<int32_t>(t, i.a);
  const int64_t b = Get<int32_t>(t, i.b);
  const int64_t exact = kSubtract ? a - b : a + b;
  Put<int32_t>(t, i.d,
               static_cast<int32_t>(std::clamp<int64_t>(
                   exact, std::numeric_limits<int32_t>::min(),
                   std::numeric_limits<int32_t>::max())));
}

template <typename T, bool kRemainder>
void Divide(Thread& t, const Instruction& i) {
  const T a = Get<T>(t, i.a);
  const T b = Get<T>(t, i.b);
  if (b == 0) {
    t.Fault("division by zero: its result is unspecified");
    return;
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {  // The quotient of the smallest number wraps around.
      Put<T>(t, i.d, kRemainder ? T{0} : SubtractOp::Do<T>(0, a));
      return;
    }
  }
  Put<T>(t, i.d, static_cast<T>(kRemainder ? a % b : a / b));
}

template <typename T>
void MultiplyWide(Thread& t, const Instruction& i) {
  const Wide<T> product = Wide<T>(Get<T>(t, i.a)) * Wide<T>(Get<T>(t, i.b));
  // The product of two numbers of 16 bits fits a register of 32.
  Put<uint64_t>(t, i.d,
                LowBits(static_cast<uint64_t>(product), 16 * sizeof(T)));
}

template <typename T>
void MadWide(Thread& t, const Instruction& i) {
  const Wide<T> product = Wide<T>(Get<T>(t, i.a)) * Wide<T>(Get<T>(t, i.b));
  Put<uint64_t>(t, i.d,
                LowBits(static_cast<uint64_t>(product) + Get<uint64_t>(t, i.c),
                        16 * sizeof(T)));
}

template <typename T, typename Op>
void Mad(Thread& t, const Instruction& i) {
  const T product = Op::template Do<T>(Get<T>(t, i.a), Get<T>(t, i.b));
  Put<T>(t, i.d, AddOp::Do<T>(product, Get<T>(t, i.c)));
}

template <typename T>
void Negate(Thread& t, const Instruction& i) {
  Put<T>(t, i.d, SubtractOp::Do<T>(0, Get<T>(t, i.a)));
}

template <typename T>
void Absolute(Thread& t, const Instruction& i) {
  const T a = Get<T>(t, i.a);
  Put<T>(t, i.d, a < 0 ? SubtractOp::Do<T>(0, a) : a);
}

// sad: |a - b| + c
template <typename T>
void AbsoluteDifference(Thread& t, const Instruction& i) {
  const T a = Get<T>(t, i.a);
  const T b = Get<T>(t, i.b);
  const T difference =
      a < b ? SubtractOp::Do<T>(b, a) : SubtractOp::Do<T>(a, b);
  Put<T>(t, i.d, AddOp::Do<T>(difference, Get<T>(t, i.c)));
}

// The instance of a template for a type of 16, 32 or 64 bits.
template <typename F>
Execute ForInteger(Type type, F instance) {
  switch (type) {
    case Type::kU16:
      return instance(uint16_t{});
    case Type::kU32:
      return instance(uint32_t{});
    case Type::kU64:
      return instance(uint64_t{});
    case Type::kS16:
      return instance(int16_t{});
    case Type::kS32:
      return instance(int32_t{});
    case Type::kS64:
      return instance(int64_t{});
    default:
      return nullptr;
  }
}

template <typename Op>
Execute BinaryOf(Type type) {
  return ForInteger(
      type, [](auto zero) -> Execute { return &Binary<decltype(zero), Op>; });
}

void ReadBinary(Decoder& d, Type type) {
  d.Expect(3);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
}

// The opcodes of integers that are those of floating-point types, too.
template <typename Op>
void DecodeShared(Decoder& d, absl::string_view opcode) {
  const Type type = d.TakeType();
  if (!IsInteger(type)) {
    DecodeFloatArithmetic(d, opcode, type);
    return;
  }
  ReadBinary(d, type);
  d.instruction.execute = BinaryOf<Op>(type);
}

template <bool kSubtract>
void DecodeAddSubtract(Decoder& d) {
  using Op = std::conditional_t<kSubtract, SubtractOp, AddOp>;
  const absl::string_view opcode = kSubtract ? "sub" : "add";
  DecodeShared<Op>(d, opcode);
  if (d.instruction.execute == &Binary<int32_t, Op> && d.Take("sat")) {
    d.instruction.execute = &Saturating<kSubtract>;
  }
}

void DecodeMultiply(Decoder& d) {
  const absl::string_view part = d.TakeOneOf({"lo", "hi", "wide"});
  const Type type = d.TakeType();
  if (part.empty() || !IsInteger(type)) {
    DecodeFloatArithmetic(d, "mul", type);
    return;
  }
  if (part != "wide") {
    ReadBinary(d, type);
    d.instruction.execute = part == "lo" ? BinaryOf<MultiplyOp>(type)
                                         : BinaryOf<MultiplyHighOp>(type);
    return;
  }
  d.Expect(3);
  if (BitsOf(type) == 64) {
    d.FailUnknown("mul.wide has sources of 16 or 32 bits");
    return;
  }
  d.instruction.d = d.Destination(0, 2 * BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.execute = ForInteger(
      type, [](auto zero) -> Execute { return &MultiplyWide<decltype(zero)>; });
}

Type TwiceAsWide(Type type) {
  return BitsOf(type) == 16 ? Type::kB32 : Type::kB64;
}

void DecodeMad(Decoder& d) {
  const absl::string_view part = d.TakeOneOf({"lo", "hi", "wide"});
  const Type type = d.TakeType();
  if (part.empty() || !IsInteger(type)) {
    DecodeFloatArithmetic(d, "mad", type);
    return;
  }
  const bool wide = part == "wide";
  d.Expect(4);
  d.instruction.d = d.Destination(0, BitsOf(type) * (wide ? 2 : 1));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.c = d.Source(3, wide ? TwiceAsWide(type) : type);
  d.instruction.execute = ForInteger(type, [part](auto zero) -> Execute {
    using T = decltype(zero);
    if (part == "wide") {
      return sizeof(T) == 8 ? nullptr : &MadWide<T>;
    }
    return part == "lo" ? &Mad<T, MultiplyOp> : &Mad<T, MultiplyHighOp>;
  });
}

template <bool kRemainder>
void DecodeDivide(Decoder& d) {
  const Type type = d.TakeType();
  if (!IsInteger(type)) {
    DecodeFloatArithmetic(d, kRemainder ? "rem" : "div", type);
    return;
  }
  ReadBinary(d, type);
  d.instruction.execute = ForInteger(type, [](auto zero) -> Execute {
    return &Divide<decltype(zero), kRemainder>;
  });
}

void DecodeNegate(Decoder& d) {
  const Type type = d.TakeType();
  if (!IsInteger(type)) {
    DecodeFloatArithmetic(d, "neg", type);
    return;
  }
  d.Expect(2);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.execute = ForInteger(type, [](auto zero) -> Execute {
    return std::is_signed_v<decltype(zero)> ? &Negate<decltype(zero)> : nullptr;
  });
}

void DecodeAbsolute(Decoder& d) {
  const Type type = d.TakeType();
  if (!IsInteger(type)) {
    DecodeFloatArithmetic(d, "abs", type);
    return;
  }
  d.Expect(2);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.execute = ForInteger(type, [](auto zero) -> Execute {
    return std::is_signed_v<decltype(zero)> ? &Absolute<decltype(zero)>
                                            : nullptr;
  });
}

void DecodeAbsoluteDifference(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(4);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.c = d.Source(3, type);
  d.instruction.execute = ForInteger(type, [](auto zero) -> Execute {
    return &AbsoluteDifference<decltype(zero)>;
  });
}

constexpr Family kFamilies[] = {
    {"add", &DecodeAddSubtract<false>},
    {"sub", &DecodeAddSubtract<true>},
    {"mul", &DecodeMultiply},
    {"mad", &DecodeMad},
    {"div", &DecodeDivide<false>},
    {"rem", &DecodeDivide<true>},
    {"neg", &DecodeNegate},
    {"abs", &DecodeAbsolute},
    {"sad", &DecodeAbsoluteDifference},
    {"min", [](Decoder& d) { DecodeShared<MinOp>(d, "min"); }},
    {"max", [](Decoder& d) { DecodeShared<MaxOp>(d, "max"); }},
};

}  // namespace

Decode FindIntegerInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
