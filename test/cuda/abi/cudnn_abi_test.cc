// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of cuDNN against NVIDIA's.
#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include "runtime/device/cuda/abi/cudnn.h"
#include "test/cuda/abi/same_abi.h"

namespace accel::testing {
namespace {

namespace ours = runtime::cuda;

#define ACCEL_CHECK(result, name, ...)                                         \
  static_assert(                                                               \
      SameAbi<decltype(ours::DnnFunctions::name), decltype(&::name)>::value,   \
      #name);
ACCEL_CUDNN_FUNCTIONS(ACCEL_CHECK)
#undef ACCEL_CHECK

TEST(CudnnAbiTest, StatusesAndTypesAreNvidias) {
  EXPECT_EQ(ours::kDnnSuccess, CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(ours::kDnnNotInitialized, CUDNN_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(ours::kDnnBadParam, CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(ours::kDnnNotSupported, CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(ours::kDnnInternalError, CUDNN_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(ours::kDnnHostAllocationFailed,
            CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
  EXPECT_EQ(ours::kDnnDeviceAllocationFailed,
            CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
  EXPECT_EQ(ours::kDnnExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(ours::kDnnFloat, CUDNN_DATA_FLOAT);
  EXPECT_EQ(ours::kDnnHalf, CUDNN_DATA_HALF);
  EXPECT_EQ(ours::kDnnBfloat16, CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(ours::kDnnCrossCorrelation, CUDNN_CROSS_CORRELATION);
  EXPECT_EQ(ours::kDnnHeuristicFallback, CUDNN_HEUR_MODE_FALLBACK);
  EXPECT_EQ(ours::kDnnHeuristicA, CUDNN_HEUR_MODE_A);
}

TEST(CudnnAbiTest, NotesAreNvidias) {
  EXPECT_EQ(ours::kDnnTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  EXPECT_EQ(ours::kDnnDownConvertInputs,
            CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  EXPECT_EQ(ours::kDnnReducedPrecisionReduction,
            CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
  EXPECT_EQ(ours::kDnnFft, CUDNN_NUMERICAL_NOTE_FFT);
  EXPECT_EQ(ours::kDnnNondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  EXPECT_EQ(ours::kDnnWinograd, CUDNN_NUMERICAL_NOTE_WINOGRAD);
}

TEST(CudnnAbiTest, DescriptorsAndTypesOfValuesAreNvidias) {
  EXPECT_EQ(ours::kDnnConvolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnEngineHeuristic, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnKnobChoice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnConvolutionForward,
            CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnConvolutionBackwardFilter,
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnOperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  EXPECT_EQ(ours::kDnnTypeHandle, CUDNN_TYPE_HANDLE);
  EXPECT_EQ(ours::kDnnTypeDataType, CUDNN_TYPE_DATA_TYPE);
  EXPECT_EQ(ours::kDnnTypeInt64, CUDNN_TYPE_INT64);
  EXPECT_EQ(ours::kDnnTypeFloat, CUDNN_TYPE_FLOAT);
  EXPECT_EQ(ours::kDnnTypeVoidPointer, CUDNN_TYPE_VOID_PTR);
  EXPECT_EQ(ours::kDnnTypeConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE);
  EXPECT_EQ(ours::kDnnTypeHeuristicMode, CUDNN_TYPE_HEUR_MODE);
  EXPECT_EQ(ours::kDnnTypeKnobType, CUDNN_TYPE_KNOB_TYPE);
  EXPECT_EQ(ours::kDnnTypeNumericalNote, CUDNN_TYPE_NUMERICAL_NOTE);
  EXPECT_EQ(ours::kDnnTypeDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
}

TEST(CudnnAbiTest, AttributesOfOperationsAreNvidias) {
  EXPECT_EQ(ours::kDnnConvolutionCompType, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  EXPECT_EQ(ours::kDnnConvolutionConvMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  EXPECT_EQ(ours::kDnnConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  EXPECT_EQ(ours::kDnnConvolutionFilterStrides,
            CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  EXPECT_EQ(ours::kDnnConvolutionPostPaddings,
            CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  EXPECT_EQ(ours::kDnnConvolutionPrePaddings,
            CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  EXPECT_EQ(ours::kDnnConvolutionSpatialDims,
            CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  EXPECT_EQ(ours::kDnnForwardAlpha,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
  EXPECT_EQ(ours::kDnnForwardBeta,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
  EXPECT_EQ(ours::kDnnForwardConvDesc,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
  EXPECT_EQ(ours::kDnnForwardW, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
  EXPECT_EQ(ours::kDnnForwardX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
  EXPECT_EQ(ours::kDnnForwardY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  EXPECT_EQ(ours::kDnnBackwardFilterAlpha,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA);
  EXPECT_EQ(ours::kDnnBackwardFilterBeta,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA);
  EXPECT_EQ(ours::kDnnBackwardFilterConvDesc,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
  EXPECT_EQ(ours::kDnnBackwardFilterDw,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
  EXPECT_EQ(ours::kDnnBackwardFilterX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
  EXPECT_EQ(ours::kDnnBackwardFilterDy,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
  EXPECT_EQ(ours::kDnnTensorByteAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  EXPECT_EQ(ours::kDnnTensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
  EXPECT_EQ(ours::kDnnTensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
  EXPECT_EQ(ours::kDnnTensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
  EXPECT_EQ(ours::kDnnTensorUniqueId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
}

TEST(CudnnAbiTest, AttributesOfEnginesAndPlansAreNvidias) {
  EXPECT_EQ(ours::kDnnEngineHeurMode, CUDNN_ATTR_ENGINEHEUR_MODE);
  EXPECT_EQ(ours::kDnnEngineHeurOperationGraph,
            CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  EXPECT_EQ(ours::kDnnEngineHeurResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  EXPECT_EQ(ours::kDnnEngineConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
  EXPECT_EQ(ours::kDnnEngineConfigKnobChoices,
            CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
  EXPECT_EQ(ours::kDnnExecutionPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  EXPECT_EQ(ours::kDnnExecutionPlanEngineConfig,
            CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  EXPECT_EQ(ours::kDnnExecutionPlanWorkspaceSize,
            CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  EXPECT_EQ(ours::kDnnKnobChoiceKnobType, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE);
  EXPECT_EQ(ours::kDnnKnobChoiceKnobValue, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
  EXPECT_EQ(ours::kDnnOperationGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  EXPECT_EQ(ours::kDnnOperationGraphOps, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  EXPECT_EQ(ours::kDnnVariantPackUniqueIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  EXPECT_EQ(ours::kDnnVariantPackDataPointers,
            CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  EXPECT_EQ(ours::kDnnVariantPackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  EXPECT_EQ(ours::kDnnEngineGlobalIndex, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  EXPECT_EQ(ours::kDnnEngineNumericalNote, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
}

} // namespace
} // namespace accel::testing
