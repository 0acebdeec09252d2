// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point arithmetic is IEEE's, in every rounding, with PTX's rules for
// subnormal numbers, saturation and NaNs.
#include <cmath>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

constexpr float kSmallest = std::numeric_limits<float>::min();

uint64_t Canonical(float value) {
  return std::isnan(value) ? 0x7fffffff : Bits(value);
}

float Flush(float value) {
  return std::fabs(value) < kSmallest ? std::copysign(0.0F, value) : value;
}

void CheckF32(const std::string& opcode,
              const std::function<float(float, float)>& expected) {
  const std::vector<Operands> pairs = Pairs(32, InterestingFloats());
  const auto got = Evaluate(absl::StrCat(opcode, " %o, %i0, %i1;"), 32, pairs);
  for (size_t k = 0; k < got.size(); ++k) {
    const float a = Float(pairs[0].values[k]);
    const float b = Float(pairs[1].values[k]);
    ASSERT_EQ(got[k], Canonical(expected(a, b)))
        << opcode << " of " << a << " and " << b;
  }
}

TEST(FloatTest, ArithmeticInF32) {
  CheckF32("add.rn.f32", [](float a, float b) { return a + b; });
  CheckF32("sub.f32", [](float a, float b) { return a - b; });
  CheckF32("mul.rn.f32", [](float a, float b) { return a * b; });
  CheckF32("div.rn.f32", [](float a, float b) { return a / b; });
  CheckF32("add.ftz.f32",
           [](float a, float b) { return Flush(Flush(a) + Flush(b)); });
  CheckF32("mul.rn.ftz.f32",
           [](float a, float b) { return Flush(Flush(a) * Flush(b)); });
  CheckF32("add.sat.f32", [](float a, float b) {
    const float sum = a + b;
    return sum > 0 ? std::min(sum, 1.0F) : 0.0F;
  });
}

// The payload of a NaN stays.
TEST(FloatTest, CopySign) {
  const std::vector<Operands> pairs = Pairs(32, InterestingFloats());
  const auto got = Evaluate("copysign.f32 %o, %i0, %i1;", 32, pairs);
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k], (pairs[0].values[k] & 0x80000000) |
                          (pairs[1].values[k] & 0x7fffffff));
  }
}

// The rounded sum lies on the right side of the exact one, and next to it.
TEST(FloatTest, DirectedRoundingsInF32) {
  const std::vector<Operands> pairs = Pairs(32, InterestingFloats());
  for (const bool up : {false, true}) {
    const auto got =
        Evaluate(up ? "mul.rp.f32 %o, %i0, %i1;" : "mul.rm.f32 %o, %i0, %i1;",
                 32, pairs);
    const auto towards_zero = Evaluate("mul.rz.f32 %o, %i0, %i1;", 32, pairs);
    for (size_t k = 0; k < got.size(); ++k) {
      const double exact =
          double{Float(pairs[0].values[k])} * Float(pairs[1].values[k]);
      const float value = Float(got[k]);
      if (!std::isfinite(exact)) {
        continue;
      }
      const float infinity = std::numeric_limits<float>::infinity();
      if (up) {
        ASSERT_GE(value, exact);
        ASSERT_TRUE(std::nextafter(value, -infinity) < exact || value == exact);
      } else {
        ASSERT_LE(value, exact);
        ASSERT_TRUE(std::nextafter(value, infinity) > exact || value == exact);
      }
      ASSERT_LE(std::fabs(Float(towards_zero[k])), std::fabs(exact));
    }
  }
  // 1 + 2^-30: the neighbours of 1.
  const std::vector<Operands> tiny = {{32, {Bits(1.0F)}},
                                      {32, {Bits(0x1p-30F)}}};
  EXPECT_EQ(Evaluate1("add.rp.f32 %o, %i0, %i1;", 32, tiny), 0x3f800001);
  EXPECT_EQ(Evaluate1("add.rm.f32 %o, %i0, %i1;", 32, tiny), 0x3f800000);
  EXPECT_EQ(Evaluate1("sub.rz.f32 %o, %i0, %i1;", 32, tiny), 0x3f7fffff);
  EXPECT_EQ(Evaluate1("div.rp.f32 %o, %i0, 0f40400000;", 32, tiny), 0x3eaaaaab);
  EXPECT_EQ(Evaluate1("div.rm.f32 %o, %i0, 0f40400000;", 32, tiny), 0x3eaaaaaa);
  EXPECT_EQ(Evaluate1("rcp.rp.f32 %o, 0f40400000;", 32, tiny), 0x3eaaaaab);
  EXPECT_EQ(Evaluate1("sqrt.rm.f32 %o, 0f40000000;", 32, tiny), 0x3fb504f3);
  EXPECT_EQ(Evaluate1("sqrt.rp.f32 %o, 0f40000000;", 32, tiny), 0x3fb504f4);
  EXPECT_EQ(Evaluate1("fma.rp.f32 %o, %i1, %i1, %i0;", 32, tiny), 0x3f800001);
}

