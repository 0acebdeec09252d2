// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products against three loops in double: every combination of
// transposes, leading dimensions, batches and accumulation that plans use, on
// poisoned outputs whose gaps must stay as they are.
#include "runtime/device/cpu_gemm.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/thread_team.h"
#include "runtime/plan/gemm_shape.h"
#include "runtime/random/philox.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Gemm;
using planpb::Matrix;
using runtime::GemmOperand;

// A matrix with `gap` elements between its lines, and its batch strides.
void Lay(Matrix& matrix, uint64_t rows, uint64_t columns, bool transposed,
         uint64_t gap, const std::vector<uint64_t>& batch) {
  matrix.set_dtype(planpb::ELEMENT_F32);
  const uint64_t line = (transposed ? rows : columns) + gap;
  matrix.set_row_stride(transposed ? 1 : line);
  matrix.set_column_stride(transposed ? line : 1);
  uint64_t stride = line * (transposed ? columns : rows) + gap;
  matrix.mutable_batch_strides()->Resize(static_cast<int>(batch.size()), 0);
  for (size_t i = batch.size(); i-- > 0;) {
    matrix.set_batch_strides(static_cast<int>(i), stride);
    stride *= batch[i];
  }
}

std::vector<float> Random(uint64_t site, uint64_t bytes) {
  std::vector<float> values(bytes / sizeof(float));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = runtime::UnitFloat(
                    runtime::RandomWord(7, static_cast<uint32_t>(site), 0, i)) -
                0.5f;
  }
  return values;
}

uint64_t Offset(const Matrix& matrix, const std::vector<uint64_t>& index,
                uint64_t row, uint64_t column) {
  uint64_t offset = row * matrix.row_stride() + column * matrix.column_stride();
  for (size_t i = 0; i < index.size(); ++i) {
    offset += index[i] * matrix.batch_strides(static_cast<int>(i));
  }
  return offset;
}

// Calls `visit` with every index of the batch.
template <typename Visit>
void ForEachBatch(const Gemm& gemm, Visit visit) {
  std::vector<uint64_t> index(gemm.batch_size(), 0);
  while (true) {
    visit(index);
    int i = gemm.batch_size() - 1;
    while (i >= 0 && ++index[i] == gemm.batch(i)) {
      index[i--] = 0;
    }
    if (i < 0) {
      return;
    }
  }
}

// Runs the product and compares; elements that it must not touch are poisoned.
void CheckProduct(const Gemm& gemm, const runtime::ThreadTeam& team) {
  SCOPED_TRACE(gemm.ShortDebugString());
  ASSERT_OK(runtime::ValidateGemm(gemm));
  ASSERT_OK_AND_ASSIGN(const auto product,
                       runtime::CpuGemm::Create(gemm, team.threads()));
  // The library's slow way, for what it has no better one.
  EXPECT_EQ(product->implementation().find("ref"), std::string::npos)
      << product->implementation();
  const std::vector<float> a = Random(1, OperandSpan(gemm, GemmOperand::kA));
  const std::vector<float> b = Random(2, OperandSpan(gemm, GemmOperand::kB));
  const size_t c_size = OperandSpan(gemm, GemmOperand::kC) / sizeof(float);
  constexpr float kPoison = 1e30f;
  std::vector<float> c(c_size, kPoison);
  std::vector<double> expected(c_size, double{kPoison});
  const std::vector<float> before =
      Random(3, OperandSpan(gemm, GemmOperand::kC));
  ForEachBatch(gemm, [&](const std::vector<uint64_t>& index) {
    for (uint64_t i = 0; i < gemm.m(); ++i) {
      for (uint64_t j = 0; j < gemm.n(); ++j) {
        double sum = 0;
        for (uint64_t l = 0; l < gemm.k(); ++l) {
          sum += double{a[Offset(gemm.a(), index, i, l)]} *
                 b[Offset(gemm.b(), index, l, j)];
        }
        const uint64_t at = Offset(gemm.c(), index, i, j);
        expected[at] = gemm.alpha() * sum;
        c[at] = std::numeric_limits<float>::quiet_NaN();
        if (gemm.beta() != 0) {
          c[at] = before[at];
          expected[at] += before[at];
        }
      }
    }
  });
  std::vector<std::byte> workspace(product->workspace_bytes());
  ASSERT_OK(
      product->Run({a.data(), b.data(), c.data(), workspace.data()}, team));
  for (size_t i = 0; i < c_size; ++i) {
    ASSERT_NEAR(c[i], expected[i], 1e-5 * std::abs(expected[i]) + 1e-5)
        << "element " << i;
  }
}

class CpuGemmTest : public ::testing::TestWithParam<int> {
 protected:
  void Check(const Gemm& gemm) { CheckProduct(gemm, team_); }

  const runtime::ThreadTeam team_ =
      runtime::ThreadTeam::Create(GetParam()).value();
};

