// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products of fp8 and of TF32 there are depends on the compute capability
// of the current device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasNotSupported;
using cuda::kBlasSuccess;

constexpr int64_t kM = 32, kN = 48, kK = 64;

ProductSpec Fp8Product(bool transpose_a, bool transpose_b) {
  ProductSpec spec = PackedFp8Product(kM, kN, kK);
  spec.transpose_a = transpose_a;
  spec.transpose_b = transpose_b;
  if (!transpose_a) {
    spec.a = {cuda::kR8F_E4M3, kM, kK, kM};
  }
  if (transpose_b) {
    spec.b = {cuda::kR8F_E4M3, kN, kK, kN};
  }
  return spec;
}

// What the heuristic says; cublasLtMatmul must say the same before it looks at
// its algorithm, which is none here.
cuda::BlasStatus StatusOf(const ProductSpec& spec) {
  ProductObjects objects(spec);
  const cuda::BlasStatus status = objects.FindStatus();
  const cuda::BlasStatus same =
      status == kBlasSuccess ? kBlasInvalidValue : status;
  return Multiply(objects, cuda::MatmulAlgo{}, {}) == same ? status : -1;
}

// The doubles read the environment once: each case needs a process of its own.
[[noreturn]] void PrintStatuses(const std::string& capability) {
  setenv("ACCEL_DOUBLE_CAPABILITY", capability.c_str(), 1);
  ProductSpec tf32 = PackedProduct(cuda::kR32F, kM, kN, kK);
  tf32.compute_type = cuda::kCompute32FFastTf32;
  std::fprintf(
      stderr, "TN %d NN %d NT %d TT %d TF32 %d F32 %d\n",
      StatusOf(Fp8Product(true, false)), StatusOf(Fp8Product(false, false)),
      StatusOf(Fp8Product(false, true)), StatusOf(Fp8Product(true, true)),
      StatusOf(tf32), StatusOf(PackedProduct(cuda::kR32F, kM, kN, kK)));
  std::_Exit(0);
}

struct Case {
  std::string capability;
  std::string statuses;
};

class Capabilities : public testing::TestWithParam<Case> {
 protected:
  Capabilities() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(Capabilities, DecideWhatCanBeMultiplied) {
  EXPECT_EXIT(PrintStatuses(GetParam().capability), testing::ExitedWithCode(0),
              GetParam().statuses);
}

constexpr char kNoTf32[] = "TN 15 NN 15 NT 15 TT 15 TF32 15 F32 0";
constexpr char kNoFp8[] = "TN 15 NN 15 NT 15 TT 15 TF32 0 F32 0";
constexpr char kOnlyTn[] = "TN 0 NN 15 NT 15 TT 15 TF32 0 F32 0";
constexpr char kAll[] = "TN 0 NN 0 NT 0 TT 0 TF32 0 F32 0";

INSTANTIATE_TEST_SUITE_P(All, Capabilities,
                         testing::ValuesIn(std::vector<Case>{
                             {"7.5", kNoTf32},
                             {"8.0", kNoFp8},
                             {"8.6", kNoFp8},
                             {"8.9", kOnlyTn},
                             {"9.0", kOnlyTn},
                             {"10.0", kAll},
                             {"10.3", kAll},
                             {"12.0", kOnlyTn},
                         }),
                         [](const auto& info) {
                           std::string name = info.param.capability;
                           name[name.find('.')] = '_';
                           return name;
                         });

class CapabilityTest : public testing::Test {
 protected:
  CapabilityTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Whether D is the product, for operands that are transposed or not.
bool MultipliesFp8(bool transpose_a, bool transpose_b) {
  const ProductSpec spec = Fp8Product(transpose_a, transpose_b);
  HostMatrix a(spec.a, 0), b(spec.b, 0), d(spec.d, 0);
  a.SetAll(1);
  b.SetAll(2);
  const DeviceBuffer a_buffer(a.bytes()), b_buffer(b.bytes());
  const DeviceBuffer d_buffer(d.bytes());
  ProductObjects objects(spec);
  Arguments arguments{.a = a_buffer.at(), .b = b_buffer.at()};
  arguments.d = d_buffer.at();
  bool holds =
      Multiply(objects, objects.Find().at(0).algo, arguments) == kBlasSuccess;
  Finish();
  d.bytes() = d_buffer.Download();
  const Operands operands{spec, a, b, d, {}, 1, 0};
  for (int64_t row = 0; row < kM; ++row) {
    for (int64_t column = 0; column < kN; ++column) {
      const Expected expected = Compute(operands, 0, row, column, 1);
      holds &=
          std::fabs(d.Get(0, row, column) - expected.value) <= expected.error;
    }
  }
  return holds;
}

[[noreturn]] void MultiplyInEveryFormat() {
  setenv("ACCEL_DOUBLE_CAPABILITY", "10.0", 1);
  bool holds = true;
  for (int bits = 0; bits < 4; ++bits) {
    holds &= MultipliesFp8(bits & 1, bits & 2);
  }
  std::_Exit(holds ? 0 : 1);
}

TEST_F(CapabilityTest, BlackwellMultipliesFp8InEveryFormat) {
  EXPECT_EXIT(MultiplyInEveryFormat(), testing::ExitedWithCode(0), "");
}

// One handle, a device with fp8, one without, and no device.
bool CurrentDeviceDecides() {
  setenv("ACCEL_DOUBLE_GPUS", "2", 1);
  setenv("ACCEL_DOUBLE_CAPABILITY", "9.0,8.0", 1);
  setenv("CUBLASLT_LOG_LEVEL", "1", 1);
  const cuda::DriverFunctions& driver = TheDoubles().driver;
  ProductObjects fp8(PackedFp8Product(kM, kN, kK));
  ProductObjects f32(PackedProduct(cuda::kR32F, kM, kN, kK));
  const cuda::MatmulAlgo of_first = f32.Find().at(0).algo;
  bool holds = fp8.FindStatus() == kBlasSuccess;
  cuda::Context second = nullptr;
  driver.cuDevicePrimaryCtxRetain(&second, 1);
  driver.cuCtxSetCurrent(second);
  holds &= fp8.FindStatus() == kBlasNotSupported;
  holds &= f32.FindStatus() == kBlasSuccess;
  holds &= Multiply(f32, of_first, {}) == kBlasInvalidValue;
  driver.cuCtxSetCurrent(nullptr);
  return holds && f32.FindStatus() == cuda::kBlasNotInitialized;
}

TEST_F(CapabilityTest, IsThatOfTheCurrentDevice) {
  EXPECT_EXIT(std::_Exit(CurrentDeviceDecides() ? 0 : 1),
              testing::ExitedWithCode(0),
              "the algorithm was made for another problem");
}

}  // namespace
}  // namespace accel::cuda_double::blas
