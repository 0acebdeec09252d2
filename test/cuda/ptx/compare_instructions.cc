// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, selections, and the minimum and maximum of floating-point
// numbers.
#include <limits>

#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/float_values.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqualUnordered,
  kNotEqualUnordered,
  kLessUnordered,
  kLessEqualUnordered,
  kGreaterUnordered,
  kGreaterEqualUnordered,
  kNumbers,
  kAnyNan,
};

struct ComparisonName {
  absl::string_view name;
  Comparison comparison;
};

constexpr ComparisonName kForFloats[] = {
    {"eq", Comparison::kEqual},
    {"ne", Comparison::kNotEqual},
    {"lt", Comparison::kLess},
    {"le", Comparison::kLessEqual},
    {"gt", Comparison::kGreater},
    {"ge", Comparison::kGreaterEqual},
    {"equ", Comparison::kEqualUnordered},
    {"neu", Comparison::kNotEqualUnordered},
    {"ltu", Comparison::kLessUnordered},
    {"leu", Comparison::kLessEqualUnordered},
    {"gtu", Comparison::kGreaterUnordered},
    {"geu", Comparison::kGreaterEqualUnordered},
    {"num", Comparison::kNumbers},
    {"nan", Comparison::kAnyNan},
};
// Those of unsigned integers have names of their own.
constexpr ComparisonName kForIntegers[] = {
    {"eq", Comparison::kEqual},   {"ne", Comparison::kNotEqual},
    {"lt", Comparison::kLess},    {"le", Comparison::kLessEqual},
    {"gt", Comparison::kGreater}, {"ge", Comparison::kGreaterEqual},
    {"lo", Comparison::kLess},    {"ls", Comparison::kLessEqual},
    {"hi", Comparison::kGreater}, {"hs", Comparison::kGreaterEqual},
};

enum class Combination : uint8_t { kNone, kAnd, kOr, kXor };

template <typename T>
bool CompareOrdered(Comparison comparison, T a, T b) {
  switch (comparison) {
    case Comparison::kEqual:
    case Comparison::kEqualUnordered:
      return a == b;
    case Comparison::kNotEqual:
    case Comparison::kNotEqualUnordered:
      return a != b;
    case Comparison::kLess:
    case Comparison::kLessUnordered:
      return a < b;
    case Comparison::kLessEqual:
    case Comparison::kLessEqualUnordered:
      return a <= b;
    case Comparison::kGreater:
    case Comparison::kGreaterUnordered:
      return a > b;
    case Comparison::kGreaterEqual:
    case Comparison::kGreaterEqualUnordered:
      return a >= b;
    case Comparison::kNumbers:
      return true;
    case Comparison::kAnyNan:
      return false;
  }
  return false;
}

bool CompareFloats(Comparison comparison, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return comparison >= Comparison::kEqualUnordered &&
           comparison != Comparison::kNumbers;
  }
  return CompareOrdered(comparison, a, b);
}

// `size` holds the type, `variant` the comparison, `count` the combination.
bool Compare(Thread& t, const Instruction& i) {
  const auto comparison = static_cast<Comparison>(i.variant);
  const auto type = static_cast<Type>(i.size);
  const uint64_t a = t.registers[i.a];
  const uint64_t b = t.registers[i.b];
  if (IsFloat(type)) {
    double x = ValueOf(a, type);
    double y = ValueOf(b, type);
    if (i.flush) {
      x = FlushSubnormal(static_cast<float>(x));
      y = FlushSubnormal(static_cast<float>(y));
    }
    return CompareFloats(comparison, x, y);
  }
  if (IsSigned(type)) {
    return CompareOrdered(comparison, SignExtend(a, BitsOf(type)),
                          SignExtend(b, BitsOf(type)));
  }
  return CompareOrdered(comparison, a, b);
}

bool Combine(Thread& t, const Instruction& i, bool result) {
  switch (static_cast<Combination>(i.count)) {
    case Combination::kNone:
      return result;
    case Combination::kAnd:
      return result && GetPredicate(t, i.c, i.negated);
    case Combination::kOr:
      return result || GetPredicate(t, i.c, i.negated);
    case Combination::kXor:
      return result != GetPredicate(t, i.c, i.negated);
  }
  return result;
}

