// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of cuBLASLt against NVIDIA's.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "runtime/device/cuda/abi/cublaslt.h"
#include "test/cuda/abi/same_abi.h"

namespace accel::testing {
namespace {

namespace ours = runtime::cuda;

#define ACCEL_CHECK(result, name, ...)                                         \
  static_assert(                                                               \
      SameAbi<decltype(ours::BlasFunctions::name), decltype(&::name)>::value,  \
      #name);
ACCEL_CUBLASLT_FUNCTIONS(ACCEL_CHECK)
#undef ACCEL_CHECK

static_assert(sizeof(ours::MatmulAlgo) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::MatmulHeuristic) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::MatmulHeuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(ours::MatmulHeuristic, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(ours::MatmulHeuristic, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

TEST(CublasLtAbiTest, StatusesAndTypesAreNvidias) {
  EXPECT_EQ(ours::kBlasNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(ours::kBlasAllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
  EXPECT_EQ(ours::kBlasInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(ours::kBlasArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
  EXPECT_EQ(ours::kBlasExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(ours::kBlasInternalError, CUBLAS_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(ours::kBlasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(ours::kCompute32F, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(ours::kCompute32FFastTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(ours::kR32F, CUDA_R_32F);
  EXPECT_EQ(ours::kR64F, CUDA_R_64F);
  EXPECT_EQ(ours::kR16F, CUDA_R_16F);
  EXPECT_EQ(ours::kR16BF, CUDA_R_16BF);
  EXPECT_EQ(ours::kR8F_E4M3, CUDA_R_8F_E4M3);
  EXPECT_EQ(ours::kR8F_E5M2, CUDA_R_8F_E5M2);
  EXPECT_EQ(ours::kOpN, CUBLAS_OP_N);
  EXPECT_EQ(ours::kOpT, CUBLAS_OP_T);
}

TEST(CublasLtAbiTest, AttributesAreNvidias) {
  EXPECT_EQ(ours::kDescPointerMode, CUBLASLT_MATMUL_DESC_POINTER_MODE);
  EXPECT_EQ(ours::kDescTransA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(ours::kDescTransB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(ours::kDescEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(ours::kDescBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(ours::kDescAuxPointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
  EXPECT_EQ(ours::kDescAuxLd, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  EXPECT_EQ(ours::kDescAuxBatchStride,
            CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
  EXPECT_EQ(ours::kDescAuxDataType,
            CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE);
  EXPECT_EQ(ours::kDescAScalePointer, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
  EXPECT_EQ(ours::kDescBScalePointer, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
  EXPECT_EQ(ours::kDescBiasDataType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  EXPECT_EQ(ours::kLayoutOrder, CUBLASLT_MATRIX_LAYOUT_ORDER);
  EXPECT_EQ(ours::kLayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  EXPECT_EQ(ours::kLayoutStridedBatchOffset,
            CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  EXPECT_EQ(ours::kPreferenceMaxWorkspaceBytes,
            CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(ours::kPreferenceReductionSchemeMask,
            CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  EXPECT_EQ(ours::kPreferenceMinAlignmentABytes,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(ours::kPreferenceMinAlignmentBBytes,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  EXPECT_EQ(ours::kPreferenceMinAlignmentCBytes,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  EXPECT_EQ(ours::kPreferenceMinAlignmentDBytes,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_EQ(ours::kReductionInPlace, CUBLASLT_REDUCTION_SCHEME_INPLACE);
  EXPECT_EQ(ours::kReductionComputeType,
            CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  EXPECT_EQ(ours::kAlgoId, CUBLASLT_ALGO_CONFIG_ID);
  EXPECT_EQ(ours::kAlgoTileId, CUBLASLT_ALGO_CONFIG_TILE_ID);
  EXPECT_EQ(ours::kAlgoSplitK, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  EXPECT_EQ(ours::kAlgoReductionScheme, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
  EXPECT_EQ(ours::kAlgoStagesId, CUBLASLT_ALGO_CONFIG_STAGES_ID);
}

TEST(CublasLtAbiTest, EpiloguesAreNvidias) {
  EXPECT_EQ(ours::kEpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(ours::kEpilogueBias, CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(ours::kEpilogueGelu, CUBLASLT_EPILOGUE_GELU);
  EXPECT_EQ(ours::kEpilogueGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
  EXPECT_EQ(ours::kEpilogueGeluAux, CUBLASLT_EPILOGUE_GELU_AUX);
  EXPECT_EQ(ours::kEpilogueGeluAuxBias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  EXPECT_EQ(ours::kEpilogueDgelu, CUBLASLT_EPILOGUE_DGELU);
}

} // namespace
} // namespace accel::testing
