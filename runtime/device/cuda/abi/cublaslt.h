// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this project uses of cuBLASLt, libcublasLt.so.13 or .12: names, types
// and numbers as NVIDIA documents them (cuBLAS 13, "Using the cuBLASLt API").
// As driver.h.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUBLASLT_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUBLASLT_H_

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::runtime::cuda {

using BlasStatus = int;  // cublasStatus_t
using BlasHandle = struct BlasHandleOpaque*;
using MatmulDesc = struct MatmulDescOpaque*;
using MatrixLayout = struct MatrixLayoutOpaque*;
using MatmulPreference = struct MatmulPreferenceOpaque*;

// cublasLtMatmulAlgo_t: an algorithm with its configuration. It may be copied.
struct MatmulAlgo {
  uint64_t data[8];
};

// cublasLtMatmulHeuristicResult_t
struct MatmulHeuristic {
  MatmulAlgo algo;
  size_t workspace_bytes;
  BlasStatus state;  // the other fields hold something only if it is a success
  float waves;
  int reserved[4];
};

enum : BlasStatus {
  kBlasSuccess = 0,
  kBlasNotInitialized = 1,
  kBlasAllocFailed = 3,
  kBlasInvalidValue = 7,
  kBlasArchMismatch = 8,
  kBlasExecutionFailed = 13,
  kBlasInternalError = 14,
  kBlasNotSupported = 15,
};

// cublasComputeType_t
enum : int {
  kCompute32F = 68,
  kCompute32FFastTf32 = 77,
};

// cudaDataType
enum : int {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kR16BF = 14,
  kR8F_E4M3 = 28,
  kR8F_E5M2 = 29,
};

// cublasOperation_t
enum : int {
  kOpN = 0,
  kOpT = 1,
};

// cublasLtMatmulDescAttributes_t; behind each the type of its value.
enum : int {
  kDescPointerMode = 2,      // int32_t; 0: alpha and beta lie in host memory
  kDescTransA = 3,           // int32_t, a cublasOperation_t
  kDescTransB = 4,           // likewise
  kDescEpilogue = 7,         // uint32_t, a cublasLtEpilogue_t
  kDescBiasPointer = 8,      // void*
  kDescAuxPointer = 11,      // void*, an epilogue's auxiliary matrix
  kDescAuxLd = 12,           // int64_t, elements
  kDescAuxBatchStride = 13,  // int64_t, elements
  kDescAScalePointer = 17,   // const void*, an f32 in device memory
  kDescBScalePointer = 18,   // likewise
  kDescAuxDataType = 22,     // int32_t, a cudaDataType; -1: that of D
  kDescBiasDataType = 26,    // int32_t, a cudaDataType
};

// cublasLtEpilogue_t. GELU is its approximation by tanh. "Aux" stores what GELU
// is applied to, and DGELU multiplies by GELU's derivative there.
enum : uint32_t {
  kEpilogueDefault = 1,
  kEpilogueBias = 4,
  kEpilogueGelu = 32,
  kEpilogueGeluBias = 36,
  kEpilogueGeluAux = 160,
  kEpilogueGeluAuxBias = 164,
  kEpilogueDgelu = 192,
};

// cublasLtMatrixLayoutAttribute_t
enum : int {
  kLayoutOrder = 1,               // int32_t; 0: columns, which is the default
  kLayoutBatchCount = 5,          // int32_t
  kLayoutStridedBatchOffset = 6,  // int64_t, elements
};

// cublasLtMatmulPreferenceAttributes_t
enum : int {
  kPreferenceMaxWorkspaceBytes = 1,    // uint64_t
  kPreferenceReductionSchemeMask = 3,  // uint32_t
  kPreferenceMinAlignmentABytes = 5,   // uint32_t
  kPreferenceMinAlignmentBBytes = 6,   // uint32_t
  kPreferenceMinAlignmentCBytes = 7,   // uint32_t
  kPreferenceMinAlignmentDBytes = 8,   // uint32_t
};

// cublasLtReductionScheme_t, of sums that are split among blocks.
enum : uint32_t {
  kReductionNone = 0,
  kReductionInPlace = 1,  // by atomic additions: any order, other bits
  kReductionComputeType = 2,
};

// cublasLtMatmulAlgoConfigAttributes_t
enum : int {
  kAlgoId = 0,               // int32_t
  kAlgoTileId = 1,           // uint32_t
  kAlgoSplitK = 2,           // int32_t
  kAlgoReductionScheme = 3,  // uint32_t
  kAlgoStagesId = 6,         // uint32_t
};

// X(result, name, parameters...)
#define ACCEL_CUBLASLT_FUNCTIONS(X)                                           \
  X(size_t, cublasLtGetVersion)                                               \
  X(const char*, cublasLtGetStatusString, BlasStatus status)                  \
  X(BlasStatus, cublasLtCreate, BlasHandle* handle)                           \
  X(BlasStatus, cublasLtDestroy, BlasHandle handle)                           \
  X(BlasStatus, cublasLtMatmulDescCreate, MatmulDesc* desc, int compute_type, \
    int scale_type)                                                           \
  X(BlasStatus, cublasLtMatmulDescDestroy, MatmulDesc desc)                   \
  X(BlasStatus, cublasLtMatmulDescSetAttribute, MatmulDesc desc,              \
    int attribute, const void* value, size_t bytes)                           \
  X(BlasStatus, cublasLtMatrixLayoutCreate, MatrixLayout* layout, int type,   \
    uint64_t rows, uint64_t columns, int64_t leading_dimension)               \
  X(BlasStatus, cublasLtMatrixLayoutDestroy, MatrixLayout layout)             \
  X(BlasStatus, cublasLtMatrixLayoutSetAttribute, MatrixLayout layout,        \
    int attribute, const void* value, size_t bytes)                           \
  X(BlasStatus, cublasLtMatmulPreferenceCreate, MatmulPreference* preference) \
  X(BlasStatus, cublasLtMatmulPreferenceDestroy, MatmulPreference preference) \
  X(BlasStatus, cublasLtMatmulPreferenceSetAttribute,                         \
    MatmulPreference preference, int attribute, const void* value,            \
    size_t bytes)                                                             \
  X(BlasStatus, cublasLtMatmulAlgoGetHeuristic, BlasHandle handle,            \
    MatmulDesc desc, MatrixLayout a, MatrixLayout b, MatrixLayout c,          \
    MatrixLayout d, MatmulPreference preference, int requested,               \
    MatmulHeuristic* results, int* returned)                                  \
  X(BlasStatus, cublasLtMatmulAlgoCheck, BlasHandle handle, MatmulDesc desc,  \
    MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d,           \
    const MatmulAlgo* algo, MatmulHeuristic* result)                          \
  X(BlasStatus, cublasLtMatmulAlgoConfigGetAttribute, const MatmulAlgo* algo, \
    int attribute, void* value, size_t bytes, size_t* written)                \
  X(BlasStatus, cublasLtMatmul, BlasHandle handle, MatmulDesc desc,           \
    const void* alpha, const void* a, MatrixLayout a_layout, const void* b,   \
    MatrixLayout b_layout, const void* beta, const void* c,                   \
    MatrixLayout c_layout, void* d, MatrixLayout d_layout,                    \
    const MatmulAlgo* algo, void* workspace, size_t workspace_bytes,          \
    StreamHandle stream)

struct BlasFunctions {
#define ACCEL_CUBLASLT_MEMBER(result, name, ...) \
  result (*name)(__VA_ARGS__) = nullptr;
  ACCEL_CUBLASLT_FUNCTIONS(ACCEL_CUBLASLT_MEMBER)
#undef ACCEL_CUBLASLT_MEMBER
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUBLASLT_H_