void SetPredicate(Thread& t, const Instruction& i) {
  const bool result = Compare(t, i);
  const bool first = Combine(t, i, result);
  if (i.d2 != kNone) {
    t.registers[i.d2] = Combine(t, i, !result) ? 1 : 0;
  }
  t.registers[i.d] = first ? 1 : 0;
}
void SetInteger(Thread& t, const Instruction& i) {
  t.registers[i.d] = Combine(t, i, Compare(t, i)) ? 0xffffffff : 0;
}
void SetFloat(Thread& t, const Instruction& i) {
  Put<float>(t, i.d, Combine(t, i, Compare(t, i)) ? 1.0F : 0.0F);
}
void Select(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[GetPredicate(t, i.c, i.negated) ? i.a : i.b];
}
// slct: by the sign of c
void SelectBySign(Thread& t, const Instruction& i) {
  const bool first =
      i.is_signed ? Get<int32_t>(t, i.c) >= 0 : Get<float>(t, i.c) >= 0;
  t.registers[i.d] = t.registers[first ? i.a : i.b];
}

enum class Property : uint8_t {
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal
};

void TestProperty(Thread& t, const Instruction& i) {
  const bool single = static_cast<Type>(i.size) == Type::kF32;
  const double a = ValueOf(t.registers[i.a], static_cast<Type>(i.size));
  const double smallest = single ? double{FLT_MIN} : DBL_MIN;
  bool result = false;
  switch (static_cast<Property>(i.variant)) {
    case Property::kFinite:
      result = std::isfinite(a);
      break;
    case Property::kInfinite:
      result = std::isinf(a);
      break;
    case Property::kNumber:
      result = !std::isnan(a);
      break;
    case Property::kNotANumber:
      result = std::isnan(a);
      break;
    case Property::kNormal:
      // PTX counts the zeros among the normal numbers.
      result = std::isfinite(a) && (std::fabs(a) >= smallest || a == 0);
      break;
    case Property::kSubnormal:
      result = std::fabs(a) < smallest && a != 0;
      break;
  }
  t.registers[i.d] = result ? 1 : 0;
}

// --- minimum and maximum ---

// `variant` of a minimum or maximum.
constexpr uint8_t kMax = 1;
constexpr uint8_t kNan = 2;
constexpr uint8_t kXorSignAbs = 4;

double Extreme(uint8_t variant, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    const bool nan = (variant & kNan) != 0 || (std::isnan(a) && std::isnan(b));
    return nan ? std::numeric_limits<double>::quiet_NaN()
               : (std::isnan(a) ? b : a);
  }
  const bool negative = std::signbit(a) != std::signbit(b);
  if ((variant & kXorSignAbs) != 0) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  // -0 is less than +0.
  const bool a_is_less = a < b || (a == b && std::signbit(a));
  const double result = a_is_less == ((variant & kMax) != 0) ? b : a;
  return (variant & kXorSignAbs) != 0 && negative ? -result : result;
}

double ReadNumber(const Instruction& i, Type type, uint64_t bits) {
  const double value = ValueOf(bits, type);
  return i.flush ? FlushSubnormal(static_cast<float>(value)) : value;
}

void ExtremeOfF32(Thread& t, const Instruction& i) {
  double result =
      Extreme(i.variant, ReadNumber(i, Type::kF32, t.registers[i.a]),
              ReadNumber(i, Type::kF32, t.registers[i.b]));
  if (i.c != kNone) {
    result =
        Extreme(i.variant, result, ReadNumber(i, Type::kF32, t.registers[i.c]));
  }
  t.registers[i.d] = BitsOfF32(static_cast<float>(result));
}
void ExtremeOfF64(Thread& t, const Instruction& i) {
  t.registers[i.d] =
      BitsOfF64(Extreme(i.variant, Get<double>(t, i.a), Get<double>(t, i.b)));
}
void ExtremeOfNarrow(Thread& t, const Instruction& i) {
  const Format& format = FormatOf(static_cast<Type>(i.size));
  uint64_t result = 0;
  for (int k = 0; k < i.count; ++k) {
    const double a = Widen(format, t.registers[i.a] >> (16 * k) & 0xffff);
    const double b = Widen(format, t.registers[i.b] >> (16 * k) & 0xffff);
    result |= uint64_t{RoundTo(format, Extreme(i.variant, a, b),
                               Rounding::kNearestEven)}
              << (16 * k);
  }
  t.registers[i.d] = result;
}

// --- decoding ---

void TakeComparison(Decoder& d) {
  for (const absl::string_view name :
       {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
        "geu", "num", "nan", "lo", "ls", "hi", "hs"}) {
    if (!d.Take(name)) {
      continue;
    }
    const absl::string_view combination = d.TakeOneOf({"and", "or", "xor"});
    d.instruction.count =
        static_cast<uint8_t>(combination.empty()    ? Combination::kNone
                             : combination == "and" ? Combination::kAnd
                             : combination == "or"  ? Combination::kOr
                                                    : Combination::kXor);
    const Type type = static_cast<Type>(d.instruction.size);
    if (IsFloat(type)) {
      for (const ComparisonName& row : kForFloats) {
        if (row.name == name) {
          d.instruction.variant = static_cast<uint8_t>(row.comparison);
          return;
        }
      }
    } else {
      for (const ComparisonName& row : kForIntegers) {
        if (row.name == name) {
          d.instruction.variant = static_cast<uint8_t>(row.comparison);
          return;
        }
      }
    }
  }
  d.FailUnknown("expected a comparison that fits the type");
}

