// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every integer and bit instruction gives what the host's arithmetic gives.
#include <algorithm>
#include <bit>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

template <typename T>
using Binary = std::function<uint64_t(T, T)>;

// Compares an instruction of two sources with `expected` on all pairs.
template <typename T>
void CheckBinary(absl::string_view opcode, const Binary<T>& expected,
                 int result_bits = 8 * sizeof(T), bool skip_zero = false) {
  const int bits = 8 * sizeof(T);
  std::vector<uint64_t> values = InterestingIntegers(bits);
  if (skip_zero) {
    std::erase(values, 0u);
  }
  const std::vector<Operands> operands = Pairs(bits, values);
  const std::vector<uint64_t> got =
      Evaluate(absl::StrCat(opcode, " %o, %i0, %i1;"), result_bits, operands);
  const uint64_t mask =
      result_bits == 64 ? ~uint64_t{0} : (uint64_t{1} << result_bits) - 1;
  for (size_t k = 0; k < got.size(); ++k) {
    const T a = static_cast<T>(operands[0].values[k]);
    const T b = static_cast<T>(operands[1].values[k]);
    ASSERT_EQ(got[k], expected(a, b) & mask)
        << opcode << " of " << +a << " and " << +b;
  }
}

template <typename T>
void CheckArithmetic(absl::string_view type) {
  CheckBinary<T>(absl::StrCat("add.", type),
                 [](T a, T b) { return uint64_t(a) + uint64_t(b); });
  CheckBinary<T>(absl::StrCat("sub.", type),
                 [](T a, T b) { return uint64_t(a) - uint64_t(b); });
  CheckBinary<T>(absl::StrCat("mul.lo.", type),
                 [](T a, T b) { return uint64_t(a) * uint64_t(b); });
  CheckBinary<T>(absl::StrCat("mul.hi.", type), [](T a, T b) {
    return uint64_t((static_cast<__int128>(a) * static_cast<__int128>(b)) >>
                    (8 * sizeof(T)));
  });
  CheckBinary<T>(absl::StrCat("min.", type),
                 [](T a, T b) { return uint64_t(a < b ? a : b); });
  CheckBinary<T>(absl::StrCat("max.", type),
                 [](T a, T b) { return uint64_t(a < b ? b : a); });
  CheckBinary<T>(
      absl::StrCat("div.", type),
      [](T a, T b) { return uint64_t(__int128(a) / __int128(b)); },
      8 * sizeof(T), /*skip_zero=*/true);
  CheckBinary<T>(
      absl::StrCat("rem.", type),
      [](T a, T b) { return uint64_t(__int128(a) % __int128(b)); },
      8 * sizeof(T), /*skip_zero=*/true);
  for (const auto& [name, compare] :
       std::vector<std::pair<std::string, std::function<bool(T, T)>>>{
           {"eq", [](T a, T b) { return a == b; }},
           {"ne", [](T a, T b) { return a != b; }},
           {"lt", [](T a, T b) { return a < b; }},
           {"le", [](T a, T b) { return a <= b; }},
           {"gt", [](T a, T b) { return a > b; }},
           {"ge", [](T a, T b) { return a >= b; }}}) {
    CheckBinary<T>(
        absl::StrCat("setp.", name, ".", type),
        [&compare](T a, T b) { return uint64_t(compare(a, b)); }, 1);
  }
}

TEST(IntegerTest, ArithmeticOfAllTypes) {
  CheckArithmetic<uint16_t>("u16");
  CheckArithmetic<int16_t>("s16");
  CheckArithmetic<uint32_t>("u32");
  CheckArithmetic<int32_t>("s32");
  CheckArithmetic<int64_t>("s64");
}

TEST(IntegerTest, UnsignedOf64Bits) {
  using T = uint64_t;
  CheckBinary<T>("add.u64", [](T a, T b) { return a + b; });
  CheckBinary<T>("mul.hi.u64", [](T a, T b) {
    return uint64_t((static_cast<unsigned __int128>(a) * b) >> 64);
  });
  CheckBinary<T>("div.u64", [](T a, T b) { return a / b; }, 64, true);
  CheckBinary<T>("rem.u64", [](T a, T b) { return a % b; }, 64, true);
  CheckBinary<T>("setp.lo.u64", [](T a, T b) { return uint64_t(a < b); }, 1);
  CheckBinary<T>("setp.hs.u64", [](T a, T b) { return uint64_t(a >= b); }, 1);
}

