// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions, and arithmetic in the narrow formats, against a reference that
// searches a table of all numbers of a format: it shares no idea with the
// interpreter's rounding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

// All non-negative finite numbers of a format, by its definition.
class Table {
 public:
  Table(int exponent_bits, int mantissa_bits, uint32_t greatest)
      : sign_(1u << (exponent_bits + mantissa_bits)) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    for (uint32_t bits = 0; bits <= greatest; ++bits) {
      const uint32_t exponent = bits >> mantissa_bits;
      const double fraction =
          (bits & ((1u << mantissa_bits) - 1)) * std::exp2(-mantissa_bits);
      values_.push_back(exponent == 0
                            ? fraction * std::exp2(1 - bias)
                            : (1 + fraction) * std::exp2(int(exponent) - bias));
    }
  }

  double Value(uint32_t bits) const {
    const double magnitude = values_.at(bits & (sign_ - 1));
    return (bits & sign_) != 0 ? -magnitude : magnitude;
  }
  bool Holds(uint32_t bits) const {
    return (bits & (sign_ - 1)) < values_.size();
  }

  // The nearest number, of two the one with an even mantissa. Beyond the
  // greatest one and half a step comes `overflow`.
  uint32_t Nearest(double value, uint32_t overflow) const {
    const double magnitude = std::fabs(value);
    const uint32_t sign = std::signbit(value) ? sign_ : 0;
    const auto above =
        std::lower_bound(values_.begin(), values_.end(), magnitude);
    const size_t last = values_.size() - 1;
    if (above == values_.end()) {
      const double step = values_[last] - values_[last - 1];
      const bool fits = magnitude < values_[last] + step / 2;
      return sign | (fits ? static_cast<uint32_t>(last) : overflow);
    }
    auto index = static_cast<uint32_t>(above - values_.begin());
    if (index > 0) {
      const double up = values_[index] - magnitude;
      const double down = magnitude - values_[index - 1];
      index -= down < up || (down == up && index % 2 == 1) ? 1 : 0;
    }
    return sign | index;
  }

 private:
  uint32_t sign_;
  std::vector<double> values_;
};

const Table& F16() {
  static const Table* const kTable = new Table(5, 10, 0x7bff);
  return *kTable;
}
const Table& Bf16() {
  static const Table* const kTable = new Table(8, 7, 0x7f7f);
  return *kTable;
}
const Table& E4m3() {
  static const Table* const kTable = new Table(4, 3, 0x7e);
  return *kTable;
}
const Table& E5m2() {
  static const Table* const kTable = new Table(5, 2, 0x7b);
  return *kTable;
}

std::vector<uint64_t> AllOf16Bits() {
  std::vector<uint64_t> values(65536);
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = k;
  }
  return values;
}

// f32 numbers around all numbers of the formats and halfway between them.
std::vector<uint64_t> HardFloats(const Table& table, uint32_t count) {
  std::vector<uint64_t> values = InterestingFloats();
  for (uint32_t k = 0; k + 1 < count; ++k) {
    const double middle = (table.Value(k) + table.Value(k + 1)) / 2;
    const uint32_t bits = Bits(static_cast<float>(middle));
    for (const uint32_t near : {bits, bits + 1, bits == 0 ? 0 : bits - 1}) {
      values.push_back(near);
      values.push_back(near | 0x80000000);
    }
  }
  return values;
}

TEST(ConversionTest, F8ToF16IsExactForAllBytes) {
  for (const bool e4m3 : {true, false}) {
    const Table& table = e4m3 ? E4m3() : E5m2();
    const auto got = Evaluate(
        absl::StrCat("cvt.rn.f16x2.", e4m3 ? "e4m3x2" : "e5m2x2", " %o, %i0;"),
        32, {{16, AllOf16Bits()}});
    for (uint32_t pair = 0; pair < got.size(); ++pair) {
      for (const int half : {0, 1}) {
        const uint32_t bits = pair >> (8 * half) & 0xff;
        const uint32_t result = got[pair] >> (16 * half) & 0xffff;
        if (table.Holds(bits)) {
          ASSERT_EQ(F16().Value(result), table.Value(bits)) << bits;
          ASSERT_EQ(result >> 15, bits >> 7);
        } else if (!e4m3 && (bits & 0x7f) == 0x7c) {
          ASSERT_EQ(result, (bits >> 7) << 15 | 0x7c00) << bits;
        } else {
          ASSERT_EQ(result, 0x7fff) << bits;
        }
      }
    }
  }
}

