// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of every type, layout and epilogue, by every algorithm, are those of
// a plain sum in double precision, and no byte beside D is written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

constexpr size_t kAllowedBytes = size_t{5} << 20;

struct Case {
  std::string name;
  int types[4] = {cuda::kR32F, cuda::kR32F, cuda::kR32F, cuda::kR32F};
  int64_t m = 70, n = 33, k = 130;
  bool transpose_a = false, transpose_b = false;
  int32_t order_a = 0, order_b = 0, order_d = 0;
  int32_t batches = 1;
  int64_t pad = 0;  // of a line, and of a batch
  int compute_type = cuda::kCompute32F;
  float alpha = 1, beta = 0;
  int bias_type = -1;              // -1: no bias
  float a_scale = 0, b_scale = 0;  // 0: no pointer
  bool in_place = false;
};

MatrixSpec Spec(const Case& test, int type, int64_t rows, int64_t columns,
                int32_t order) {
  const int64_t line = (order == 0 ? rows : columns) + test.pad;
  const int64_t lines = order == 0 ? columns : rows;
  const int64_t stride = test.batches == 1 ? 0 : line * lines + 3 * test.pad;
  return {type, rows, columns, line, order, test.batches, stride};
}

ProductSpec SpecOf(const Case& test) {
  const auto& [m, n, k] = std::tie(test.m, test.n, test.k);
  ProductSpec spec;
  spec.transpose_a = test.transpose_a;
  spec.transpose_b = test.transpose_b;
  spec.compute_type = test.compute_type;
  spec.a = Spec(test, test.types[0], test.transpose_a ? k : m,
                test.transpose_a ? m : k, test.order_a);
  spec.b = Spec(test, test.types[1], test.transpose_b ? n : k,
                test.transpose_b ? k : n, test.order_b);
  spec.c = Spec(test, test.types[2], m, n, test.order_d);
  spec.d = Spec(test, test.types[3], m, n, test.order_d);
  return spec;
}

std::vector<double> BiasOf(const Case& test) {
  std::vector<double> bias;
  for (int64_t row = 0; test.bias_type >= 0 && row < test.m; ++row) {
    bias.push_back((row % 7 - 3) / 4.0);
  }
  return bias;
}

std::vector<std::byte> Bytes(const std::vector<double>& values, int type) {
  std::vector<std::byte> bytes(values.size() * BytesOf(type) + 16);
  for (size_t i = 0; i < values.size(); ++i) {
    Encode(type, values[i], bytes.data() + i * BytesOf(type));
  }
  return bytes;
}

class Products : public testing::TestWithParam<Case> {
 protected:
  Products()
      : spec_(SpecOf(GetParam())),
        bias_(BiasOf(GetParam())),
        a_(spec_.a, 0xff),
        b_(spec_.b, 0xff),
        // Without beta, C is NaN.
        c_(spec_.c, 0xff),
        bias_buffer_(Bytes(bias_, std::max(GetParam().bias_type, 0))),
        // At multiples of 16 bytes.
        scales_(Bytes({GetParam().a_scale, 0, 0, 0, GetParam().b_scale},
                      cuda::kR32F)),
        workspace_(kAllowedBytes) {
    a_.SetAll(1);
    b_.SetAll(2);
    if (GetParam().beta != 0) {
      c_.SetAll(3);
    }
    if (!bias_.empty()) {
      spec_.epilogue = 4;
      spec_.bias = bias_buffer_.at();
    }
    if (GetParam().a_scale != 0) {
      spec_.a_scale = scales_.at();
    }
    if (GetParam().b_scale != 0) {
      spec_.b_scale = scales_.at(4 * sizeof(float));
    }
  }

  HostMatrix Run(ProductObjects& objects,
                 const cuda::MatmulHeuristic& heuristic);
  void Check(HostMatrix& d, int roundings);

  ProductSpec spec_;
  std::vector<double> bias_;
  HostMatrix a_, b_, c_;
  DeviceBuffer bias_buffer_;
  DeviceBuffer scales_;
  DeviceBuffer workspace_;
};

HostMatrix Products::Run(ProductObjects& objects,
                         const cuda::MatmulHeuristic& heuristic) {
  const Case& test = GetParam();
  HostMatrix d = test.in_place ? c_ : HostMatrix(spec_.d, 0x5a);
  DeviceBuffer a(a_.bytes()), b(b_.bytes()), c(c_.bytes()), d_(d.bytes());
  const Arguments arguments{test.alpha,
                            test.beta,
                            a.at(),
                            b.at(),
                            test.in_place ? d_.at() : c.at(),
                            d_.at(),
                            workspace_.at(),
                            kAllowedBytes};
  EXPECT_EQ(Multiply(objects, heuristic.algo, arguments), 0);
  Finish();
  d.bytes() = d_.Download();
  return d;
}

