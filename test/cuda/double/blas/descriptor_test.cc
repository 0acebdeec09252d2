// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects of the double refuse what cuBLASLt's documents do not allow, and
// each entry point fails when the environment asks for it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "test/cuda/double/blas/blas_fixture.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasNotInitialized;
using cuda::kBlasSuccess;

const cuda::BlasFunctions& Blas() { return TheDoubles().blas; }

TEST(DescriptorTest, ChecksTheSizeAndTheValueOfAnAttribute) {
  ProductObjects objects(PackedProduct(cuda::kR32F, 8, 8, 8));
  EXPECT_EQ(objects.Set(cuda::kDescTransA, int32_t{1}), kBlasSuccess);
  EXPECT_EQ(objects.Set(cuda::kDescTransA, int64_t{1}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescTransA, int32_t{3}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescBiasPointer, int32_t{0}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAScalePointer, float{1}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescBScalePointer, float{1}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAuxPointer, int32_t{0}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAuxLd, int32_t{8}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAuxBatchStride, int32_t{8}),
            kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescAuxDataType, int64_t{0}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(cuda::kDescEpilogue, uint32_t{0}), kBlasInvalidValue);
  EXPECT_EQ(objects.Set(1000, int32_t{0}), kBlasInvalidValue);
  EXPECT_EQ(Blas().cublasLtMatmulDescSetAttribute(
                objects.desc, cuda::kDescTransA, nullptr, 4),
            kBlasInvalidValue);
  const int32_t batches = 0;
  EXPECT_EQ(Blas().cublasLtMatrixLayoutSetAttribute(
                objects.layouts[0], cuda::kLayoutBatchCount, &batches, 4),
            kBlasInvalidValue);
  const int64_t stride = 4;
  EXPECT_EQ(
      Blas().cublasLtMatrixLayoutSetAttribute(
          objects.layouts[0], cuda::kLayoutStridedBatchOffset, &stride, 4),
      kBlasInvalidValue);
  EXPECT_EQ(
      objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint32_t{1 << 20}),
      kBlasInvalidValue);
  EXPECT_EQ(objects.Prefer(cuda::kPreferenceMinAlignmentABytes, uint32_t{24}),
            kBlasInvalidValue);
  EXPECT_EQ(objects.Prefer(cuda::kPreferenceReductionSchemeMask, uint32_t{8}),
            kBlasInvalidValue);
}

TEST(DescriptorTest, KnowsNoObjectAfterItsEnd) {
  ProductObjects objects(PackedProduct(cuda::kR32F, 8, 8, 8));
  EXPECT_EQ(objects.FindStatus(), kBlasSuccess);
  EXPECT_EQ(Blas().cublasLtMatrixLayoutDestroy(objects.layouts[1]),
            kBlasSuccess);
  // A younger object must not have the handle of the older.
  cuda::MatrixLayout younger = nullptr;
  EXPECT_EQ(Blas().cublasLtMatrixLayoutCreate(&younger, cuda::kR32F, 8, 8, 8),
            kBlasSuccess);
  EXPECT_NE(younger, objects.layouts[1]);
  EXPECT_EQ(objects.FindStatus(), kBlasInvalidValue);
  EXPECT_EQ(Blas().cublasLtMatrixLayoutDestroy(objects.layouts[1]),
            kBlasInvalidValue);
  const int32_t order = 0;
  EXPECT_EQ(Blas().cublasLtMatrixLayoutSetAttribute(
                objects.layouts[1], cuda::kLayoutOrder, &order, 4),
            kBlasInvalidValue);
  EXPECT_EQ(Blas().cublasLtMatrixLayoutDestroy(younger), kBlasSuccess);
}

TEST(DescriptorTest, TellsKindsApart) {
  ProductObjects objects(PackedProduct(cuda::kR32F, 8, 8, 8));
  EXPECT_EQ(Blas().cublasLtMatmulPreferenceDestroy(
                reinterpret_cast<cuda::MatmulPreference>(objects.desc)),
            kBlasInvalidValue);
  EXPECT_EQ(Blas().cublasLtMatmulDescDestroy(nullptr), kBlasInvalidValue);
  std::swap(objects.preference,
            reinterpret_cast<cuda::MatmulPreference&>(objects.desc));
  EXPECT_EQ(objects.FindStatus(), kBlasInvalidValue);
  std::swap(objects.preference,
            reinterpret_cast<cuda::MatmulPreference&>(objects.desc));
}