TEST(ConversionTest, F32ToF8SaturatesToFinite) {
  for (const bool e4m3 : {true, false}) {
    const Table& table = e4m3 ? E4m3() : E5m2();
    const uint32_t greatest = e4m3 ? 0x7e : 0x7b;
    const Operands values = {32, HardFloats(table, greatest + 1)};
    const auto got =
        Evaluate(absl::StrCat("cvt.rn.satfinite.", e4m3 ? "e4m3x2" : "e5m2x2",
                              ".f32 %o, %i0, 0f3F800000;"),
                 16, {values});
    for (size_t k = 0; k < got.size(); ++k) {
      const float value = Float(values.values[k]);
      const uint32_t expected =
          std::isnan(value) ? 0x7f : table.Nearest(value, greatest);
      ASSERT_EQ(got[k] >> 8, expected) << value;
      // The second operand is the lower half.
      ASSERT_EQ(got[k] & 0xff, table.Nearest(1, greatest));
    }
  }
}

TEST(ConversionTest, F16ToF8) {
  const auto got = Evaluate("cvt.rn.satfinite.e4m3x2.f16x2 %o, %i0;", 16,
                            {{32, AllOf16Bits()}});
  for (uint32_t bits = 0; bits < got.size(); ++bits) {
    if (F16().Holds(bits)) {
      ASSERT_EQ(got[bits], E4m3().Nearest(F16().Value(bits), 0x7e));
    }
  }
}

TEST(ConversionTest, F32ToNarrowTypes) {
  const Operands halves = {32, HardFloats(F16(), 0x7c00)};
  const auto f16 = Evaluate("cvt.rn.f16.f32 %o, %i0;", 16, {halves});
  const Operands brains = {32, HardFloats(Bf16(), 0x7f80)};
  const auto bf16 = Evaluate("cvt.rn.bf16.f32 %o, %i0;", 16, {brains});
  const auto pair =
      Evaluate("cvt.rn.bf16x2.f32 %o, 0f3F800000, %i0;", 32, {brains});
  for (size_t k = 0; k < f16.size(); ++k) {
    const float value = Float(halves.values[k]);
    ASSERT_EQ(f16[k], std::isnan(value) ? 0x7fff : F16().Nearest(value, 0x7c00))
        << value;
  }
  for (size_t k = 0; k < bf16.size(); ++k) {
    const float value = Float(brains.values[k]);
    const uint32_t expected =
        std::isnan(value) ? 0x7fff : Bf16().Nearest(value, 0x7f80);
    ASSERT_EQ(bf16[k], expected) << value;
    ASSERT_EQ(pair[k], 0x3f800000 | expected) << value;
  }
}

TEST(ConversionTest, RoundingsAndModifiersOfNarrowTypes) {
  const auto one = [](const std::string& operation, float value) {
    return Evaluate1(operation + " %o, %i0;", 16, {{32, {Bits(value)}}});
  };
  EXPECT_EQ(one("cvt.rz.f16.f32", 1 + 0x1.8p-10F), 0x3c01);
  EXPECT_EQ(one("cvt.rn.f16.f32", 1 + 0x1.8p-10F), 0x3c02);
  EXPECT_EQ(one("cvt.rp.f16.f32", 1 + 0x1p-20F), 0x3c01);
  EXPECT_EQ(one("cvt.rm.f16.f32", -1 - 0x1p-20F), 0xbc01);
  EXPECT_EQ(one("cvt.rz.bf16.f32", 1 + 0x1.8p-7F), 0x3f81);
  EXPECT_EQ(one("cvt.rn.relu.bf16.f32", -2), 0);
  EXPECT_EQ(one("cvt.rn.sat.f16.f32", 3), 0x3c00);
  EXPECT_EQ(one("cvt.rz.f16.f32", 1e30F), 0x7bff);
  EXPECT_EQ(Evaluate1("cvt.rn.relu.f16x2.f32 %o, %i0, 0f3F800000;", 32,
                      {{32, {Bits(-2.0F)}}}),
            0x3c00);
}

