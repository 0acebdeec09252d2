// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a product may lie between each other but not on each other.
#include <gtest/gtest.h>

#include "test/cuda/double/blas/blas_fixture.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasSuccess;

// All operands lie in one buffer, whose layout is the test's.
class MemoryRules : public testing::Test {
 protected:
  cuda::BlasStatus Run(const ProductSpec& spec, Arguments arguments) {
    ProductObjects objects(spec);
    for (int attribute : {cuda::kPreferenceMinAlignmentABytes,
                          cuda::kPreferenceMinAlignmentBBytes,
                          cuda::kPreferenceMinAlignmentCBytes,
                          cuda::kPreferenceMinAlignmentDBytes}) {
      objects.Prefer(attribute, uint32_t{16});
    }
    objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{16 << 10});
    arguments.workspace_bytes = 16 << 10;
    for (const cuda::MatmulHeuristic& result : objects.Find()) {
      if (result.workspace_bytes > 0) {
        const cuda::BlasStatus status =
            Multiply(objects, result.algo, arguments);
        Finish();
        return status;
      }
    }
    return -1;
  }

  Arguments Apart() const {
    Arguments arguments;
    arguments.a = buffer_.at(0);
    arguments.b = buffer_.at(64 << 10);
    arguments.c = buffer_.at(128 << 10);
    arguments.d = buffer_.at(192 << 10);
    arguments.workspace = buffer_.at(256 << 10);
    return arguments;
  }

  // 16 KiB each.
  const ProductSpec spec_ = PackedProduct(cuda::kR32F, 64, 64, 64);
  DeviceBuffer buffer_{std::vector<std::byte>(512 << 10)};
};

TEST_F(MemoryRules, NullIsNoOperand) {
  EXPECT_EQ(Run(spec_, Apart()), kBlasSuccess);
  for (auto member : {&Arguments::a, &Arguments::b}) {
    Arguments arguments = Apart();
    arguments.*member = nullptr;
    EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  }
  Arguments arguments = Apart();
  arguments.d = nullptr;
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  arguments = Apart();
  arguments.c = nullptr;
  EXPECT_EQ(Run(spec_, arguments), kBlasSuccess) << "beta is 0";
  arguments.beta = 1;
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
}

TEST_F(MemoryRules, DLiesOnNoOperand) {
  Arguments arguments = Apart();
  arguments.d = buffer_.at(16 << 10);
  EXPECT_EQ(Run(spec_, arguments), kBlasSuccess) << "right behind A";
  arguments.d = buffer_.at((16 << 10) - 16);
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  arguments.d = const_cast<void*>(arguments.b);
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  ProductSpec with_bias = spec_;
  with_bias.epilogue = 4;
  arguments = Apart();
  with_bias.bias = buffer_.at((192 << 10) - 16);
  EXPECT_EQ(Run(with_bias, arguments), kBlasInvalidValue);
  with_bias.bias = buffer_.at((192 << 10) - 256);
  EXPECT_EQ(Run(with_bias, arguments), kBlasSuccess);
}

TEST_F(MemoryRules, CIsDOnlyInTheSameLayout) {
  Arguments arguments = Apart();
  arguments.beta = 1;
  arguments.c = arguments.d;
  EXPECT_EQ(Run(spec_, arguments), kBlasSuccess);
  ProductSpec other = spec_;
  other.d.leading_dimension = 68;
  EXPECT_EQ(Run(other, arguments), kBlasInvalidValue);
  arguments.c = buffer_.at((192 << 10) + 16);
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  arguments.beta = 0;
  EXPECT_EQ(Run(spec_, arguments), kBlasSuccess) << "nothing reads C";
}

TEST_F(MemoryRules, GapsBelongToOthers) {
  ProductSpec spec = spec_;
  // The columns of A, B, C and D take turns.
  for (MatrixSpec* matrix : {&spec.a, &spec.b, &spec.c, &spec.d}) {
    matrix->leading_dimension = 4 * 64;
  }
  Arguments arguments = Apart();
  arguments.beta = 1;
  arguments.a = buffer_.at(0);
  arguments.b = buffer_.at(256);
  arguments.c = buffer_.at(512);
  arguments.d = buffer_.at(768);
  EXPECT_EQ(Run(spec, arguments), kBlasSuccess);
  arguments.d = buffer_.at(768 + 16);
  EXPECT_EQ(Run(spec, arguments), kBlasInvalidValue);
}

TEST_F(MemoryRules, BatchesOfDLieApart) {
  ProductSpec spec = spec_;
  for (MatrixSpec* matrix : {&spec.a, &spec.b, &spec.c, &spec.d}) {
    matrix->batches = 2;
    matrix->stride = 64 * 64;
  }
  EXPECT_EQ(Run(spec, Apart()), kBlasSuccess);
  spec.d.stride -= 4;
  EXPECT_EQ(Run(spec, Apart()), kBlasInvalidValue);
  // As heads of an attention do, in the same lines.
  spec.d.leading_dimension = 128;
  spec.d.stride = 64;
  EXPECT_EQ(Run(spec, Apart()), kBlasSuccess);
  spec.d.stride = 60;
  EXPECT_EQ(Run(spec, Apart()), kBlasInvalidValue);
}

TEST_F(MemoryRules, TheWorkspaceLiesApart) {
  Arguments arguments = Apart();
  for (const void* other :
       {arguments.a, arguments.b, static_cast<const void*>(arguments.d)}) {
    arguments.workspace = const_cast<void*>(other);
    EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
  }
  arguments.workspace = const_cast<void*>(arguments.c);
  EXPECT_EQ(Run(spec_, arguments), kBlasSuccess) << "beta is 0";
  arguments.beta = 1;
  EXPECT_EQ(Run(spec_, arguments), kBlasInvalidValue);
}

}  // namespace
}  // namespace accel::cuda_double::blas
