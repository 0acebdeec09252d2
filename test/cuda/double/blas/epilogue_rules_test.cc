// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an epilogue needs, and what the double of the driver sees of its
// auxiliary matrix.
#include <gtest/gtest.h>

#include <functional>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasNotSupported;
using cuda::kBlasSuccess;

ProductSpec WithAux(uint32_t epilogue) {
  ProductSpec spec = PackedProduct(cuda::kR32F, 32, 48, 64);
  spec.epilogue = epilogue;
  spec.aux_leading_dimension = 32;
  return spec;
}

void MakeBatches(ProductSpec& spec) {
  for (MatrixSpec* matrix : {&spec.a, &spec.b, &spec.c, &spec.d}) {
    matrix->batches = 2;
    matrix->stride = 64 * 64;
  }
}

void StoreByRows(ProductSpec& spec) {
  for (MatrixSpec* matrix : {&spec.c, &spec.d}) {
    matrix->order = 1;
    matrix->leading_dimension = 48;
  }
}

struct Refusal {
  const char* name;
  cuda::BlasStatus status;
  uint32_t epilogue;
  std::function<void(ProductSpec&)> change;
};

class EpilogueRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(EpilogueRefusals, HaveTheDocumentedStatus) {
  ProductSpec spec = WithAux(GetParam().epilogue);
  GetParam().change(spec);
  EXPECT_EQ(ProductObjects(spec).FindStatus(), GetParam().status);
}

constexpr uint32_t kAux = cuda::kEpilogueGeluAux;
constexpr uint32_t kAuxBias = cuda::kEpilogueGeluAuxBias;
constexpr uint32_t kDgelu = cuda::kEpilogueDgelu;

const Refusal kRefusals[] = {
    {"None", kBlasSuccess, kAux, [](ProductSpec&) {}},
    {"Relu", kBlasNotSupported, 2, [](ProductSpec&) {}},
    {"DgeluWithGradientOfBias", kBlasNotSupported, 208, [](ProductSpec&) {}},
    {"AuxWithoutGelu", kBlasNotSupported, 128, [](ProductSpec&) {}},
    {"LeadingDimensionIsNotSet", kBlasInvalidValue, kAux,
     [](ProductSpec& spec) { spec.aux_leading_dimension = 0; }},
    {"LeadingDimensionOfNoAux", kBlasSuccess, cuda::kEpilogueGelu,
     [](ProductSpec& spec) { spec.aux_leading_dimension = 0; }},
    {"LeadingDimensionIsLessThanTheRows", kBlasInvalidValue, kDgelu,
     [](ProductSpec& spec) { spec.aux_leading_dimension = 24; }},
    {"LeadingDimensionIsNoMultipleOf8", kBlasInvalidValue, kAuxBias,
     [](ProductSpec& spec) { spec.aux_leading_dimension = 36; }},
    {"StrideIsNoMultipleOf8", kBlasInvalidValue, kDgelu,
     [](ProductSpec& spec) {
       MakeBatches(spec);
       spec.aux_stride = 32 * 48 + 4;
     }},
    {"NoStrideOfWhatIsWritten", kBlasInvalidValue, kAux, MakeBatches},
    {"NoStrideOfWhatIsRead", kBlasSuccess, kDgelu, MakeBatches},
    {"GeluByRows", kBlasSuccess, cuda::kEpilogueGelu, StoreByRows},
    {"GeluBiasByRows", kBlasNotSupported, cuda::kEpilogueGeluBias, StoreByRows},
    {"AuxByRows", kBlasNotSupported, kAux, StoreByRows},
    {"AuxOfFp8", kBlasNotSupported, kAux,
     [](ProductSpec& spec) {
       spec = PackedFp8Product(32, 48, 64);
       spec.d.type = cuda::kR8F_E4M3;
       spec.epilogue = kAux;
       spec.aux_leading_dimension = 32;
     }},
};

INSTANTIATE_TEST_SUITE_P(All, EpilogueRefusals, testing::ValuesIn(kRefusals),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(EpilogueRulesTest, TheAuxiliaryMatrixHasTheTypeOfD) {
  ProductObjects objects(WithAux(kAux));
  EXPECT_EQ(objects.Set(cuda::kDescAuxDataType, int32_t{cuda::kR16F}), 0);
  EXPECT_EQ(objects.FindStatus(), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAuxDataType, int32_t{cuda::kR32F}), 0);
  EXPECT_EQ(objects.FindStatus(), kBlasSuccess);
  EXPECT_EQ(objects.Set(cuda::kDescAuxDataType, int32_t{-1}), 0);
  EXPECT_EQ(objects.FindStatus(), kBlasSuccess);
}