TEST(ConversionTest, NarrowToF32AndF64) {
  const std::vector<uint64_t> all = AllOf16Bits();
  const auto f16 = Evaluate("cvt.f32.f16 %o, %i0;", 32, {{16, all}});
  const auto bf16 = Evaluate("cvt.f32.bf16 %o, %i0;", 32, {{16, all}});
  const auto f64 = Evaluate("cvt.f64.f16 %o, %i0;", 64, {{16, all}});
  for (uint32_t bits = 0; bits < all.size(); ++bits) {
    ASSERT_EQ(bf16[bits], bits << 16);
    if (F16().Holds(bits)) {
      ASSERT_EQ(Float(f16[bits]), F16().Value(bits));
      ASSERT_EQ(Double(f64[bits]), F16().Value(bits));
    } else {
      ASSERT_EQ(std::isnan(Float(f16[bits])), (bits & 0x3ff) != 0);
    }
  }
}

TEST(ConversionTest, ArithmeticOfNarrowTypes) {
  for (const bool half : {true, false}) {
    const Table& table = half ? F16() : Bf16();
    const uint32_t infinity = half ? 0x7c00 : 0x7f80;
    const std::string type = half ? "f16" : "bf16";
    std::vector<Operands> three = {{16, {}}, {16, {}}, {16, {}}};
    for (uint64_t k = 0; k < 20000; ++k) {
      for (uint64_t column = 0; column < 3; ++column) {
        three[column].values.push_back(Hash(column + 5, k) & 0xffff);
      }
    }
    const auto run = [&](const std::string& operation) {
      return Evaluate(absl::StrCat(operation, ".rn.", type, " %o, %i0, %i1",
                                   operation == "fma" ? ", %i2;" : ";"),
                      16, three);
    };
    const auto sums = run("add");
    const auto products = run("mul");
    const auto fmas = run("fma");
    for (size_t k = 0; k < sums.size(); ++k) {
      uint32_t bits[3];
      bool finite = true;
      for (int column = 0; column < 3; ++column) {
        bits[column] = static_cast<uint32_t>(three[column].values[k]);
        finite = finite && table.Holds(bits[column]);
      }
      if (!finite) {
        continue;
      }
      const double a = table.Value(bits[0]);
      const double b = table.Value(bits[1]);
      const double c = table.Value(bits[2]);
      ASSERT_EQ(products[k], table.Nearest(a * b, infinity)) << a << " " << b;
      // Sums whose exact value has at most 53 bits.
      if (a + b - a == b && a + b - b == a) {
        ASSERT_EQ(sums[k], table.Nearest(a + b, infinity)) << a << " " << b;
      }
      const double p = a * b;
      if (p + c - p == c && p + c - c == p) {
        ASSERT_EQ(fmas[k], table.Nearest(p + c, infinity));
      }
    }
  }
  // 2^15 * 2^0 + 2^-24 is just above a number; + 16 is halfway, + more is up.
  EXPECT_EQ(Evaluate1("fma.rn.f16 %o, %i0, %i1, %i2;", 16,
                      {{16, {0x7801}}, {16, {0x3c00}}, {16, {0x0001}}}),
            0x7801);
  // 257 * 257 = 66049 in bf16, with a tiny addend that decides a tie.
  EXPECT_EQ(Evaluate1("fma.rn.bf16 %o, %i0, %i0, %i1;", 16,
                      {{16, {0x3f88}}, {16, {0x0001}}}),
            0x3f91);
  EXPECT_EQ(Evaluate1("add.f16x2 %o, %i0, %i1;", 32,
                      {{32, {0x3c004000}}, {32, {0x3c003c00}}}),
            0x40004200);
  EXPECT_EQ(Evaluate1("fma.rn.relu.bf16x2 %o, %i0, %i0, 0;", 32,
                      {{32, {0x3f80bf80}}}),
            0x3f803f80);
  EXPECT_EQ(Evaluate1("max.NaN.bf16 %o, %i0, %i1;", 16,
                      {{16, {0x7fc0}}, {16, {0x3f80}}}),
            0x7fff);
  EXPECT_EQ(Evaluate1("min.f16x2 %o, %i0, %i1;", 32,
                      {{32, {0x7e003c00}}, {32, {0x3c00bc00}}}),
            0x3c00bc00);
}