TEST(IntegerTest, WideProducts) {
  CheckBinary<int16_t>(
      "mul.wide.s16", [](int16_t a, int16_t b) { return uint64_t(a * b); }, 32);
  CheckBinary<uint16_t>(
      "mul.wide.u16",
      [](uint16_t a, uint16_t b) { return uint64_t{a} * uint64_t{b}; }, 32);
  CheckBinary<int32_t>(
      "mul.wide.s32",
      [](int32_t a, int32_t b) { return uint64_t(int64_t{a} * b); }, 64);
  CheckBinary<uint32_t>(
      "mul.wide.u32", [](uint32_t a, uint32_t b) { return uint64_t{a} * b; },
      64);
}

TEST(IntegerTest, MultiplyAdd) {
  const uint64_t m = 0xffffffff;
  EXPECT_EQ(Evaluate1("mad.lo.s32 %o, %i0, %i1, %i2;", 32,
                      {{32, {m}}, {32, {7}}, {32, {10}}}),
            3);
  EXPECT_EQ(Evaluate1("mad.hi.u32 %o, %i0, %i1, %i2;", 32,
                      {{32, {m}}, {32, {m}}, {32, {10}}}),
            (m - 1 + 10) & m);
  EXPECT_EQ(Evaluate1("mad.wide.s32 %o, %i0, %i1, %i2;", 64,
                      {{32, {m}}, {32, {7}}, {64, {10}}}),
            3);
  EXPECT_EQ(Evaluate1("mad.wide.u32 %o, %i0, %i1, %i2;", 64,
                      {{32, {m}}, {32, {7}}, {64, {10}}}),
            m * 7 + 10);
  EXPECT_EQ(Evaluate1("sad.s32 %o, %i0, %i1, %i2;", 32,
                      {{32, {m}}, {32, {7}}, {32, {10}}}),
            18);
}

TEST(IntegerTest, SaturatingSums) {
  EXPECT_EQ(Evaluate1("add.sat.s32 %o, %i0, %i1;", 32,
                      {{32, {0x7fffffff}}, {32, {1}}}),
            0x7fffffff);
  EXPECT_EQ(Evaluate1("sub.sat.s32 %o, %i0, %i1;", 32,
                      {{32, {0x80000000}}, {32, {1}}}),
            0x80000000);
}

TEST(IntegerTest, NegateAndAbsolute) {
  EXPECT_EQ(Evaluate1("neg.s16 %o, %i0;", 16, {{16, {5}}}), 0xfffb);
  EXPECT_EQ(Evaluate1("neg.s64 %o, %i0;", 64, {{64, {1}}}), ~uint64_t{0});
  EXPECT_EQ(Evaluate1("abs.s32 %o, %i0;", 32, {{32, {0xfffffff0}}}), 16);
  EXPECT_EQ(Evaluate1("abs.s32 %o, %i0;", 32, {{32, {0x80000000}}}),
            0x80000000);
}

TEST(IntegerTest, Logic) {
  using T = uint32_t;
  CheckBinary<T>("and.b32", [](T a, T b) { return uint64_t{a & b}; });
  CheckBinary<T>("or.b32", [](T a, T b) { return uint64_t{a | b}; });
  CheckBinary<T>("xor.b32", [](T a, T b) { return uint64_t{a ^ b}; });
  EXPECT_EQ(Evaluate1("not.b16 %o, %i0;", 16, {{16, {0x00ff}}}), 0xff00);
  EXPECT_EQ(Evaluate1("not.pred %o, %i0;", 1, {{1, {1}}}), 0);
  EXPECT_EQ(Evaluate1("xor.pred %o, %i0, %i1;", 1, {{1, {1}}, {1, {0}}}), 1);
  EXPECT_EQ(Evaluate1("cnot.b32 %o, %i0;", 32, {{32, {0}}}), 1);
  // 0xe8 is the majority, 0x96 the parity.
  EXPECT_EQ(Evaluate1("lop3.b32 %o, %i0, %i1, %i2, 0xe8;", 32,
                      {{32, {0xf0}}, {32, {0xcc}}, {32, {0xaa}}}),
            0xe8);
  EXPECT_EQ(Evaluate1("lop3.b32 %o, %i0, %i1, %i2, 0x96;", 32,
                      {{32, {0xf0}}, {32, {0xcc}}, {32, {0xaa}}}),
            0x96);
}