// Operands in one buffer, 16 KiB apart, by an algorithm with a workspace.
class EpilogueMemory : public testing::Test {
 protected:
  EpilogueMemory() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  void* At(size_t part, size_t offset = 0) const {
    return buffer_.at((part << 14) + offset);
  }

  cuda::BlasStatus Run(uint32_t epilogue, void* aux, float beta = 0) {
    ProductSpec spec = WithAux(epilogue);
    spec.aux = aux;
    ProductObjects objects(spec);
    objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{16 << 10});
    cuda::MatmulAlgo algo{};
    for (const cuda::MatmulHeuristic& result : objects.Find()) {
      algo = result.workspace_bytes > 0 ? result.algo : algo;
    }
    const cuda::BlasStatus status = Multiply(
        objects, algo, {1, beta, At(0), At(1), At(2), At(3), At(4), 16 << 10});
    Finish();
    return status;
  }

  DeviceBuffer buffer_{std::vector<std::byte>(6 << 14)};
};

TEST_F(EpilogueMemory, WhatIsWrittenLiesApart) {
  EXPECT_EQ(Run(kAux, At(5)), kBlasSuccess);
  EXPECT_EQ(Run(kAux, nullptr), kBlasInvalidValue);
  for (size_t part : {0, 1, 3, 4}) {
    EXPECT_EQ(Run(kAux, At(part)), kBlasInvalidValue) << part;
  }
  EXPECT_EQ(Run(kAux, At(2)), kBlasSuccess) << "nothing reads C";
  EXPECT_EQ(Run(kAux, At(2), 1), kBlasInvalidValue);
}

TEST_F(EpilogueMemory, WhatIsReadLiesApartFromD) {
  EXPECT_EQ(Run(kDgelu, nullptr), kBlasInvalidValue);
  EXPECT_EQ(Run(kDgelu, At(3)), kBlasInvalidValue);
  EXPECT_EQ(Run(kDgelu, At(4)), kBlasInvalidValue);
  for (size_t part : {0, 1, 2, 5}) {
    EXPECT_EQ(Run(kDgelu, At(part), 1), kBlasSuccess) << part;
  }
}

TEST_F(EpilogueMemory, IsAsAlignedAsTheHeuristicSawIt) {
  ProductObjects objects(WithAux(kAux));
  const Arguments arguments{1, 0, At(0), At(1), nullptr, At(3)};
  const size_t count = objects.Find().size();
  const cuda::MatmulAlgo of_null = objects.Find().at(0).algo;
  objects.Set(cuda::kDescAuxPointer, At(5, 4));
  EXPECT_LT(objects.Find().size(), count);
  EXPECT_EQ(Multiply(objects, of_null, arguments), kBlasInvalidValue);
  EXPECT_EQ(Multiply(objects, objects.Find().at(0).algo, arguments),
            kBlasSuccess);
  Finish();
  objects.Set(cuda::kDescAuxPointer, At(5, 2));
  EXPECT_EQ(objects.FindStatus(), kBlasNotSupported);
}

TEST_F(EpilogueMemory, AnAlgorithmIsForOneLayoutOfIt) {
  ProductSpec spec = WithAux(kAux);
  spec.aux = At(5);
  const Arguments arguments{1, 0, At(0), At(1), nullptr, At(3)};
  const cuda::MatmulAlgo algo = ProductObjects(spec).Find().at(0).algo;
  EXPECT_EQ(Multiply(ProductObjects(spec), algo, arguments), kBlasSuccess);
  Finish();
  spec.aux_leading_dimension = 40;
  EXPECT_EQ(Multiply(ProductObjects(spec), algo, arguments), kBlasInvalidValue);
}

TEST_F(EpilogueMemory, TheDriverSeesWhatIsReadAndWritten) {
  const DeviceBuffer unwritten(32 * 48 * 4);
  EXPECT_DEATH(Run(kDgelu, unwritten.at()),
               "cublasLtMatmul.*nobody has written");
  EXPECT_EQ(Run(kAux, unwritten.at()), kBlasSuccess);
  EXPECT_EQ(Run(kDgelu, unwritten.at()), kBlasSuccess);
  static std::byte on_host[32 * 48 * 4];
  EXPECT_DEATH(Run(kAux, on_host),
               "cublasLtMatmul.*writes bytes.*begin in no allocation");
}

}  // namespace
}  // namespace accel::cuda_double::blas
