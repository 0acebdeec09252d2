// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of single results: of the rounding to D's type, and of the rounding
// of operands to TF32.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

// The first element of a product whose only products that are not 0 are a * 1.
uint32_t FirstElement(ProductSpec spec, double a, float alpha) {
  HostMatrix a_matrix(spec.a, 0), b_matrix(spec.b, 0);
  a_matrix.Set(0, 0, 0, a);
  b_matrix.Set(0, 0, 0, 1);
  DeviceBuffer a_buffer(a_matrix.bytes()), b_buffer(b_matrix.bytes());
  DeviceBuffer d_buffer(HostMatrix(spec.d, 0).bytes());
  ProductObjects objects(spec);
  Arguments arguments{.alpha = alpha};
  arguments.a = a_buffer.at();
  arguments.b = b_buffer.at();
  arguments.d = d_buffer.at();
  EXPECT_EQ(Multiply(objects, objects.Find().at(0).algo, arguments), 0);
  Finish();
  uint32_t bits = 0;
  std::memcpy(&bits, d_buffer.Download().data(), BytesOf(spec.d.type));
  return bits;
}

// alpha, rounded to a type of D.
uint32_t Rounded(int type, float alpha) {
  ProductSpec spec = PackedProduct(type, 16, 16, 16);
  if (BytesOf(type) == 1) {
    spec.a.type = cuda::kR8F_E4M3;
    spec.b.type = cuda::kR8F_E5M2;
    spec.c.type = cuda::kR16F;
    spec.transpose_a = true;
  }
  return FirstElement(spec, 1, alpha);
}

TEST(RoundingTest, IsToNearestEven) {
  EXPECT_EQ(Rounded(cuda::kR16BF, 1 + std::ldexp(1.0f, -8)), 0x3f80u);
  EXPECT_EQ(Rounded(cuda::kR16BF, 1 + std::ldexp(3.0f, -8)), 0x3f82u);
  EXPECT_EQ(Rounded(cuda::kR16BF, 1 + std::ldexp(257.0f, -16)), 0x3f81u);
  EXPECT_EQ(Rounded(cuda::kR16F, 1 + std::ldexp(1.0f, -11)), 0x3c00u);
  EXPECT_EQ(Rounded(cuda::kR16F, -1 - std::ldexp(3.0f, -11)), 0xbc02u);
  EXPECT_EQ(Rounded(cuda::kR8F_E4M3, 1.0625f), 0x38u);
  EXPECT_EQ(Rounded(cuda::kR8F_E4M3, 1.1875f), 0x3au);
  EXPECT_EQ(Rounded(cuda::kR8F_E5M2, 1.125f), 0x3cu);
  EXPECT_EQ(Rounded(cuda::kR8F_E5M2, std::ldexp(1.0f, -16)), 0x01u);
}

TEST(RoundingTest, OverflowsInF16AndSaturatesInFp8) {
  EXPECT_EQ(Rounded(cuda::kR16F, 65520), 0x7c00u);
  EXPECT_EQ(Rounded(cuda::kR8F_E4M3, -1000), 0xfeu);
  EXPECT_EQ(Rounded(cuda::kR8F_E5M2, 1e6f), 0x7bu);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Rounded(cuda::kR8F_E4M3, nan) & 0x7f, 0x7fu);
}

TEST(RoundingTest, OfOperandsIsToTenBitsWithTf32) {
  ProductSpec spec = PackedProduct(cuda::kR32F, 1, 1, 1);
  const double tie = 1 + std::ldexp(3.0, -11);
  EXPECT_EQ(FirstElement(spec, tie, 1), 0x3f803000u);
  spec.compute_type = cuda::kCompute32FFastTf32;
  EXPECT_EQ(FirstElement(spec, tie, 1), 0x3f804000u);
  EXPECT_EQ(FirstElement(spec, 1 + std::ldexp(1.0, -11), 1), 0x3f800000u);
}

}  // namespace
}  // namespace accel::cuda_double::blas