TEST(IntegerTest, ShiftsClampTheirAmount) {
  Operands value{32, {}};
  Operands amount{32, {}};
  for (const uint64_t v : InterestingIntegers(32)) {
    for (const uint64_t s : {0u, 1u, 5u, 31u, 32u, 33u, 64u, 0xffffffffu}) {
      value.values.push_back(v);
      amount.values.push_back(s);
    }
  }
  const auto left = Evaluate("shl.b32 %o, %i0, %i1;", 32, {value, amount});
  const auto right = Evaluate("shr.u32 %o, %i0, %i1;", 32, {value, amount});
  const auto arithmetic =
      Evaluate("shr.s32 %o, %i0, %i1;", 32, {value, amount});
  for (size_t k = 0; k < left.size(); ++k) {
    const auto v = static_cast<uint32_t>(value.values[k]);
    const auto s = static_cast<uint32_t>(amount.values[k]);
    ASSERT_EQ(left[k], s > 31 ? 0 : v << s);
    ASSERT_EQ(right[k], s > 31 ? 0 : v >> s);
    ASSERT_EQ(static_cast<int32_t>(arithmetic[k]),
              static_cast<int32_t>(v) >> std::min(s, 31u));
  }
  EXPECT_EQ(Evaluate1("shl.b64 %o, %i0, %i1;", 64, {{64, {1}}, {32, {63}}}),
            uint64_t{1} << 63);
  EXPECT_EQ(
      Evaluate1("shr.s16 %o, %i0, %i1;", 16, {{16, {0x8000}}, {32, {20}}}),
      0xffff);
  EXPECT_EQ(
      Evaluate1("shr.u16 %o, %i0, %i1;", 16, {{16, {0x8000}}, {32, {15}}}), 1);
}

TEST(IntegerTest, FunnelShifts) {
  const std::vector<Operands> three = {
      {32, {0x11223344}}, {32, {0xaabbccdd}}, {32, {8}}};
  EXPECT_EQ(Evaluate1("shf.l.wrap.b32 %o, %i0, %i1, %i2;", 32, three),
            0xbbccdd11);
  EXPECT_EQ(Evaluate1("shf.r.wrap.b32 %o, %i0, %i1, %i2;", 32, three),
            0xdd112233);
  const std::vector<Operands> large = {
      {32, {0x11223344}}, {32, {0xaabbccdd}}, {32, {40}}};
  EXPECT_EQ(Evaluate1("shf.l.wrap.b32 %o, %i0, %i1, %i2;", 32, large),
            0xbbccdd11);
  EXPECT_EQ(Evaluate1("shf.l.clamp.b32 %o, %i0, %i1, %i2;", 32, large),
            0x11223344);
  EXPECT_EQ(Evaluate1("shf.r.clamp.b32 %o, %i0, %i1, %i2;", 32, large),
            0xaabbccdd);
}

TEST(IntegerTest, BitFields) {
  for (const uint32_t position : {0u, 4u, 20u, 31u, 32u, 255u}) {
    for (const uint32_t length : {0u, 1u, 8u, 16u, 32u, 255u}) {
      const uint32_t a = 0x9abcdef1;
      // Bit by bit, as the PTX ISA writes it.
      const uint32_t sign_at = std::min(position + length - 1, 31u);
      const bool sign = length != 0 && (a >> sign_at & 1) != 0;
      uint32_t extracted = 0;
      uint32_t extracted_signed = 0;
      uint32_t inserted = 0x55555555;
      for (uint32_t k = 0; k < 32; ++k) {
        const bool held = k < length && position + k <= 31;
        const bool bit = held && (a >> (position + k) & 1) != 0;
        extracted |= uint32_t{bit} << k;
        extracted_signed |= uint32_t{held ? bit : sign} << k;
        if (held) {
          inserted &= ~(1u << (position + k));
          inserted |= (a >> k & 1) << (position + k);
        }
      }
      const std::vector<Operands> three = {
          {32, {a}}, {32, {position}}, {32, {length}}};
      EXPECT_EQ(Evaluate1("bfe.u32 %o, %i0, %i1, %i2;", 32, three), extracted)
          << position << " " << length;
      EXPECT_EQ(Evaluate1("bfe.s32 %o, %i0, %i1, %i2;", 32, three),
                extracted_signed)
          << position << " " << length;
      EXPECT_EQ(Evaluate1("bfi.b32 %o, %i0, 0x55555555, %i1, %i2;", 32, three),
                inserted)
          << position << " " << length;
    }
  }
  EXPECT_EQ(Evaluate1("bfe.u64 %o, %i0, 60, 8;", 64, {{64, {~uint64_t{0}}}}),
            0xf);
  EXPECT_EQ(Evaluate1("bmsk.clamp.b32 %o, %i0, 3;", 32, {{32, {4}}}), 0x70);
}