TEST(ConversionTest, BetweenIntegers) {
  const auto one = [](const std::string& operation, int to, int from,
                      uint64_t value) {
    return Evaluate1(operation + " %o, %i0;", to, {{from, {value}}});
  };
  EXPECT_EQ(one("cvt.s64.s32", 64, 32, 0xfffffff0), ~uint64_t{15});
  EXPECT_EQ(one("cvt.u64.u32", 64, 32, 0xfffffff0), 0xfffffff0);
  EXPECT_EQ(one("cvt.u32.u64", 32, 64, 0x1234567890), 0x34567890);
  EXPECT_EQ(one("cvt.s64.s8", 64, 64, 0x80), ~uint64_t{127});
  EXPECT_EQ(one("cvt.s32.s8", 32, 32, 0x1ff), 0xffffffff);
  EXPECT_EQ(one("cvt.u32.u8", 32, 16, 0x1ff), 0xff);
  EXPECT_EQ(one("cvt.s8.s32", 32, 32, 0x80), 0xffffff80);
  EXPECT_EQ(one("cvt.u8.u32", 16, 32, 0x1ff), 0xff);
  EXPECT_EQ(one("cvt.sat.s8.s32", 32, 32, 1000), 127);
  EXPECT_EQ(one("cvt.sat.u16.s32", 16, 32, 0xffffffff), 0);
  EXPECT_EQ(one("cvt.sat.s32.u32", 32, 32, 0xffffffff), 0x7fffffff);
  EXPECT_EQ(one("cvt.sat.s16.s64", 16, 64, uint64_t{1} << 63), 0x8000);
}

TEST(ConversionTest, IntegersToFloats) {
  for (const uint64_t value : InterestingIntegers(64)) {
    const auto one = [value](const char* operation, int bits) {
      return Evaluate1(absl::StrCat(operation, " %o, %i0;"), bits,
                       {{64, {value}}});
    };
    const auto s = static_cast<int64_t>(value);
    EXPECT_EQ(one("cvt.rn.f32.s64", 32), Bits(static_cast<float>(s)));
    EXPECT_EQ(one("cvt.rn.f32.u64", 32), Bits(static_cast<float>(value)));
    EXPECT_EQ(one("cvt.rn.f64.s64", 64), Bits(static_cast<double>(s)));
    EXPECT_EQ(one("cvt.rn.f64.u64", 64), Bits(static_cast<double>(value)));
    EXPECT_LE(Float(one("cvt.rz.f32.u64", 32)),
              static_cast<long double>(value));
    EXPECT_GE(Double(one("cvt.rp.f64.s64", 64)), static_cast<long double>(s));
    EXPECT_LE(Double(one("cvt.rm.f64.s64", 64)), static_cast<long double>(s));
  }
  EXPECT_EQ(Evaluate1("cvt.rn.bf16.s32 %o, %i0;", 16, {{32, {257}}}), 0x4380);
  EXPECT_EQ(Evaluate1("cvt.rn.f32.s8 %o, %i0;", 32, {{32, {0xff}}}),
            Bits(-1.0F));
}