TEST(FloatTest, FmaRoundsOnce) {
  const std::vector<Operands> pairs = Pairs(32, InterestingFloats());
  const auto got = Evaluate("fma.rn.f32 %o, %i0, %i1, %i0;", 32, pairs);
  for (size_t k = 0; k < got.size(); ++k) {
    const float a = Float(pairs[0].values[k]);
    const float b = Float(pairs[1].values[k]);
    ASSERT_EQ(got[k], Canonical(std::fma(a, b, a)));
  }
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which two roundings lose.
  EXPECT_EQ(
      Evaluate1("fma.rn.f32 %o, %i0, %i0, %i1;", 32,
                {{32, {Bits(1 + 0x1p-12F)}}, {32, {Bits(-1 - 0x1p-11F)}}}),
      Bits(0x1p-24F));
}

TEST(FloatTest, PairsOfF32) {
  const std::vector<Operands> floats = Pairs(32, InterestingFloats());
  std::vector<Operands> pairs = {{64, {}}, {64, {}}};
  const size_t count = floats[0].values.size();
  for (size_t k = 0; k < count; ++k) {
    for (int side = 0; side < 2; ++side) {
      pairs[side].values.push_back(floats[side].values[k] |
                                   floats[side].values[count - 1 - k] << 32);
    }
  }
  const auto sums = Evaluate("add.rn.f32x2 %o, %i0, %i1;", 64, pairs);
  const auto fmas = Evaluate("fma.rn.f32x2 %o, %i0, %i1, %i1;", 64, pairs);
  const auto products = Evaluate("mul.ftz.f32x2 %o, %i0, %i1;", 64, pairs);
  for (size_t k = 0; k < count; ++k) {
    for (int half = 0; half < 64; half += 32) {
      const float a = Float(pairs[0].values[k] >> half);
      const float b = Float(pairs[1].values[k] >> half);
      ASSERT_EQ(sums[k] >> half & 0xffffffff, Canonical(a + b));
      ASSERT_EQ(fmas[k] >> half & 0xffffffff, Canonical(std::fma(a, b, b)));
      ASSERT_EQ(products[k] >> half & 0xffffffff,
                Canonical(Flush(Flush(a) * Flush(b))));
    }
  }
}

TEST(FloatTest, ArithmeticInF64) {
  const std::vector<Operands> pairs = Pairs(64, InterestingDoubles());
  const auto sums = Evaluate("add.rn.f64 %o, %i0, %i1;", 64, pairs);
  const auto quotients = Evaluate("div.rn.f64 %o, %i0, %i1;", 64, pairs);
  const auto fmas = Evaluate("fma.rn.f64 %o, %i0, %i1, %i1;", 64, pairs);
  const auto roots = Evaluate("sqrt.rn.f64 %o, %i0;", 64, pairs);
  const auto down = Evaluate("add.rm.f64 %o, %i0, %i1;", 64, pairs);
  const auto up = Evaluate("add.rp.f64 %o, %i0, %i1;", 64, pairs);
  for (size_t k = 0; k < sums.size(); ++k) {
    const double a = Double(pairs[0].values[k]);
    const double b = Double(pairs[1].values[k]);
    const auto same = [](uint64_t bits, double expected) {
      return std::isnan(expected) ? std::isnan(Double(bits))
                                  : bits == Bits(expected);
    };
    ASSERT_TRUE(same(sums[k], a + b)) << a << " " << b;
    ASSERT_TRUE(same(quotients[k], a / b)) << a << " " << b;
    ASSERT_TRUE(same(fmas[k], std::fma(a, b, b))) << a << " " << b;
    ASSERT_TRUE(same(roots[k], std::sqrt(a))) << a;
    if (std::isfinite(a + b)) {
      ASSERT_LE(Double(down[k]), a + b);
      ASSERT_GE(Double(up[k]), a + b);
    }
  }
  EXPECT_EQ(Evaluate1("add.rm.f64 %o, %i0, %i1;", 64,
                      {{64, {Bits(1.0)}}, {64, {Bits(-0x1p-80)}}}),
            Bits(1 - 0x1p-53));
}