TEST(IntegerTest, Counts) {
  for (const uint64_t value : InterestingIntegers(32)) {
    const auto v = static_cast<uint32_t>(value);
    EXPECT_EQ(Evaluate1("clz.b32 %o, %i0;", 32, {{32, {v}}}),
              std::countl_zero(v));
    EXPECT_EQ(Evaluate1("popc.b32 %o, %i0;", 32, {{32, {v}}}),
              std::popcount(v));
    EXPECT_EQ(Evaluate1("bfind.u32 %o, %i0;", 32, {{32, {v}}}),
              v == 0 ? 0xffffffff : 31u - std::countl_zero(v));
    EXPECT_EQ(Evaluate1("bfind.shiftamt.u32 %o, %i0;", 32, {{32, {v}}}),
              v == 0 ? 0xffffffff : std::countl_zero(v));
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) {
      reversed |= (v >> k & 1) << (31 - k);
    }
    EXPECT_EQ(Evaluate1("brev.b32 %o, %i0;", 32, {{32, {v}}}), reversed);
  }
  EXPECT_EQ(Evaluate1("clz.b64 %o, %i0;", 32, {{64, {1}}}), 63);
  EXPECT_EQ(Evaluate1("bfind.s32 %o, %i0;", 32, {{32, {0xfffffff0}}}), 3);
}

TEST(IntegerTest, Permute) {
  const std::vector<Operands> two = {{32, {0x83828180}}, {32, {0x07060504}}};
  EXPECT_EQ(Evaluate1("prmt.b32 %o, %i0, %i1, 0x5410;", 32, two), 0x05048180);
  EXPECT_EQ(Evaluate1("prmt.b32 %o, %i0, 0, 0x123U;", 32, two), 0x80818283);
  EXPECT_EQ(Evaluate1("prmt.b32 %o, %i0, %i1, 0xb7c0;", 32, two), 0xff070080);
}

TEST(IntegerTest, MovesPackAndUnpack) {
  EXPECT_EQ(Evaluate1("mov.b32 %o, {%i0, %i1};", 32,
                      {{16, {0x1122}}, {16, {0x3344}}}),
            0x33441122);
  EXPECT_EQ(Evaluate1("mov.b64 %o, {%i0, %i1};", 64,
                      {{32, {0x11223344}}, {32, {0x55667788}}}),
            0x5566778811223344);
  EXPECT_EQ(
      Evaluate1("mov.b64 {%r5, %o}, %i0;", 32, {{64, {0x5566778811223344}}}),
      0x55667788);
  EXPECT_EQ(Evaluate1("mov.b64 {%h5, %h6, %o, %h7}, %i0;", 16,
                      {{64, {0x5566778811223344}}}),
            0x7788);
  EXPECT_EQ(Evaluate1("mov.b32 {_, %o}, %i0;", 16, {{32, {0x11223344}}}),
            0x1122);
}

TEST(IntegerTest, Selection) {
  const std::vector<Operands> three = {{32, {3}}, {32, {4}}, {1, {1}}};
  EXPECT_EQ(Evaluate1("selp.b32 %o, %i0, %i1, %i2;", 32, three), 3);
  EXPECT_EQ(Evaluate1("selp.b32 %o, %i0, -1, !%i2;", 32, three), 0xffffffff);
  EXPECT_EQ(Evaluate1("slct.b32.s32 %o, %i0, %i1, -1;", 32, three), 4);
  EXPECT_EQ(Evaluate1("slct.b32.f32 %o, %i0, %i1, 0f3F800000;", 32, three), 3);
  EXPECT_EQ(Evaluate1("set.lt.u32.s32 %o, %i0, %i1;", 32, three), 0xffffffff);
  EXPECT_EQ(Evaluate1("set.gt.f32.s32 %o, %i0, %i1;", 32, three), 0);
}

TEST(IntegerTest, ComparisonsCombineWithAPredicate) {
  for (const uint64_t p : {0, 1}) {
    const std::vector<Operands> three = {{32, {3}}, {32, {4}}, {1, {p}}};
    EXPECT_EQ(Evaluate1("setp.lt.and.s32 %o, %i0, %i1, %i2;", 1, three), p);
    EXPECT_EQ(Evaluate1("setp.lt.and.s32 %o, %i0, %i1, !%i2;", 1, three),
              1 - p);
    EXPECT_EQ(Evaluate1("setp.gt.or.s32 %o, %i0, %i1, %i2;", 1, three), p);
    EXPECT_EQ(Evaluate1("setp.lt.xor.s32 %o, %i0, %i1, %i2;", 1, three), 1 - p);
    // The second result is the negated comparison, combined.
    EXPECT_EQ(Evaluate1("setp.lt.or.s32 %p1|%o, %i0, %i1, %i2;", 1, three), p);
  }
}

}  // namespace
}  // namespace accel::ptx