void ReadCompared(Decoder& d, Type type) {
  d.instruction.size = static_cast<uint8_t>(type);
  TakeComparison(d);
  d.instruction.flush = type == Type::kF32 && d.Take("ftz");
  const bool combined = d.instruction.count != 0;
  d.Expect(combined ? 4 : 3);
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  if (combined) {
    d.instruction.c = d.Predicate(d.At(3), &d.instruction.negated);
  }
  const bool known =
      IsFloat(type) || (IsBitsOrInteger(type) && BitsOf(type) >= 16);
  if (!known) {
    d.FailUnknown("expected a type of 16, 32 or 64 bits");
  }
}

void DecodeSetPredicate(Decoder& d) {
  ReadCompared(d, d.TakeType());
  const Operand& result = d.At(0);
  if (result.elements.size() == 2) {
    d.instruction.d = d.Destination(result.elements[0], 1);
    d.instruction.d2 = d.Destination(result.elements[1], 1);
  } else {
    d.instruction.d = d.Destination(0, 1);
  }
  d.instruction.execute = &SetPredicate;
}

void DecodeSet(Decoder& d) {
  const Type result = d.TakeType();
  ReadCompared(d, d.TakeType());
  d.instruction.d = d.Destination(0, BitsOf(result));
  if (result == Type::kF32) {
    d.instruction.execute = &SetFloat;
  } else if (result == Type::kU32 || result == Type::kS32) {
    d.instruction.execute = &SetInteger;
  }
}

void DecodeSelect(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(4);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.c = d.Predicate(d.At(3), &d.instruction.negated);
  d.instruction.execute = BitsOf(type) >= 16 ? &Select : nullptr;
}

void DecodeSelectBySign(Decoder& d) {
  const Type type = d.TakeType();
  const Type by = d.TakeType();
  d.Expect(4);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.c = d.Source(3, by);
  d.instruction.is_signed = by == Type::kS32;
  const bool known = by == Type::kS32 || by == Type::kF32;
  d.instruction.execute = known ? &SelectBySign : nullptr;
}

void DecodeTestProperty(Decoder& d) {
  const absl::string_view name = d.TakeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = d.TakeType();
  d.Expect(2);
  d.instruction.d = d.Destination(0, 1);
  d.instruction.a = d.Source(1, type);
  d.instruction.size = static_cast<uint8_t>(type);
  const Property property = name == "finite"       ? Property::kFinite
                            : name == "infinite"   ? Property::kInfinite
                            : name == "number"     ? Property::kNumber
                            : name == "notanumber" ? Property::kNotANumber
                            : name == "normal"     ? Property::kNormal
                                                   : Property::kSubnormal;
  d.instruction.variant = static_cast<uint8_t>(property);
  const bool known =
      !name.empty() && (type == Type::kF32 || type == Type::kF64);
  d.instruction.execute = known ? &TestProperty : nullptr;
}

constexpr Family kFamilies[] = {
    {"setp", &DecodeSetPredicate},  {"set", &DecodeSet},
    {"selp", &DecodeSelect},        {"slct", &DecodeSelectBySign},
    {"testp", &DecodeTestProperty},
};

}  // namespace

void DecodeMinMax(Decoder& d, Type type, bool is_max) {
  Instruction& i = d.instruction;
  i.flush = type == Type::kF32 && d.Take("ftz");
  i.variant = is_max ? kMax : 0;
  i.variant |= d.Take("NaN") ? kNan : 0;
  if (d.Take("xorsign") && d.Take("abs")) {
    i.variant |= kXorSignAbs;
  }
  const bool three =
      type == Type::kF32 && d.count() == 4 && (i.variant & kXorSignAbs) == 0;
  d.Expect(three ? 4 : 3);
  i.d = d.Destination(0, BitsOf(type));
  i.a = d.Source(1, type);
  i.b = d.Source(2, type);
  i.c = three ? d.Source(3, type) : kNone;
  i.size = static_cast<uint8_t>(type);
  if (type == Type::kF32) {
    i.execute = &ExtremeOfF32;
  } else if (type == Type::kF64 && i.variant <= kMax) {
    i.execute = &ExtremeOfF64;
  } else if (type == Type::kF16 || type == Type::kBf16) {
    i.count = 1;
    i.execute = &ExtremeOfNarrow;
  } else if (type == Type::kF16x2 || type == Type::kBf16x2) {
    i.count = 2;
    i.execute = &ExtremeOfNarrow;
  }
}

Decode FindCompareInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