void Products::Check(HostMatrix& d, int roundings) {
  const Case& test = GetParam();
  const float scale = (test.a_scale == 0 ? 1 : test.a_scale) *
                      (test.b_scale == 0 ? 1 : test.b_scale);
  const Operands operands{spec_,    a_, b_, c_, bias_, test.alpha * scale,
                          test.beta};
  const HostMatrix before = test.in_place ? c_ : HostMatrix(spec_.d, 0x5a);
  int wrong = 0;
  for (int64_t batch = 0; batch < test.batches; ++batch) {
    for (int64_t row = 0; row < test.m; ++row) {
      for (int64_t column = 0; column < test.n; ++column) {
        const Expected expected =
            Compute(operands, batch, row, column, roundings);
        const double got = d.Get(batch, row, column);
        wrong += !(std::fabs(got - expected.value) <= expected.error);
        d.Set(batch, row, column, before.Get(batch, row, column));
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "elements are not the product";
  EXPECT_TRUE(d.bytes() == before.bytes()) << "bytes between D's changed";
}

TEST_P(Products, AreThoseOfAPlainSumByEveryAlgorithm) {
  ProductObjects objects(spec_);
  objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{kAllowedBytes});
  const auto found = objects.Find();
  ASSERT_FALSE(found.empty());
  for (const cuda::MatmulHeuristic& heuristic : found) {
    SCOPED_TRACE(AttributeOf(heuristic.algo, cuda::kAlgoId));
    const bool in_place =
        AttributeOf(heuristic.algo, cuda::kAlgoReductionScheme) ==
        cuda::kReductionInPlace;
    HostMatrix d = Run(objects, heuristic);
    Check(d, in_place ? 3 : 1);
  }
}

std::vector<Case> TypeCases() {
  constexpr int kF32 = cuda::kR32F, kF16 = cuda::kR16F, kBf16 = cuda::kR16BF;
  constexpr int kE4m3 = cuda::kR8F_E4M3, kE5m2 = cuda::kR8F_E5M2;
  std::vector<Case> cases = {
      {.name = "F32"},
      {.name = "Tf32", .compute_type = cuda::kCompute32FFastTf32},
      {.name = "Bf16", .types = {kBf16, kBf16, kBf16, kBf16}},
      {.name = "Bf16ToF32", .types = {kBf16, kBf16, kF32, kF32}},
      {.name = "F16", .types = {kF16, kF16, kF16, kF16}},
      {.name = "F16ToF32", .types = {kF16, kF16, kF32, kF32}},
  };
  const std::pair<std::string, std::vector<int>> fp8[] = {
      {"E4m3ToBf16", {kE4m3, kE4m3, kBf16, kBf16}},
      {"E4m3E5m2ToF16", {kE4m3, kE5m2, kF16, kF16}},
      {"E5m2E4m3ToF32", {kE5m2, kE4m3, kF32, kF32}},
      {"E4m3ToE4m3", {kE4m3, kE4m3, kBf16, kE4m3}},
      {"E5m2E4m3ToE5m2", {kE5m2, kE4m3, kF16, kE5m2}}};
  for (const auto& [name, types] : fp8) {
    Case test{.name = name, .m = 80, .n = 32, .k = 144, .transpose_a = true};
    std::copy(types.begin(), types.end(), test.types);
    // C has another type than D here, which beta shows.
    test.beta = 0.5;
    cases.push_back(test);
  }
  return cases;
}

std::vector<Case> LayoutCases() {
  std::vector<Case> cases;
  for (int bits = 0; bits < 32; ++bits) {
    Case test{.name = "Layout" + std::to_string(bits)};
    test.transpose_a = bits & 1;
    test.transpose_b = bits & 2;
    test.order_a = (bits >> 2) & 1;
    test.order_b = (bits >> 3) & 1;
    test.order_d = (bits >> 4) & 1;
    test.m = 37, test.n = 19, test.k = 101;
    test.pad = bits % 3;
    test.batches = 1 + bits % 2;
    test.beta = float(bits % 5) / 2;
    cases.push_back(test);
  }
  return cases;
}

std::vector<Case> ScaleCases() {
  constexpr int kF32 = cuda::kR32F, kBf16 = cuda::kR16BF;
  constexpr int kE4m3 = cuda::kR8F_E4M3, kE5m2 = cuda::kR8F_E5M2;
  return {
      {.name = "Alpha", .alpha = -2.5},
      {.name = "Beta", .alpha = 0.5, .beta = 3},
      {.name = "InPlace", .pad = 2, .beta = -1, .in_place = true},
      {.name = "InPlaceBf16",
       .types = {kBf16, kBf16, kBf16, kBf16},
       .batches = 3,
       .beta = 1,
       .in_place = true},
      {.name = "BetaIsZeroInPlace", .in_place = true},
      {.name = "Bias", .batches = 2, .bias_type = kF32},
      {.name = "BiasByRows", .order_d = 1, .bias_type = kF32},
      {.name = "BiasBf16",
       .types = {kBf16, kBf16, kBf16, kBf16},
       .beta = 1,
       .bias_type = kBf16},
      {.name = "BiasOfFp8IsBf16",
       .types = {kE4m3, kE4m3, kF32, kF32},
       .m = 16,
       .n = 32,
       .k = 48,
       .transpose_a = true,
       .bias_type = kBf16},
      {.name = "ScaledFp8",
       .types = {kE4m3, kE5m2, kBf16, kBf16},
       .m = 32,
       .n = 48,
       .k = 160,
       .transpose_a = true,
       .batches = 2,
       .pad = 16,
       .alpha = 0.75,
       .beta = 2,
       .a_scale = 0.3f,
       .b_scale = -1e-3f},
      {.name = "ScaledAOfFp8WithBias",
       .types = {kE5m2, kE4m3, kF32, kF32},
       .m = 16,
       .n = 16,
       .k = 32,
       .transpose_a = true,
       .bias_type = kBf16,
       .a_scale = 448},
      {.name = "ScaledBOfFp8",
       .types = {kE4m3, kE4m3, kBf16, kE4m3},
       .m = 16,
       .n = 16,
       .k = 32,
       .transpose_a = true,
       .b_scale = 0.01f},
      {.name = "OneElement", .m = 1, .n = 1, .k = 1},
      {.name = "LongSum", .m = 3, .n = 2, .k = 5000},
      {.name = "Aligned", .m = 64, .n = 32, .k = 256, .batches = 2},
  };
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Types, Products, testing::ValuesIn(TypeCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Layouts, Products, testing::ValuesIn(LayoutCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Scales, Products, testing::ValuesIn(ScaleCases()),
                         NameOf);

}  // namespace
}  // namespace accel::cuda_double::blas
