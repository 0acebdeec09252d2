// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this project uses of cuDNN, libcudnn.so.9: names, types and numbers of
// its backend API as NVIDIA documents them (cuDNN 9, "Graph API"). As driver.h.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUDNN_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUDNN_H_

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::runtime::cuda {

using DnnStatus = int;  // cudnnStatus_t
using DnnHandle = struct DnnHandleOpaque*;
using DnnDescriptor = void*;  // cudnnBackendDescriptor_t

enum : DnnStatus {
  kDnnSuccess = 0,
  kDnnNotInitialized = 1001,
  kDnnBadParam = 2000,
  kDnnNotSupported = 3000,  // and all up to 3999
  kDnnInternalError = 4000,
  kDnnHostAllocationFailed = 4003,
  kDnnDeviceAllocationFailed = 4004,
  kDnnExecutionFailed = 5000,
};

// cudnnDataType_t
enum : int {
  kDnnFloat = 0,
  kDnnHalf = 2,
  kDnnBfloat16 = 9,
};

// cudnnConvolutionMode_t
enum : int {
  kDnnCrossCorrelation = 1,
};

// cudnnBackendHeurMode_t
enum : int {
  kDnnHeuristicFallback = 2,  // engines that are slow, and always there
  kDnnHeuristicA = 3,
};

// cudnnBackendNumericalNote_t
enum : int {
  kDnnTensorCore = 0,
  kDnnDownConvertInputs = 1,
  kDnnReducedPrecisionReduction = 2,
  kDnnFft = 3,
  kDnnNondeterministic = 4,
  kDnnWinograd = 5,
};

// cudnnBackendDescriptorType_t
enum : int {
  kDnnConvolution = 1,
  kDnnEngine = 2,
  kDnnEngineConfig = 3,
  kDnnEngineHeuristic = 4,
  kDnnExecutionPlan = 5,
  kDnnKnobChoice = 7,
  kDnnConvolutionForward = 10,
  kDnnConvolutionBackwardFilter = 11,
  kDnnOperationGraph = 15,
  kDnnVariantPack = 16,
  kDnnTensor = 17,
};

// cudnnBackendAttributeType_t; behind each the type of its values.
enum : int {
  kDnnTypeHandle = 0,           // cudnnHandle_t
  kDnnTypeDataType = 1,         // int, a cudnnDataType_t
  kDnnTypeInt64 = 3,            // int64_t
  kDnnTypeFloat = 4,            // float
  kDnnTypeVoidPointer = 6,      // void*
  kDnnTypeConvolutionMode = 7,  // int, a cudnnConvolutionMode_t
  kDnnTypeHeuristicMode = 8,    // int, a cudnnBackendHeurMode_t
  kDnnTypeKnobType = 9,         // int, a cudnnBackendKnobType_t
  kDnnTypeNumericalNote = 11,   // int, a cudnnBackendNumericalNote_t
  kDnnTypeDescriptor = 15,      // cudnnBackendDescriptor_t
};

// cudnnBackendAttributeName_t; behind each the type of its values.
enum : int {
  kDnnConvolutionCompType = 100,         // DataType
  kDnnConvolutionConvMode = 101,         // ConvolutionMode
  kDnnConvolutionDilations = 102,        // Int64, one for each dimension
  kDnnConvolutionFilterStrides = 103,    // likewise
  kDnnConvolutionPostPaddings = 104,     // likewise
  kDnnConvolutionPrePaddings = 105,      // likewise
  kDnnConvolutionSpatialDims = 106,      // Int64
  kDnnEngineHeurMode = 200,              // HeuristicMode
  kDnnEngineHeurOperationGraph = 201,    // Descriptor
  kDnnEngineHeurResults = 202,           // Descriptor, engine configurations
  kDnnEngineConfigEngine = 300,          // Descriptor
  kDnnEngineConfigKnobChoices = 302,     // Descriptor
  kDnnExecutionPlanHandle = 400,         // Handle
  kDnnExecutionPlanEngineConfig = 401,   // Descriptor
  kDnnExecutionPlanWorkspaceSize = 402,  // Int64, bytes
  kDnnKnobChoiceKnobType = 600,          // KnobType
  kDnnKnobChoiceKnobValue = 601,         // Int64
  kDnnForwardAlpha = 700,                // Float
  kDnnForwardBeta = 701,                 // Float
  kDnnForwardConvDesc = 702,             // Descriptor
  kDnnForwardW = 703,                    // Descriptor, a tensor
  kDnnForwardX = 704,                    // likewise
  kDnnForwardY = 705,                    // likewise
  kDnnBackwardFilterAlpha = 712,         // Float
  kDnnBackwardFilterBeta = 713,          // Float
  kDnnBackwardFilterConvDesc = 714,      // Descriptor
  kDnnBackwardFilterDw = 715,            // Descriptor, a tensor
  kDnnBackwardFilterX = 716,             // likewise
  kDnnBackwardFilterDy = 717,            // likewise
  kDnnOperationGraphHandle = 800,        // Handle
  kDnnOperationGraphOps = 801,           // Descriptor
  kDnnTensorByteAlignment = 900,         // Int64
  kDnnTensorDataType = 901,              // DataType
  kDnnTensorDimensions = 902,            // Int64, one for each dimension
  kDnnTensorStrides = 903,               // likewise
  kDnnTensorUniqueId = 906,              // Int64
  kDnnVariantPackUniqueIds = 1000,       // Int64
  kDnnVariantPackDataPointers = 1001,    // VoidPointer
  kDnnVariantPackWorkspace = 1003,       // VoidPointer
  kDnnEngineGlobalIndex = 1301,          // Int64
  kDnnEngineNumericalNote = 1303,        // NumericalNote
};

// X(result, name, parameters...)
#define ACCEL_CUDNN_FUNCTIONS(X)                                              \
  X(size_t, cudnnGetVersion)                                                  \
  X(const char*, cudnnGetErrorString, DnnStatus status)                       \
  X(void, cudnnGetLastErrorString, char* message, size_t max_size)            \
  X(DnnStatus, cudnnCreate, DnnHandle* handle)                                \
  X(DnnStatus, cudnnDestroy, DnnHandle handle)                                \
  X(DnnStatus, cudnnSetStream, DnnHandle handle, StreamHandle stream)         \
  X(DnnStatus, cudnnBackendCreateDescriptor, int type,                        \
    DnnDescriptor* descriptor)                                                \
  X(DnnStatus, cudnnBackendDestroyDescriptor, DnnDescriptor descriptor)       \
  X(DnnStatus, cudnnBackendFinalize, DnnDescriptor descriptor)                \
  X(DnnStatus, cudnnBackendSetAttribute, DnnDescriptor descriptor,            \
    int attribute, int type, int64_t count, const void* values)               \
  X(DnnStatus, cudnnBackendGetAttribute, DnnDescriptor descriptor,            \
    int attribute, int type, int64_t requested, int64_t* count, void* values) \
  X(DnnStatus, cudnnBackendExecute, DnnHandle handle, DnnDescriptor plan,     \
    DnnDescriptor variant_pack)

struct DnnFunctions {
#define ACCEL_CUDNN_MEMBER(result, name, ...) \
  result (*name)(__VA_ARGS__) = nullptr;
  ACCEL_CUDNN_FUNCTIONS(ACCEL_CUDNN_MEMBER)
#undef ACCEL_CUDNN_MEMBER
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_ABI_CUDNN_H_
