// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cublasLtMatmul takes an algorithm for what it was made for, and algorithms do
// not agree about bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasNotSupported;
using cuda::kBlasSuccess;

constexpr size_t kWorkspaceBytes = size_t{8} << 20;

class AlgorithmRules : public testing::Test {
 protected:
  AlgorithmRules()
      : a_(spec_.a, 0),
        b_(spec_.b, 0),
        objects_(spec_),
        workspace_(kWorkspaceBytes),
        d_(Prepared()) {
    objects_.Prefer(cuda::kPreferenceMaxWorkspaceBytes,
                    uint64_t{kWorkspaceBytes});
    arguments_.a = a_buffer_->at();
    arguments_.b = b_buffer_->at();
    arguments_.d = d_.at();
    arguments_.workspace = workspace_.at();
    arguments_.workspace_bytes = kWorkspaceBytes;
  }

  // Fills the operands and returns how large D is.
  size_t Prepared() {
    a_.SetAll(4);
    b_.SetAll(5);
    a_buffer_ = std::make_unique<DeviceBuffer>(a_.bytes());
    b_buffer_ = std::make_unique<DeviceBuffer>(b_.bytes());
    return HostMatrix(spec_.d, 0).bytes().size();
  }

  // The algorithm with that id.
  cuda::MatmulHeuristic Named(uint32_t id) {
    for (const cuda::MatmulHeuristic& result : objects_.Find()) {
      if (AttributeOf(result.algo, cuda::kAlgoId) == id) {
        return result;
      }
    }
    ADD_FAILURE() << "there is no algorithm " << id;
    return {};
  }

  std::vector<std::byte> Product(const cuda::MatmulAlgo& algo) {
    d_.Upload(std::vector<std::byte>(HostMatrix(spec_.d, 0).bytes().size(),
                                     std::byte{0}));
    EXPECT_EQ(Multiply(objects_, algo, arguments_), kBlasSuccess);
    Finish();
    return d_.Download();
  }

  const ProductSpec spec_ = PackedProduct(cuda::kR32F, 64, 48, 512);
  HostMatrix a_, b_;
  std::unique_ptr<DeviceBuffer> a_buffer_, b_buffer_;
  ProductObjects objects_;
  DeviceBuffer workspace_;
  DeviceBuffer d_;
  Arguments arguments_;
};

TEST_F(AlgorithmRules, ThereMustBeOne) {
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  const auto& layouts = objects_.layouts;
  EXPECT_EQ(
      blas.cublasLtMatmul(TheDoubles().handle, objects_.desc, &arguments_.alpha,
                          arguments_.a, layouts[0], arguments_.b, layouts[1],
                          &arguments_.beta, nullptr, layouts[2], arguments_.d,
                          layouts[3], nullptr, nullptr, 0, TheDoubles().stream),
      kBlasInvalidValue);
  cuda::MatmulAlgo algo = objects_.Find().at(0).algo;
  algo.data[3] ^= 1;
  EXPECT_EQ(Multiply(objects_, algo, arguments_), kBlasInvalidValue);
}

TEST_F(AlgorithmRules, ItIsForOneProblem) {
  const cuda::MatmulAlgo algo = objects_.Find().at(0).algo;
  ProductSpec other = spec_;
  other.c.leading_dimension = other.d.leading_dimension = 80;
  EXPECT_EQ(Multiply(ProductObjects(other), algo, arguments_),
            kBlasInvalidValue);
  other = spec_;
  other.compute_type = cuda::kCompute32FFastTf32;
  EXPECT_EQ(Multiply(ProductObjects(other), algo, arguments_),
            kBlasInvalidValue);
  // Other objects that describe the same problem will do.
  EXPECT_EQ(Multiply(ProductObjects(spec_), algo, arguments_), kBlasSuccess);
  Finish();
}

TEST_F(AlgorithmRules, ACheckSaysSoBefore) {
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  const auto check = [&](const ProductObjects& objects,
                         const cuda::MatmulAlgo& algo,
                         cuda::MatmulHeuristic* result) {
    const auto& layouts = objects.layouts;
    return blas.cublasLtMatmulAlgoCheck(TheDoubles().handle, objects.desc,
                                        layouts[0], layouts[1], layouts[2],
                                        layouts[3], &algo, result);
  };
  const cuda::MatmulHeuristic split = Named(31);
  cuda::MatmulHeuristic result = {};
  EXPECT_EQ(check(objects_, split.algo, &result), kBlasSuccess);
  EXPECT_EQ(result.state, kBlasSuccess);
  EXPECT_EQ(result.workspace_bytes, split.workspace_bytes);
  EXPECT_EQ(check(objects_, split.algo, nullptr), kBlasInvalidValue);
  ProductSpec other = spec_;
  other.c.leading_dimension = other.d.leading_dimension = 80;
  EXPECT_EQ(check(ProductObjects(other), split.algo, &result),
            kBlasInvalidValue);
  cuda::MatmulAlgo damaged = split.algo;
  damaged.data[0] ^= 1;
  EXPECT_EQ(check(objects_, damaged, &result), kBlasInvalidValue);
}