// A NaN loses against every number, and -0 against +0.
float GreaterOf(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) ? b : a;
  }
  if (a == b) {
    return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

TEST(FloatTest, MinimumAndMaximum) {
  CheckF32("max.f32", GreaterOf);
  CheckF32("min.ftz.f32",
           [](float a, float b) { return -GreaterOf(-Flush(a), -Flush(b)); });
  CheckF32("max.NaN.f32", [](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    return GreaterOf(a, b);
  });
  EXPECT_EQ(Evaluate1("max.f32 %o, %i0, 0f40000000, 0f40400000;", 32,
                      {{32, {Bits(1.0F)}}}),
            Bits(3.0F));
  EXPECT_EQ(Evaluate1("max.xorsign.abs.f32 %o, %i0, 0fC0400000;", 32,
                      {{32, {Bits(1.0F)}}}),
            Bits(-3.0F));
  EXPECT_EQ(Evaluate1("min.f64 %o, %i0, 0d7FF8000000000000;", 64,
                      {{64, {Bits(-2.0)}}}),
            Bits(-2.0));
}

TEST(FloatTest, SignsAndProperties) {
  EXPECT_EQ(Evaluate1("neg.f32 %o, %i0;", 32, {{32, {0}}}), 0x80000000);
  EXPECT_EQ(Evaluate1("abs.ftz.f32 %o, %i0;", 32, {{32, {0x80000001}}}), 0);
  EXPECT_EQ(Evaluate1("neg.bf16x2 %o, %i0;", 32, {{32, {0x00018001}}}),
            0x80010001);
  EXPECT_EQ(Evaluate1("abs.f16 %o, %i0;", 16, {{16, {0xbc00}}}), 0x3c00);
  const auto test = [](const std::string& property, uint64_t bits) {
    return Evaluate1(absl::StrCat("testp.", property, ".f32 %o, %i0;"), 1,
                     {{32, {bits}}});
  };
  EXPECT_EQ(test("infinite", 0xff800000), 1);
  EXPECT_EQ(test("finite", 0xff800000), 0);
  EXPECT_EQ(test("notanumber", 0x7fc00000), 1);
  EXPECT_EQ(test("number", 0x7f800000), 1);
  EXPECT_EQ(test("normal", 0), 1);
  EXPECT_EQ(test("subnormal", 1), 1);
  EXPECT_EQ(test("subnormal", 0), 0);
}

TEST(FloatTest, Comparisons) {
  const std::vector<Operands> pairs = Pairs(32, InterestingFloats());
  using Compare = std::function<bool(float, float)>;
  const auto unordered = [](float a, float b) {
    return std::isnan(a) || std::isnan(b);
  };
  const std::vector<std::pair<std::string, Compare>> rows = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [&](float a, float b) { return !unordered(a, b) && a != b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"equ", [&](float a, float b) { return unordered(a, b) || a == b; }},
      {"neu", [](float a, float b) { return a != b; }},
      {"ltu", [](float a, float b) { return !(a >= b); }},
      {"leu", [](float a, float b) { return !(a > b); }},
      {"gtu", [](float a, float b) { return !(a <= b); }},
      {"geu", [](float a, float b) { return !(a < b); }},
      {"num", [&](float a, float b) { return !unordered(a, b); }},
      {"nan", unordered}};
  for (const auto& [name, compare] : rows) {
    const auto got =
        Evaluate(absl::StrCat("setp.", name, ".f32 %o, %i0, %i1;"), 1, pairs);
    for (size_t k = 0; k < got.size(); ++k) {
      const float a = Float(pairs[0].values[k]);
      const float b = Float(pairs[1].values[k]);
      ASSERT_EQ(got[k], compare(a, b)) << name << " " << a << " " << b;
    }
  }
  EXPECT_EQ(Evaluate1("setp.eq.ftz.f32 %o, %i0, 0f00000000;", 1, {{32, {1}}}),
            1);
  EXPECT_EQ(Evaluate1("setp.lt.bf16 %o, %i0, %i1;", 1,
                      {{16, {0x3f80}}, {16, {0x3f81}}}),
            1);
  EXPECT_EQ(Evaluate1("setp.gt.f64 %o, %i0, 0d3FE0000000000000;", 1,
                      {{64, {Bits(0.75)}}}),
            1);
}

}  // namespace
}  // namespace accel::ptx
