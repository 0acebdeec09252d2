// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The approximations are correctly rounded by default, keep to the documented
// error when they are perturbed, and treat special values as documented.
#include <cmath>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

struct Row {
  const char* operation;
  std::function<double(double)> exact;
  double least;
  double greatest;
  double relative;  // the documented maximum error
  double absolute;
};

const std::vector<Row>& Rows() {
  static const auto* const kRows = new std::vector<Row>{
      {"ex2.approx.ftz.f32", [](double a) { return std::exp2(a); }, -120, 120,
       0x1p-22, 0},
      {"lg2.approx.ftz.f32", [](double a) { return std::log2(a); }, 0.01, 100,
       0x1p-22, 0x1p-22},
      {"sin.approx.f32", [](double a) { return std::sin(a); }, -6, 6, 0,
       std::exp2(-20.5)},
      {"cos.approx.ftz.f32", [](double a) { return std::cos(a); }, -6, 6, 0,
       std::exp2(-20.5)},
      {"tanh.approx.f32", [](double a) { return std::tanh(a); }, -10, 10,
       0x1p-11, 0},
      {"rcp.approx.ftz.f32", [](double a) { return 1 / a; }, -1e6, 1e6, 0x1p-23,
       0},
      {"rsqrt.approx.f32", [](double a) { return 1 / std::sqrt(a); }, 1e-6, 1e6,
       std::exp2(-22.4), 0},
      {"sqrt.approx.ftz.f32", [](double a) { return std::sqrt(a); }, 1e-6, 1e6,
       0x1p-23, 0},
  };
  return *kRows;
}

TEST(ApproximationTest, DefaultAndPerturbed) {
  for (const Row& row : Rows()) {
    Operands values;
    for (uint64_t k = 0; k < 4000; ++k) {
      const double unit = std::ldexp(double(Hash(3, k) >> 11), -53);
      values.values.push_back(Bits(
          static_cast<float>(row.least + (row.greatest - row.least) * unit)));
    }
    const std::string text = absl::StrCat(row.operation, " %o, %i0;");
    const auto rounded = Evaluate(text, 32, {values});
    Options options;
    options.approximation = Approximation::kPerturbed;
    options.seed = 1;
    const auto first = Evaluate(text, 32, {values}, options);
    options.seed = 2;
    const auto second = Evaluate(text, 32, {values}, options);
    size_t moved = 0;
    for (size_t k = 0; k < rounded.size(); ++k) {
      const double exact = row.exact(Float(values.values[k]));
      ASSERT_EQ(rounded[k], Bits(static_cast<float>(exact))) << row.operation;
      const double limit = row.relative * std::fabs(exact) + row.absolute;
      ASSERT_LE(std::fabs(Float(first[k]) - exact), limit) << row.operation;
      ASSERT_LE(std::fabs(Float(second[k]) - exact), limit) << row.operation;
      moved += first[k] != rounded[k] || second[k] != rounded[k] ? 1 : 0;
    }
    EXPECT_GT(moved, rounded.size() / 4) << row.operation;
  }
}

TEST(ApproximationTest, SpecialValues) {
  const auto one = [](const std::string& operation, uint64_t bits) {
    Options options;
    options.approximation = Approximation::kPerturbed;
    options.seed = 7;
    return Evaluate1(operation + " %o, %i0;", 32, {{32, {bits}}}, options);
  };
  constexpr uint64_t kInf = 0x7f800000;
  constexpr uint64_t kMinusInf = 0xff800000;
  constexpr uint64_t kNan = 0x7fffffff;
  EXPECT_EQ(one("ex2.approx.ftz.f32", kMinusInf), 0);
  EXPECT_EQ(one("ex2.approx.ftz.f32", 0x80000000), Bits(1.0F));
  EXPECT_EQ(one("ex2.approx.ftz.f32", Bits(-140.0F)), 0);
  EXPECT_NE(one("ex2.approx.f32", Bits(-140.0F)), 0);
  EXPECT_EQ(one("lg2.approx.f32", 0), kMinusInf);
  EXPECT_EQ(one("lg2.approx.f32", Bits(-1.0F)), kNan);
  EXPECT_EQ(one("rcp.approx.ftz.f32", 0x80000000), kMinusInf);
  EXPECT_EQ(one("rcp.approx.ftz.f32", 1), kInf);
  EXPECT_EQ(one("rcp.approx.ftz.f32", kMinusInf), 0x80000000);
  EXPECT_EQ(one("rsqrt.approx.f32", 0x80000000), kMinusInf);
  EXPECT_EQ(one("rsqrt.approx.f32", Bits(-1.0F)), kNan);
  EXPECT_EQ(one("sqrt.approx.ftz.f32", 0x80000000), 0x80000000);
  EXPECT_EQ(one("tanh.approx.f32", kMinusInf), Bits(-1.0F));
  EXPECT_EQ(one("sin.approx.f32", kInf), kNan);
  EXPECT_EQ(one("cos.approx.f32", 0), Bits(1.0F));
}

TEST(ApproximationTest, Division) {
  const auto divide = [](const std::string& form, float a, float b) {
    return Evaluate1(absl::StrCat("div.", form, ".f32 %o, %i0, %i1;"), 32,
                     {{32, {Bits(a)}}, {32, {Bits(b)}}});
  };
  EXPECT_EQ(divide("approx", 1, 3), Bits(1.0F / 3));
  EXPECT_EQ(divide("full", 1, 3), Bits(1.0F / 3));
  EXPECT_EQ(divide("approx", 0x1p127F, 0x1.8p126F), 0);
  EXPECT_EQ(divide("full", 0x1p127F, 0x1.8p126F), Bits(0x1p127F / 0x1.8p126F));
  EXPECT_EQ(divide("approx.ftz", 1, 0), 0x7f800000);
}

TEST(ApproximationTest, NarrowAndWideTypes) {
  EXPECT_EQ(Evaluate1("ex2.approx.ftz.bf16 %o, %i0;", 16, {{16, {0x3f80}}}),
            0x4000);
  EXPECT_EQ(Evaluate1("tanh.approx.f16x2 %o, %i0;", 32, {{32, {0x00007c00}}}),
            0x3c00);
  EXPECT_EQ(Evaluate1("ex2.approx.f16 %o, %i0;", 16, {{16, {0xbc00}}}), 0x3800);
  EXPECT_EQ(Evaluate1("rcp.approx.ftz.f64 %o, %i0;", 64, {{64, {Bits(4.0)}}}),
            Bits(0.25));
}

}  // namespace
}  // namespace accel::ptx