Gemm Sized(uint64_t m, uint64_t n, uint64_t k) {
  Gemm gemm;
  gemm.set_m(m);
  gemm.set_n(n);
  gemm.set_k(k);
  gemm.set_alpha(1);
  gemm.set_accumulate_dtype(planpb::ELEMENT_F32);
  return gemm;
}

TEST_P(CpuGemmTest, AllTransposesGapsAndAccumulations) {
  for (int bits = 0; bits < 32; ++bits) {
    Gemm gemm = Sized(17, 9, 23);
    const uint64_t gap = (bits & 16) != 0 ? 3 : 0;
    Lay(*gemm.mutable_a(), 17, 23, (bits & 1) != 0, gap, {});
    Lay(*gemm.mutable_b(), 23, 9, (bits & 2) != 0, gap, {});
    Lay(*gemm.mutable_c(), 17, 9, (bits & 4) != 0, gap, {});
    gemm.set_beta((bits & 8) != 0 ? 1 : 0);
    gemm.set_alpha((bits & 8) != 0 ? 0.25f : 1.0f);
    Check(gemm);
  }
}

TEST_P(CpuGemmTest, SizesOfOne) {
  for (int bits = 1; bits < 8; ++bits) {
    for (int layout = 0; layout < 8; ++layout) {
      const uint64_t m = (bits & 1) != 0 ? 1 : 5;
      const uint64_t n = (bits & 2) != 0 ? 1 : 6;
      const uint64_t k = (bits & 4) != 0 ? 1 : 7;
      Gemm gemm = Sized(m, n, k);
      Lay(*gemm.mutable_a(), m, k, (layout & 1) != 0, 2, {});
      Lay(*gemm.mutable_b(), k, n, (layout & 2) != 0, 2, {});
      Lay(*gemm.mutable_c(), m, n, (layout & 4) != 0, 2, {});
      Check(gemm);
    }
  }
}

TEST_P(CpuGemmTest, BatchesAndRepeatedMatrices) {
  for (int bits = 0; bits < 8; ++bits) {
    Gemm gemm = Sized(5, 6, 7);
    gemm.add_batch(3);
    gemm.add_batch(2);
    Lay(*gemm.mutable_a(), 5, 7, (bits & 1) != 0, 1, {3, 2});
    Lay(*gemm.mutable_b(), 7, 6, (bits & 2) != 0, 0, {3, 2});
    Lay(*gemm.mutable_c(), 5, 6, (bits & 4) != 0, 2, {3, 2});
    Check(gemm);
    gemm.mutable_b()->set_batch_strides(0, 0);
    Check(gemm);
    gemm.mutable_a()->set_batch_strides(1, 0);
    Check(gemm);
    // One product, stored many times.
    gemm.mutable_b()->set_batch_strides(1, 0);
    Check(gemm);
  }
}

// Heads of attention inside [batch, tokens, 3, heads, size], as plans use them.
TEST_P(CpuGemmTest, HeadsInsideAProjection) {
  constexpr uint64_t kTokens = 11;
  constexpr uint64_t kHeads = 3;
  constexpr uint64_t kSize = 8;
  constexpr uint64_t kRow = 3 * kHeads * kSize;
  Gemm gemm = Sized(kTokens, kTokens, kSize);
  gemm.add_batch(2);
  gemm.add_batch(kHeads);
  gemm.set_alpha(0.125f);
  for (Matrix* matrix : {gemm.mutable_a(), gemm.mutable_b()}) {
    matrix->set_dtype(planpb::ELEMENT_F32);
    matrix->set_row_stride(kRow);
    matrix->set_column_stride(1);
    matrix->add_batch_strides(kTokens * kRow);
    matrix->add_batch_strides(kSize);
  }
  gemm.mutable_b()->set_row_stride(1);
  gemm.mutable_b()->set_column_stride(kRow);
  Lay(*gemm.mutable_c(), kTokens, kTokens, false, 0, {2, kHeads});
  Check(gemm);
}

TEST_P(CpuGemmTest, LargerThanAnyTile) {
  Gemm gemm = Sized(130, 257, 301);
  Lay(*gemm.mutable_a(), 130, 301, false, 0, {});
  Lay(*gemm.mutable_b(), 301, 257, true, 0, {});
  Lay(*gemm.mutable_c(), 130, 257, false, 0, {});
  Check(gemm);
}

INSTANTIATE_TEST_SUITE_P(Threads, CpuGemmTest, ::testing::Values(1, 2, 5));

TEST(CpuGemmRefusalTest, TypesThatOneDnnDoesNotMultiplyAreNamed) {
  Gemm gemm = Sized(2, 2, 2);
  Lay(*gemm.mutable_a(), 2, 2, false, 0, {});
  Lay(*gemm.mutable_b(), 2, 2, false, 0, {});
  Lay(*gemm.mutable_c(), 2, 2, false, 0, {});
  gemm.mutable_a()->set_dtype(planpb::ELEMENT_F64);
  EXPECT_THAT(runtime::CpuGemm::Create(gemm, 1),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "expected operands of f32 or bf16, got f64"));
}

}  // namespace
}  // namespace accel::testing