TEST(DescriptorTest, KnowsNoHandleAfterItsEnd) {
  cuda::BlasHandle handle = nullptr;
  ASSERT_EQ(Blas().cublasLtCreate(&handle), kBlasSuccess);
  EXPECT_EQ(Blas().cublasLtDestroy(handle), kBlasSuccess);
  EXPECT_EQ(Blas().cublasLtDestroy(handle), kBlasNotInitialized);
  EXPECT_EQ(Blas().cublasLtCreate(nullptr), kBlasInvalidValue);
  ProductObjects objects(PackedProduct(cuda::kR32F, 8, 8, 8));
  cuda::MatmulHeuristic result;
  int returned = 0;
  EXPECT_EQ(Blas().cublasLtMatmulAlgoGetHeuristic(
                handle, objects.desc, objects.layouts[0], objects.layouts[1],
                objects.layouts[2], objects.layouts[3], objects.preference, 1,
                &result, &returned),
            kBlasNotInitialized);
}

TEST(DescriptorTest, SaysWhatAStatusIs) {
  EXPECT_STREQ(Blas().cublasLtGetStatusString(kBlasInvalidValue),
               "invalid value");
  EXPECT_STREQ(Blas().cublasLtGetStatusString(12345), "unknown status");
  EXPECT_EQ(Blas().cublasLtGetVersion(), 130100u);
}

// The doubles read the environment once: each case needs a process of its own.
class FreshProcess : public testing::Test {
 protected:
  FreshProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Ends the process with 0 if what must hold does.
[[noreturn]] void EndWith(bool holds) { std::_Exit(holds ? 0 : 1); }

bool CreateFailsWithoutContext() {
  Doubles doubles = OpenDoubles();
  cuda::BlasHandle handle = nullptr;
  doubles.driver.cuInit(0);
  return doubles.blas.cublasLtCreate(&handle) == kBlasNotInitialized &&
         handle == nullptr;
}

TEST_F(FreshProcess, CreateNeedsACurrentContext) {
  EXPECT_EXIT(EndWith(CreateFailsWithoutContext()), testing::ExitedWithCode(0),
              "");
}

bool SecondCreateFails() {
  setenv("ACCEL_DOUBLE_FAIL", "cublasLtCreate=3@2", 1);
  setenv("CUBLASLT_LOG_LEVEL", "1", 1);
  Doubles doubles = StartDriver();
  cuda::BlasHandle handle = nullptr;
  return doubles.blas.cublasLtCreate(&handle) == kBlasSuccess &&
         doubles.blas.cublasLtCreate(&handle) == cuda::kBlasAllocFailed &&
         doubles.blas.cublasLtCreate(&handle) == kBlasSuccess;
}

TEST_F(FreshProcess, FailsAtTheCallThatTheEnvironmentNames) {
  EXPECT_EXIT(EndWith(SecondCreateFails()), testing::ExitedWithCode(0),
              "double of cuBLASLt: cublasLtCreate gives 3: the environment "
              "asks for it");
}

bool EachEntryPointFails() {
#define ACCEL_TEST_FAILURE(result, name, ...) #name "=14@1,"
  std::string failures =
      ACCEL_CUBLASLT_FUNCTIONS(ACCEL_TEST_FAILURE) "cublasLtMatmul=14@2";
#undef ACCEL_TEST_FAILURE
  setenv("ACCEL_DOUBLE_FAIL", failures.c_str(), 1);
  const cuda::BlasFunctions blas = StartDriver().blas;
  const cuda::BlasStatus statuses[] = {
      int(blas.cublasLtGetVersion()),
      blas.cublasLtCreate(nullptr),
      blas.cublasLtDestroy(nullptr),
      blas.cublasLtMatmulDescCreate(nullptr, 0, 0),
      blas.cublasLtMatmulDescDestroy(nullptr),
      blas.cublasLtMatmulDescSetAttribute(nullptr, 0, nullptr, 0),
      blas.cublasLtMatrixLayoutCreate(nullptr, 0, 0, 0, 0),
      blas.cublasLtMatrixLayoutDestroy(nullptr),
      blas.cublasLtMatrixLayoutSetAttribute(nullptr, 0, nullptr, 0),
      blas.cublasLtMatmulPreferenceCreate(nullptr),
      blas.cublasLtMatmulPreferenceDestroy(nullptr),
      blas.cublasLtMatmulPreferenceSetAttribute(nullptr, 0, nullptr, 0),
      blas.cublasLtMatmulAlgoGetHeuristic(nullptr, nullptr, nullptr, nullptr,
                                          nullptr, nullptr, nullptr, 0, nullptr,
                                          nullptr),
      blas.cublasLtMatmulAlgoConfigGetAttribute(nullptr, 0, nullptr, 0,
                                                nullptr),
      blas.cublasLtMatmul(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr, 0, nullptr)};
  for (cuda::BlasStatus status : statuses) {
    if (status != cuda::kBlasInternalError) {
      return false;
    }
  }
  return true;
}

TEST_F(FreshProcess, EachEntryPointFailsOnRequest) {
  EXPECT_EXIT(EndWith(EachEntryPointFails()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace accel::cuda_double::blas