TEST(ConversionTest, FloatsToIntegersSaturate) {
  for (const uint64_t bits : InterestingFloats()) {
    const float value = Float(bits);
    const auto one = [bits](const char* operation, int width) {
      return Evaluate1(absl::StrCat(operation, " %o, %i0;"), width,
                       {{32, {bits}}});
    };
    if (std::isnan(value)) {
      EXPECT_EQ(one("cvt.rzi.s32.f32", 32), 0);
      EXPECT_EQ(one("cvt.rzi.u16.f32", 16), 0);
      EXPECT_EQ(one("cvt.rni.s64.f32", 64), uint64_t{1} << 63);
      continue;
    }
    const auto clamp = [](double v, double least, double most) {
      return std::min(std::max(v, least), most);
    };
    EXPECT_EQ(one("cvt.rzi.s32.f32", 32),
              static_cast<uint32_t>(static_cast<int32_t>(
                  clamp(std::trunc(value), -0x1p31, 0x1p31 - 1))));
    EXPECT_EQ(
        one("cvt.rni.u32.f32", 32),
        static_cast<uint32_t>(clamp(std::nearbyint(value), 0, 0x1p32 - 1)));
    EXPECT_EQ(one("cvt.rmi.s16.f32", 16),
              static_cast<uint16_t>(static_cast<int16_t>(
                  clamp(std::floor(value), -32768, 32767))));
    EXPECT_EQ(one("cvt.rpi.u8.f32", 16),
              static_cast<uint8_t>(clamp(std::ceil(value), 0, 255)));
    EXPECT_EQ(one("cvt.rzi.s64.f32", 64),
              std::fabs(value) < 0x1p63F
                  ? static_cast<uint64_t>(static_cast<int64_t>(value))
                  : (value > 0 ? ~uint64_t{0} >> 1 : uint64_t{1} << 63));
  }
  EXPECT_EQ(
      Evaluate1("cvt.rzi.u32.f64 %o, %i0;", 32, {{64, {Bits(std::nan(""))}}}),
      0x80000000);
}

TEST(ConversionTest, BetweenF32AndF64) {
  for (const uint64_t bits : InterestingDoubles()) {
    const double value = Double(bits);
    const auto nearest =
        Evaluate1("cvt.rn.f32.f64 %o, %i0;", 32, {{64, {bits}}});
    const auto down = Evaluate1("cvt.rm.f32.f64 %o, %i0;", 32, {{64, {bits}}});
    if (std::isnan(value)) {
      EXPECT_EQ(nearest, 0x7fffffff);
    } else {
      EXPECT_EQ(nearest, Bits(static_cast<float>(value)));
      EXPECT_LE(Float(down), value);
    }
  }
  for (const uint64_t bits : InterestingFloats()) {
    const double value = Float(bits);
    const auto wide = Evaluate1("cvt.f64.f32 %o, %i0;", 64, {{32, {bits}}});
    EXPECT_TRUE(std::isnan(value) ? std::isnan(Double(wide))
                                  : wide == Bits(value));
  }
}

TEST(ConversionTest, FloatsToIntegralFloats) {
  for (const uint64_t bits : InterestingFloats()) {
    const float value = Float(bits);
    const auto one = [bits](const char* operation) {
      return Evaluate1(absl::StrCat(operation, " %o, %i0;"), 32,
                       {{32, {bits}}});
    };
    if (std::isnan(value)) {
      EXPECT_EQ(one("cvt.rni.f32.f32"), 0x7fffffff);
      continue;
    }
    EXPECT_EQ(one("cvt.rni.f32.f32"), Bits(std::nearbyint(value)));
    EXPECT_EQ(one("cvt.rzi.f32.f32"), Bits(std::trunc(value)));
    EXPECT_EQ(one("cvt.rmi.f32.f32"), Bits(std::floor(value)));
    EXPECT_EQ(one("cvt.rpi.f32.f32"), Bits(std::ceil(value)));
    EXPECT_EQ(one("cvt.sat.f32.f32"),
              Bits(value > 0 ? std::min(value, 1.0F) : 0.0F));
  }
  EXPECT_EQ(Evaluate1("cvt.rzi.f64.f64 %o, %i0;", 64, {{64, {Bits(-2.5)}}}),
            Bits(-2.0));
}

}  // namespace
}  // namespace accel::ptx
