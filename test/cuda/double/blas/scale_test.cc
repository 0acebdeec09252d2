// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scales of operands of fp8 are numbers in device memory, which a product
// reads in its turn on the stream.
#include <gtest/gtest.h>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasSuccess;
using cuda::kSuccess;

const cuda::DriverFunctions& Driver() { return TheDoubles().driver; }

std::vector<std::byte> Number(float value) {
  std::vector<std::byte> bytes(sizeof value);
  Encode(cuda::kR32F, value, bytes.data());
  return bytes;
}

// A product of ones, so that each element of D is 16 times the scales.
class ScaleTest : public testing::Test {
 protected:
  ScaleTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::vector<std::byte> Ones() {
    HostMatrix matrix(PackedFp8Product(16, 16, 16).a, 0);
    for (int i = 0; i < 256; ++i) {
      matrix.Set(0, i % 16, i / 16, 1);
    }
    return matrix.bytes();
  }

  cuda::BlasStatus Run(const void* a_scale, const void* b_scale) {
    EXPECT_EQ(objects_.Set(cuda::kDescAScalePointer, a_scale), kBlasSuccess);
    EXPECT_EQ(objects_.Set(cuda::kDescBScalePointer, b_scale), kBlasSuccess);
    return Multiply(objects_, objects_.Find().at(0).algo, arguments_);
  }

  double First() const { return Decode(cuda::kR16BF, d_.Download().data()); }

  DeviceBuffer ones_{Ones()};
  DeviceBuffer d_{16 * 16 * 2};
  ProductObjects objects_{PackedFp8Product(16, 16, 16)};
  Arguments arguments_{.a = ones_.at(), .b = ones_.at(), .d = d_.at()};
};

TEST_F(ScaleTest, NullIsOneAndBothMayBeTheSame) {
  const DeviceBuffer half(Number(0.5)), three(Number(3));
  EXPECT_EQ(Run(nullptr, nullptr), kBlasSuccess);
  EXPECT_EQ(First(), 16);
  EXPECT_EQ(Run(half.at(), nullptr), kBlasSuccess);
  EXPECT_EQ(First(), 8);
  EXPECT_EQ(Run(nullptr, three.at()), kBlasSuccess);
  EXPECT_EQ(First(), 48);
  EXPECT_EQ(Run(half.at(), half.at()), kBlasSuccess);
  EXPECT_EQ(First(), 4);
}

TEST_F(ScaleTest, MultipliesTheSumButNotC) {
  const DeviceBuffer half(Number(0.5));
  EXPECT_EQ(Run(nullptr, nullptr), kBlasSuccess);
  arguments_.c = arguments_.d;
  arguments_.beta = 3;
  arguments_.alpha = 2;
  EXPECT_EQ(Run(half.at(), nullptr), kBlasSuccess);
  EXPECT_EQ(First(), 16 + 3 * 16);
}

TEST_F(ScaleTest, IsReadInTheOrderOfTheStream) {
  const DeviceBuffer scale(Number(1)), two(Number(2));
  EXPECT_EQ(Run(scale.at(), nullptr), kBlasSuccess);
  ASSERT_EQ(Driver().cuMemcpyDtoDAsync_v2(
                reinterpret_cast<cuda::DevicePointer>(scale.at()),
                reinterpret_cast<cuda::DevicePointer>(two.at()), 4,
                TheDoubles().stream),
            kSuccess);
  arguments_.c = arguments_.d;
  arguments_.beta = 1;
  EXPECT_EQ(Run(scale.at(), nullptr), kBlasSuccess);
  EXPECT_EQ(First(), 16 + 32);
}

TEST_F(ScaleTest, AGraphReadsTheScaleOfItsCaptureAtEveryReplay) {
  DeviceBuffer scale(Number(2)), other(Number(100));
  const cuda::StreamHandle stream = TheDoubles().stream;
  cuda::Graph graph = nullptr;
  cuda::GraphExec exec = nullptr;
  ASSERT_EQ(
      Driver().cuStreamBeginCapture_v2(stream, cuda::kCaptureModeThreadLocal),
      kSuccess);
  EXPECT_EQ(Run(scale.at(), nullptr), kBlasSuccess);
  ASSERT_EQ(Driver().cuStreamEndCapture(stream, &graph), kSuccess);
  EXPECT_EQ(objects_.Set(cuda::kDescAScalePointer, other.at()), kBlasSuccess);
  ASSERT_EQ(Driver().cuGraphInstantiateWithFlags(&exec, graph, 0), kSuccess);
  for (float value : {2.0f, 5.0f}) {
    scale.Upload(Number(value));
    ASSERT_EQ(Driver().cuGraphLaunch(exec, stream), kSuccess);
    EXPECT_EQ(First(), 16 * value);
  }
  EXPECT_EQ(Driver().cuGraphExecDestroy(exec), kSuccess);
  EXPECT_EQ(Driver().cuGraphDestroy(graph), kSuccess);
}

TEST_F(ScaleTest, LiesNeitherInDNorInTheWorkspace) {
  EXPECT_EQ(Run(d_.at(16), nullptr), kBlasInvalidValue);
  EXPECT_EQ(Run(nullptr, d_.at(496)), kBlasInvalidValue);
  objects_.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{16 << 10});
  const DeviceBuffer workspace(16 << 10);
  arguments_.workspace = workspace.at();
  arguments_.workspace_bytes = 16 << 10;
  ASSERT_EQ(objects_.Set(cuda::kDescAScalePointer, workspace.at(1024)), 0);
  for (const cuda::MatmulHeuristic& result : objects_.Find()) {
    if (result.workspace_bytes > 0) {
      EXPECT_EQ(Multiply(objects_, result.algo, arguments_), kBlasInvalidValue);
    }
  }
}

TEST_F(ScaleTest, IsWrittenMemoryOfTheDevice) {
  alignas(16) static const float on_host = 1;
  EXPECT_DEATH(Run(&on_host, nullptr);
               Finish(), "cublasLtMatmul.*begin in no allocation");
  const DeviceBuffer unwritten(4);
  EXPECT_DEATH(Run(nullptr, unwritten.at());
               Finish(), "cublasLtMatmul.*nobody has written");
}

TEST_F(ScaleTest, LiesAtAMultipleOf16Bytes) {
  EXPECT_EQ(Run(ones_.at(4), nullptr), cuda::kBlasNotSupported);
  EXPECT_EQ(Run(nullptr, ones_.at(8)), cuda::kBlasNotSupported);
  EXPECT_EQ(Run(ones_.at(16), ones_.at(32)), kBlasSuccess);
}

// The scale is written on another stream, and no event orders that.
void WriteElsewhere(const DeviceBuffer& scale) {
  cuda::StreamHandle other = nullptr;
  const float value = 2;
  Driver().cuStreamCreate(&other, cuda::kStreamNonBlocking);
  Driver().cuMemcpyHtoDAsync_v2(
      reinterpret_cast<cuda::DevicePointer>(scale.at()), &value, 4, other);
  Finish(other);
  Finish();
}

TEST_F(ScaleTest, WrittenOnAnotherStreamIsARace) {
  const DeviceBuffer scale(Number(1));
  EXPECT_DEATH(Run(scale.at(), nullptr);
               WriteElsewhere(scale), "race: it (reads|writes) bytes");
}

}  // namespace
}  // namespace accel::cuda_double::blas
