// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the double of the driver sees of a product: a work in the order of its
// stream, with exactly the bytes that the product touches.
#include <gtest/gtest.h>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasSuccess;
using cuda::kSuccess;

const cuda::DriverFunctions& Driver() { return TheDoubles().driver; }

cuda::DevicePointer AddressOf(const void* pointer) {
  return reinterpret_cast<cuda::DevicePointer>(pointer);
}

// The driver ends the process if somebody reads what nobody has written.
TEST(StreamTest, GapsAndAnUnusedCAreNotRead) {
  ProductSpec spec = PackedProduct(cuda::kR32F, 16, 8, 8);
  const std::vector<float> line(16, 1);
  DeviceBuffer a(size_t{4} * 64 * 8), b(size_t{4} * 64 * 8);
  DeviceBuffer c(size_t{4} * 16 * 8), d(size_t{4} * 16 * 8);
  spec.a.leading_dimension = spec.b.leading_dimension = 64;
  for (int column = 0; column < 8; ++column) {
    for (const DeviceBuffer* buffer : {&a, &b}) {
      ASSERT_EQ(Driver().cuMemcpyHtoDAsync_v2(
                    AddressOf(buffer->at(column * 64 * 4)), line.data(),
                    buffer == &a ? 64 : 32, TheDoubles().stream),
                kSuccess);
    }
  }
  Arguments arguments{.a = a.at(), .b = b.at(), .c = c.at(), .d = d.at()};
  ProductObjects objects(spec);
  EXPECT_EQ(Multiply(objects, objects.Find().at(0).algo, arguments),
            kBlasSuccess);
  Finish();
  EXPECT_EQ(Decode(cuda::kR32F, d.Download().data()), 8);
}

TEST(StreamTest, AGraphReplaysTheProductWithTheAlphaOfItsCapture) {
  const ProductSpec spec = PackedProduct(cuda::kR32F, 8, 8, 8);
  HostMatrix ones(spec.a, 0), twos(spec.a, 0);
  for (int i = 0; i < 64; ++i) {
    ones.Set(0, i % 8, i / 8, 1);
    twos.Set(0, i % 8, i / 8, 2);
  }
  DeviceBuffer a(ones.bytes()), b(ones.bytes());
  DeviceBuffer d(ones.bytes().size());
  d.Upload(twos.bytes());
  Arguments arguments{.alpha = 3, .a = a.at(), .b = b.at(), .d = d.at()};
  cuda::Graph graph = nullptr;
  cuda::GraphExec exec = nullptr;
  const cuda::StreamHandle stream = TheDoubles().stream;
  {
    ProductObjects objects(spec);
    const cuda::MatmulAlgo algo = objects.Find().at(0).algo;
    ASSERT_EQ(
        Driver().cuStreamBeginCapture_v2(stream, cuda::kCaptureModeThreadLocal),
        kSuccess);
    EXPECT_EQ(Multiply(objects, algo, arguments), kBlasSuccess);
    ASSERT_EQ(Driver().cuStreamEndCapture(stream, &graph), kSuccess);
  }
  ASSERT_EQ(Driver().cuGraphInstantiateWithFlags(&exec, graph, 0), kSuccess);
  ASSERT_EQ(Driver().cuGraphDestroy(graph), kSuccess);
  EXPECT_EQ(Decode(cuda::kR32F, d.Download().data()), 2) << "it only records";
  for (double value : {1.0, 2.0}) {
    ASSERT_EQ(Driver().cuGraphLaunch(exec, stream), kSuccess);
    EXPECT_EQ(Decode(cuda::kR32F, d.Download().data()), 24 * value);
    a.Upload(twos.bytes());
  }
  EXPECT_EQ(Driver().cuGraphExecDestroy(exec), kSuccess);
}

// Two products that would be apart but for their workspace.
void ShareAWorkspace() {
  const ProductSpec spec = PackedProduct(cuda::kR32F, 16, 16, 64);
  ProductObjects objects(spec);
  objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{16 << 10});
  DeviceBuffer operands(std::vector<std::byte>(4 << 10));
  DeviceBuffer d(4 << 10), workspace(16 << 10);
  cuda::StreamHandle streams[2];
  for (int i = 0; i < 2; ++i) {
    Driver().cuStreamCreate(&streams[i], cuda::kStreamNonBlocking);
    const Arguments arguments{.a = operands.at(),
                              .b = operands.at(),
                              .d = d.at(i * 2048),
                              .workspace = workspace.at(),
                              .workspace_bytes = 16 << 10,
                              .stream = streams[i]};
    for (const cuda::MatmulHeuristic& result : objects.Find()) {
      if (result.workspace_bytes > 0) {
        Multiply(objects, result.algo, arguments);
        break;
      }
    }
  }
  Finish(streams[0]);
  Finish(streams[1]);
}

TEST(StreamDeathTest, AWorkspaceOfTwoStreamsIsARace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ShareAWorkspace(), "cublasLtMatmul.*race: it writes bytes");
}

}  // namespace
}  // namespace accel::cuda_double::blas