TEST_F(AlgorithmRules, ItHasTheWorkspaceThatItAsksFor) {
  const cuda::MatmulHeuristic split = Named(31);
  ASSERT_GT(split.workspace_bytes, 0u);
  arguments_.workspace_bytes = split.workspace_bytes - 1;
  EXPECT_EQ(Multiply(objects_, split.algo, arguments_), kBlasInvalidValue);
  arguments_.workspace_bytes = split.workspace_bytes;
  arguments_.workspace = workspace_.at(128);
  EXPECT_EQ(Multiply(objects_, split.algo, arguments_), kBlasInvalidValue);
  arguments_.workspace = nullptr;
  EXPECT_EQ(Multiply(objects_, split.algo, arguments_), kBlasInvalidValue);
  arguments_.workspace_bytes = 0;
  EXPECT_EQ(Multiply(objects_, Named(6).algo, arguments_), kBlasSuccess);
  Finish();
}

TEST_F(AlgorithmRules, ItWritesAllOfItsWorkspaceAndNothingBehind) {
  for (const cuda::MatmulHeuristic& result : objects_.Find()) {
    SCOPED_TRACE(AttributeOf(result.algo, cuda::kAlgoId));
    workspace_.Upload(std::vector<std::byte>(kWorkspaceBytes, std::byte{0x11}));
    Product(result.algo);
    const std::vector<std::byte> after = workspace_.Download();
    const auto written =
        std::count_if(after.begin(), after.end(),
                      [](std::byte byte) { return byte != std::byte{0x11}; });
    EXPECT_EQ(size_t(written), result.workspace_bytes);
    EXPECT_TRUE(
        std::all_of(after.begin() + result.workspace_bytes, after.end(),
                    [](std::byte byte) { return byte == std::byte{0x11}; }));
  }
}

TEST_F(AlgorithmRules, APromisedAlignmentIsKept) {
  DeviceBuffer shifted(std::vector<std::byte>(a_.bytes().size() + 256));
  arguments_.a = shifted.at(16);
  EXPECT_EQ(Multiply(objects_, Named(0).algo, arguments_), kBlasInvalidValue)
      << "256 bytes are promised unless the preference says less";
  objects_.Prefer(cuda::kPreferenceMinAlignmentABytes, uint32_t{16});
  EXPECT_EQ(Multiply(objects_, Named(0).algo, arguments_), kBlasSuccess);
  Finish();
  arguments_.a = shifted.at(8);
  EXPECT_EQ(Multiply(objects_, Named(0).algo, arguments_), kBlasInvalidValue);
}

TEST_F(AlgorithmRules, TheBiasIsAsAlignedAsTheHeuristicSawIt) {
  DeviceBuffer bias(std::vector<std::byte>(1024));
  ASSERT_EQ(objects_.Set(cuda::kDescEpilogue, uint32_t{4}), 0);
  const cuda::MatmulAlgo algo = objects_.Find().at(0).algo;
  EXPECT_EQ(Multiply(objects_, algo, arguments_), kBlasInvalidValue)
      << "the bias is null";
  ASSERT_EQ(objects_.Set(cuda::kDescBiasPointer, bias.at(4)), 0);
  EXPECT_EQ(Multiply(objects_, algo, arguments_), kBlasInvalidValue);
  EXPECT_EQ(Multiply(objects_, Named(0).algo, arguments_), kBlasSuccess);
  Finish();
  ASSERT_EQ(objects_.Set(cuda::kDescBiasDataType, int32_t{cuda::kR16BF}), 0);
  EXPECT_EQ(objects_.FindStatus(), kBlasNotSupported);
}

TEST_F(AlgorithmRules, OnlySumsInPlaceChangeFromCallToCall) {
  std::map<std::vector<std::byte>, int> results;
  for (const cuda::MatmulHeuristic& result : objects_.Find()) {
    SCOPED_TRACE(AttributeOf(result.algo, cuda::kAlgoId));
    const bool in_place =
        AttributeOf(result.algo, cuda::kAlgoReductionScheme) ==
        cuda::kReductionInPlace;
    const std::vector<std::byte> first = Product(result.algo);
    EXPECT_EQ(Product(result.algo) != first, in_place);
    ++results[first];
  }
  EXPECT_GT(results.size(), 3u) << "algorithms should differ in their bits";
}

TEST_F(AlgorithmRules, AlphaAndBetaAreReadAtTheCall) {
  const cuda::MatmulAlgo algo = Named(6).algo;
  const std::vector<std::byte> expected = Product(algo);
  Arguments arguments = arguments_;
  EXPECT_EQ(Multiply(objects_, algo, arguments), kBlasSuccess);
  arguments.alpha = 100;
  Finish();
  EXPECT_TRUE(d_.Download() == expected);
  ASSERT_EQ(objects_.Set(cuda::kDescPointerMode, int32_t{1}), 0);
  EXPECT_EQ(objects_.FindStatus(), kBlasNotSupported);
}

}  // namespace
}  // namespace accel::cuda_double::blas
