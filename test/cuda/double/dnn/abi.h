// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuDNN 9's backend API as far as the double has it: names, types and numbers
// of NVIDIA's documents. They are written here a second time so that a mistake
// in the declarations of the runtime is a mistake that the double does not
// share; test/cuda/abi holds them against cudnn.h where that is installed.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_ABI_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_ABI_H_

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::cuda_double::dnn {

namespace cuda = ::accel::runtime::cuda;

using Status = int;                      // cudnnStatus_t
using Handle = struct DnnHandleOpaque*;  // cudnnHandle_t
using BackendDescriptor = void*;         // cudnnBackendDescriptor_t

enum : Status {
  kSuccess = 0,
  kNotInitialized = 1001,
  kSerializationVersionMismatch = 1003,
  kBadParam = 2000,
  kBadParamNullPointer = 2002,
  kBadParamMisalignedPointer = 2003,
  kBadParamNotFinalized = 2004,
  kBadParamOutOfBound = 2005,
  kBadParamSizeInsufficient = 2006,
  kBadParamStreamMismatch = 2007,
  kBadParamShapeMismatch = 2008,
  kBadParamDuplicatedEntries = 2009,
  kBadParamAttributeType = 2010,
  kBadParamDescriptorType = 2012,
  kNotSupported = 3000,
  kNotSupportedGraphPattern = 3001,
  kNotSupportedShape = 3002,
  kNotSupportedDataType = 3003,
  kNotSupportedLayout = 3004,
  kNotSupportedArchMismatch = 3007,
  kNotSupportedPadding = 3011,
  kInternalError = 4000,
  kExecutionFailed = 5000,
  kExecutionFailedCudaDriver = 5001,
};

// cudnnDataType_t
enum : int { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9 };
constexpr int kDataTypes = 24;

// cudnnConvolutionMode_t
enum : int { kConvolutionMode = 0, kCrossCorrelation = 1 };

// cudnnPointwiseMode_t
enum : int {
  kPointwiseAdd = 0,
  kPointwiseMul = 1,
  kPointwiseIdentity = 21,
  kPointwiseReluFwd = 100,
};

// cudnnBackendDescriptorType_t
enum : int {
  kPointwiseDescriptor = 0,
  kConvolutionDescriptor = 1,
  kEngineDescriptor = 2,
  kEngineCfgDescriptor = 3,
  kEngineHeurDescriptor = 4,
  kExecutionPlanDescriptor = 5,
  kKnobChoiceDescriptor = 7,
  kKnobInfoDescriptor = 8,
  kOperationForwardDescriptor = 10,
  kOperationBackwardFilterDescriptor = 11,
  kOperationBackwardDataDescriptor = 12,
  kOperationPointwiseDescriptor = 13,
  kOperationGraphDescriptor = 15,
  kVariantPackDescriptor = 16,
  kTensorDescriptor = 17,
};

// cudnnBackendAttributeType_t
enum : int {
  kTypeHandle = 0,
  kTypeDataType = 1,
  kTypeBoolean = 2,
  kTypeInt64 = 3,
  kTypeFloat = 4,
  kTypeDouble = 5,
  kTypeVoidPtr = 6,
  kTypeConvolutionMode = 7,
  kTypeHeurMode = 8,
  kTypeKnobType = 9,
  kTypeNanPropagation = 10,
  kTypeNumericalNote = 11,
  kTypePointwiseMode = 14,
  kTypeBackendDescriptor = 15,
  kTypeBehaviorNote = 19,
  kTypeReorderingMode = 20,
  kTypeInt32 = 23,
  kTypeChar = 24,
  kTypeGraphRetention = 33,
};

// cudnnBackendAttributeName_t
enum : int {
  kPointwiseMode = 0,
  kPointwiseMathPrec = 1,
  kPointwiseNanPropagation = 2,
  kPointwiseReluLowerClip = 3,
  kPointwiseReluUpperClip = 4,
  kPointwiseReluLowerClipSlope = 5,
  kConvCompType = 100,
  kConvMode = 101,
  kConvDilations = 102,
  kConvFilterStrides = 103,
  kConvPostPaddings = 104,
  kConvPrePaddings = 105,
  kConvSpatialDims = 106,
  kHeurMode = 200,
  kHeurOperationGraph = 201,
  kHeurResults = 202,
  kHeurSmCountTarget = 203,
  kCfgEngine = 300,
  kCfgKnobChoices = 302,
  kCfgWorkspaceSize = 303,
  kPlanHandle = 400,
  kPlanEngineConfig = 401,
  kPlanWorkspaceSize = 402,
  kPlanJson = 405,
  kPlanGraphRetention = 408,
  kKnobChoiceType = 600,
  kKnobChoiceValue = 601,
  kForwardAlpha = 700,
  kForwardBeta = 701,
  kForwardConvDesc = 702,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kBwdDataAlpha = 706,
  kBwdDataBeta = 707,
  kBwdDataConvDesc = 708,
  kBwdDataW = 709,
  kBwdDataDx = 710,
  kBwdDataDy = 711,
  kBwdFilterAlpha = 712,
  kBwdFilterBeta = 713,
  kBwdFilterConvDesc = 714,
  kBwdFilterDw = 715,
  kBwdFilterX = 716,
  kBwdFilterDy = 717,
  kPwDescriptor = 750,
  kPwX = 751,
  kPwB = 752,
  kPwY = 753,
  kPwAlpha1 = 754,
  kPwAlpha2 = 755,
  kGraphHandle = 800,
  kGraphOps = 801,
  kGraphEngineGlobalCount = 802,
  kTensorByteAlignment = 900,
  kTensorDataType = 901,
  kTensorDimensions = 902,
  kTensorStrides = 903,
  kTensorVectorCount = 904,
  kTensorVectorizedDimension = 905,
  kTensorUniqueId = 906,
  kTensorIsVirtual = 907,
  kTensorIsByValue = 908,
  kTensorReorderingMode = 909,
  kPackUniqueIds = 1000,
  kPackDataPointers = 1001,
  kPackWorkspace = 1003,
  kKnobInfoType = 1200,
  kKnobInfoMaximum = 1201,
  kKnobInfoMinimum = 1202,
  kKnobInfoStride = 1203,
  kEngineOperationGraph = 1300,
  kEngineGlobalIndex = 1301,
  kEngineKnobInfo = 1302,
  kEngineNumericalNote = 1303,
  kEngineBehaviorNote = 1305,
  kEngineSmCountTarget = 1306,
};

// cudnnBackendHeurMode_t
enum : int {
  kHeurInstant = 0,
  kHeurB = 1,
  kHeurFallback = 2,
  kHeurA = 3,
};

// cudnnBackendNumericalNote_t
enum : int {
  kNoteTensorCore = 0,
  kNoteDownConvertInputs = 1,
  kNoteReducedPrecisionReduction = 2,
  kNoteFft = 3,
  kNoteNondeterministic = 4,
};

// cudnnBackendBehaviorNote_t
enum : int { kBehaviorRuntimeCompilation = 0 };

// cudnnBackendKnobType_t
enum : int { kKnobSplitKSlc = 17 };
constexpr int kKnobTypes = 46;

// cudnnCudaGraphRetention_t
enum : int { kRetentionPerGraph = 0, kRetentionNone = 1 };

constexpr int kMaxDims = 8;  // CUDNN_DIM_MAX

constexpr size_t kVersion = 92801;  // 9.28.1, whose header it was written from

// X(result, name, parameter types ...)
#define ACCEL_DNN_DOUBLE_FUNCTIONS(X)                                       \
  X(size_t, cudnnGetVersion)                                                \
  X(size_t, cudnnGetCudartVersion)                                          \
  X(const char*, cudnnGetErrorString, Status)                               \
  X(void, cudnnGetLastErrorString, char*, size_t)                           \
  X(Status, cudnnCreate, Handle*)                                           \
  X(Status, cudnnDestroy, Handle)                                           \
  X(Status, cudnnSetStream, Handle, cuda::StreamHandle)                     \
  X(Status, cudnnGetStream, Handle, cuda::StreamHandle*)                    \
  X(Status, cudnnBackendCreateDescriptor, int, BackendDescriptor*)          \
  X(Status, cudnnBackendDestroyDescriptor, BackendDescriptor)               \
  X(Status, cudnnBackendInitialize, BackendDescriptor)                      \
  X(Status, cudnnBackendFinalize, BackendDescriptor)                        \
  X(Status, cudnnBackendSetAttribute, BackendDescriptor, int, int, int64_t, \
    const void*)                                                            \
  X(Status, cudnnBackendGetAttribute, BackendDescriptor, int, int, int64_t, \
    int64_t*, void*)                                                        \
  X(Status, cudnnBackendExecute, Handle, BackendDescriptor, BackendDescriptor)

struct Functions {
#define ACCEL_DNN_DOUBLE_MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
  ACCEL_DNN_DOUBLE_FUNCTIONS(ACCEL_DNN_DOUBLE_MEMBER)
#undef ACCEL_DNN_DOUBLE_MEMBER
};

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_ABI_H_
