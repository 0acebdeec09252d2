// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/attributes.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr int64_t kMany = INT64_MAX;

// What NVIDIA documents as one element of a type that is no descriptor.
constexpr Attribute One(int name, const char* text, int type, Use use) {
  return {name, text, type, -1, 1, 1, use, -1};
}
constexpr Attribute Number(int name, const char* text, Use use) {
  return {name, text, kTypeDouble, kTypeFloat, 1, kMany, use, -1};
}
constexpr Attribute Several(int name, const char* text, int type,
                            int64_t min_count, int64_t max_count, Use use) {
  return {name, text, type, -1, min_count, max_count, use, -1};
}
constexpr Attribute Descriptors(int name, const char* text, int64_t max_count,
                                Use use, int kind) {
  return {name, text, kTypeBackendDescriptor, -1, max_count == 1, max_count,
          use,  kind};
}

constexpr Attribute kPointwise[] = {
    One(kPointwiseMode, "POINTWISE_MODE", kTypePointwiseMode, Use::kRequired),
    One(kPointwiseMathPrec, "POINTWISE_MATH_PREC", kTypeDataType,
        Use::kRequired),
    One(kPointwiseNanPropagation, "POINTWISE_NAN_PROPAGATION",
        kTypeNanPropagation, Use::kOptional),
    Number(kPointwiseReluLowerClip, "POINTWISE_RELU_LOWER_CLIP",
           Use::kOptional),
    Number(kPointwiseReluUpperClip, "POINTWISE_RELU_UPPER_CLIP",
           Use::kOptional),
    Number(kPointwiseReluLowerClipSlope, "POINTWISE_RELU_LOWER_CLIP_SLOPE",
           Use::kOptional),
};

constexpr Attribute kConvolution[] = {
    One(kConvCompType, "CONVOLUTION_COMP_TYPE", kTypeDataType, Use::kRequired),
    One(kConvMode, "CONVOLUTION_CONV_MODE", kTypeConvolutionMode,
        Use::kRequired),
    One(kConvSpatialDims, "CONVOLUTION_SPATIAL_DIMS", kTypeInt64,
        Use::kRequired),
    Several(kConvDilations, "CONVOLUTION_DILATIONS", kTypeInt64, 1, kMaxDims,
            Use::kRequired),
    Several(kConvFilterStrides, "CONVOLUTION_FILTER_STRIDES", kTypeInt64, 1,
            kMaxDims, Use::kRequired),
    Several(kConvPrePaddings, "CONVOLUTION_PRE_PADDINGS", kTypeInt64, 1,
            kMaxDims, Use::kRequired),
    Several(kConvPostPaddings, "CONVOLUTION_POST_PADDINGS", kTypeInt64, 1,
            kMaxDims, Use::kRequired),
};

constexpr Attribute kEngine[] = {
    Descriptors(kEngineOperationGraph, "ENGINE_OPERATION_GRAPH", 1,
                Use::kRequired, kOperationGraphDescriptor),
    One(kEngineGlobalIndex, "ENGINE_GLOBAL_INDEX", kTypeInt64, Use::kRequired),
    Descriptors(kEngineKnobInfo, "ENGINE_KNOB_INFO", kMany, Use::kReadOnly,
                kKnobInfoDescriptor),
    Several(kEngineNumericalNote, "ENGINE_NUMERICAL_NOTE", kTypeNumericalNote,
            0, kMany, Use::kReadOnly),
    Several(kEngineBehaviorNote, "ENGINE_BEHAVIOR_NOTE", kTypeBehaviorNote, 0,
            kMany, Use::kReadOnly),
    One(kEngineSmCountTarget, "ENGINE_SM_COUNT_TARGET", kTypeInt32,
        Use::kOptional),
};

constexpr Attribute kEngineCfg[] = {
    Descriptors(kCfgEngine, "ENGINECFG_ENGINE", 1, Use::kRequired,
                kEngineDescriptor),
    Descriptors(kCfgKnobChoices, "ENGINECFG_KNOB_CHOICES", kMany,
                Use::kOptional, kKnobChoiceDescriptor),
    One(kCfgWorkspaceSize, "ENGINECFG_WORKSPACE_SIZE", kTypeInt64,
        Use::kReadOnly),
};

constexpr Attribute kEngineHeur[] = {
    Descriptors(kHeurOperationGraph, "ENGINEHEUR_OPERATION_GRAPH", 1,
                Use::kRequired, kOperationGraphDescriptor),
    One(kHeurMode, "ENGINEHEUR_MODE", kTypeHeurMode, Use::kRequired),
    Descriptors(kHeurResults, "ENGINEHEUR_RESULTS", kMany, Use::kReadOnly,
                kEngineCfgDescriptor),
    One(kHeurSmCountTarget, "ENGINEHEUR_SM_COUNT_TARGET", kTypeInt32,
        Use::kOptional),
};

// An engine configuration is required of a plan that is not made from JSON.
constexpr Attribute kPlan[] = {
    One(kPlanHandle, "EXECUTION_PLAN_HANDLE", kTypeHandle, Use::kRequired),
    Descriptors(kPlanEngineConfig, "EXECUTION_PLAN_ENGINE_CONFIG", 1,
                Use::kOptional, kEngineCfgDescriptor),
    One(kPlanWorkspaceSize, "EXECUTION_PLAN_WORKSPACE_SIZE", kTypeInt64,
        Use::kReadOnly),
    Several(kPlanJson, "EXECUTION_PLAN_JSON_REPRESENTATION", kTypeChar, 1,
            kMany, Use::kOptional),
    One(kPlanGraphRetention, "EXECUTION_PLAN_CUDA_GRAPH_RETENTION",
        kTypeGraphRetention, Use::kOptional),
};

constexpr Attribute kKnobChoice[] = {
    One(kKnobChoiceType, "KNOB_CHOICE_KNOB_TYPE", kTypeKnobType,
        Use::kRequired),
    One(kKnobChoiceValue, "KNOB_CHOICE_KNOB_VALUE", kTypeInt64, Use::kRequired),
};

constexpr Attribute kKnobInfo[] = {
    One(kKnobInfoType, "KNOB_INFO_TYPE", kTypeKnobType, Use::kReadOnly),
    One(kKnobInfoMaximum, "KNOB_INFO_MAXIMUM_VALUE", kTypeInt64,
        Use::kReadOnly),
    One(kKnobInfoMinimum, "KNOB_INFO_MINIMUM_VALUE", kTypeInt64,
        Use::kReadOnly),
    One(kKnobInfoStride, "KNOB_INFO_STRIDE", kTypeInt64, Use::kReadOnly),
};

constexpr Attribute kForward[] = {
    Number(kForwardAlpha, "OPERATION_CONVOLUTION_FORWARD_ALPHA",
           Use::kRequired),
    Number(kForwardBeta, "OPERATION_CONVOLUTION_FORWARD_BETA", Use::kRequired),
    Descriptors(kForwardConvDesc, "OPERATION_CONVOLUTION_FORWARD_CONV_DESC", 1,
                Use::kRequired, kConvolutionDescriptor),
    Descriptors(kForwardW, "OPERATION_CONVOLUTION_FORWARD_W", 1, Use::kRequired,
                kTensorDescriptor),
    Descriptors(kForwardX, "OPERATION_CONVOLUTION_FORWARD_X", 1, Use::kRequired,
                kTensorDescriptor),
    Descriptors(kForwardY, "OPERATION_CONVOLUTION_FORWARD_Y", 1, Use::kRequired,
                kTensorDescriptor),
};

constexpr Attribute kBackwardData[] = {
    Number(kBwdDataAlpha, "OPERATION_CONVOLUTION_BWD_DATA_ALPHA",
           Use::kRequired),
    Number(kBwdDataBeta, "OPERATION_CONVOLUTION_BWD_DATA_BETA", Use::kRequired),
    Descriptors(kBwdDataConvDesc, "OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC", 1,
                Use::kRequired, kConvolutionDescriptor),
    Descriptors(kBwdDataW, "OPERATION_CONVOLUTION_BWD_DATA_W", 1,
                Use::kRequired, kTensorDescriptor),
    Descriptors(kBwdDataDx, "OPERATION_CONVOLUTION_BWD_DATA_DX", 1,
                Use::kRequired, kTensorDescriptor),
    Descriptors(kBwdDataDy, "OPERATION_CONVOLUTION_BWD_DATA_DY", 1,
                Use::kRequired, kTensorDescriptor),
};

constexpr Attribute kBackwardFilter[] = {
    Number(kBwdFilterAlpha, "OPERATION_CONVOLUTION_BWD_FILTER_ALPHA",
           Use::kRequired),
    Number(kBwdFilterBeta, "OPERATION_CONVOLUTION_BWD_FILTER_BETA",
           Use::kRequired),
    Descriptors(kBwdFilterConvDesc,
                "OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC", 1, Use::kRequired,
                kConvolutionDescriptor),
    Descriptors(kBwdFilterDw, "OPERATION_CONVOLUTION_BWD_FILTER_DW", 1,
                Use::kRequired, kTensorDescriptor),
    Descriptors(kBwdFilterX, "OPERATION_CONVOLUTION_BWD_FILTER_X", 1,
                Use::kRequired, kTensorDescriptor),
    Descriptors(kBwdFilterDy, "OPERATION_CONVOLUTION_BWD_FILTER_DY", 1,
                Use::kRequired, kTensorDescriptor),
};

constexpr Attribute kPointwiseOperation[] = {
    Descriptors(kPwDescriptor, "OPERATION_POINTWISE_PW_DESCRIPTOR", 1,
                Use::kRequired, kPointwiseDescriptor),
    Descriptors(kPwX, "OPERATION_POINTWISE_XDESC", 1, Use::kRequired,
                kTensorDescriptor),
    Descriptors(kPwB, "OPERATION_POINTWISE_BDESC", 1, Use::kOptional,
                kTensorDescriptor),
    Descriptors(kPwY, "OPERATION_POINTWISE_YDESC", 1, Use::kRequired,
                kTensorDescriptor),
    Number(kPwAlpha1, "OPERATION_POINTWISE_ALPHA1", Use::kOptional),
    Number(kPwAlpha2, "OPERATION_POINTWISE_ALPHA2", Use::kOptional),
};

constexpr Attribute kOperationGraph[] = {
    One(kGraphHandle, "OPERATIONGRAPH_HANDLE", kTypeHandle, Use::kRequired),
    {kGraphOps, "OPERATIONGRAPH_OPS", kTypeBackendDescriptor, -1, 1, kMany,
     Use::kRequired, -1},
    One(kGraphEngineGlobalCount, "OPERATIONGRAPH_ENGINE_GLOBAL_COUNT",
        kTypeInt64, Use::kReadOnly),
};

constexpr Attribute kVariantPack[] = {
    Several(kPackUniqueIds, "VARIANT_PACK_UNIQUE_IDS", kTypeInt64, 0, kMany,
            Use::kRequired),
    Several(kPackDataPointers, "VARIANT_PACK_DATA_POINTERS", kTypeVoidPtr, 0,
            kMany, Use::kRequired),
    One(kPackWorkspace, "VARIANT_PACK_WORKSPACE", kTypeVoidPtr, Use::kRequired),
};

constexpr Attribute kTensor[] = {
    One(kTensorUniqueId, "TENSOR_UNIQUE_ID", kTypeInt64, Use::kRequired),
    One(kTensorDataType, "TENSOR_DATA_TYPE", kTypeDataType, Use::kRequired),
    One(kTensorByteAlignment, "TENSOR_BYTE_ALIGNMENT", kTypeInt64,
        Use::kRequired),
    Several(kTensorDimensions, "TENSOR_DIMENSIONS", kTypeInt64, 1, kMaxDims,
            Use::kRequired),
    Several(kTensorStrides, "TENSOR_STRIDES", kTypeInt64, 1, kMaxDims,
            Use::kRequired),
    One(kTensorVectorCount, "TENSOR_VECTOR_COUNT", kTypeInt64, Use::kOptional),
    One(kTensorVectorizedDimension, "TENSOR_VECTORIZED_DIMENSION", kTypeInt64,
        Use::kOptional),
    One(kTensorIsVirtual, "TENSOR_IS_VIRTUAL", kTypeBoolean, Use::kOptional),
    One(kTensorIsByValue, "TENSOR_IS_BY_VALUE", kTypeBoolean, Use::kOptional),
    One(kTensorReorderingMode, "TENSOR_REORDERING_MODE", kTypeReorderingMode,
        Use::kOptional),
};

struct Kind {
  int number;
  const char* text;
  std::span<const Attribute> attributes;
};

constexpr Kind kKinds[] = {
    {kPointwiseDescriptor, "POINTWISE_DESCRIPTOR", kPointwise},
    {kConvolutionDescriptor, "CONVOLUTION_DESCRIPTOR", kConvolution},
    {kEngineDescriptor, "ENGINE_DESCRIPTOR", kEngine},
    {kEngineCfgDescriptor, "ENGINECFG_DESCRIPTOR", kEngineCfg},
    {kEngineHeurDescriptor, "ENGINEHEUR_DESCRIPTOR", kEngineHeur},
    {kExecutionPlanDescriptor, "EXECUTION_PLAN_DESCRIPTOR", kPlan},
    {kKnobChoiceDescriptor, "KNOB_CHOICE_DESCRIPTOR", kKnobChoice},
    {kKnobInfoDescriptor, "KNOB_INFO_DESCRIPTOR", kKnobInfo},
    {kOperationForwardDescriptor, "OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR",
     kForward},
    {kOperationBackwardFilterDescriptor,
     "OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR", kBackwardFilter},
    {kOperationBackwardDataDescriptor,
     "OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR", kBackwardData},
    {kOperationPointwiseDescriptor, "OPERATION_POINTWISE_DESCRIPTOR",
     kPointwiseOperation},
    {kOperationGraphDescriptor, "OPERATIONGRAPH_DESCRIPTOR", kOperationGraph},
    {kVariantPackDescriptor, "VARIANT_PACK_DESCRIPTOR", kVariantPack},
    {kTensorDescriptor, "TENSOR_DESCRIPTOR", kTensor},
};

const Kind* FindKind(int number) {
  for (const Kind& kind : kKinds) {
    if (kind.number == number) {
      return &kind;
    }
  }
  return nullptr;
}

}  // namespace

std::span<const Attribute> AttributesOf(int kind) {
  const Kind* found = FindKind(kind);
  return found == nullptr ? std::span<const Attribute>() : found->attributes;
}

const Attribute* FindAttribute(int kind, int name) {
  for (const Attribute& attribute : AttributesOf(kind)) {
    if (attribute.name == name) {
      return &attribute;
    }
  }
  return nullptr;
}

const char* KindText(int kind) {
  const Kind* found = FindKind(kind);
  return found == nullptr ? "a kind that the double does not have"
                          : found->text;
}

bool IsOperation(int kind) {
  return kind >= kOperationForwardDescriptor &&
         kind <= kOperationPointwiseDescriptor;
}

int64_t TypeBytes(int type) {
  switch (type) {
    case kTypeBoolean:
    case kTypeChar:
      return 1;
    case kTypeDataType:
    case kTypeFloat:
    case kTypeConvolutionMode:
    case kTypeHeurMode:
    case kTypeKnobType:
    case kTypeNanPropagation:
    case kTypeNumericalNote:
    case kTypePointwiseMode:
    case kTypeBehaviorNote:
    case kTypeReorderingMode:
    case kTypeInt32:
    case kTypeGraphRetention:
      return 4;
    case kTypeHandle:
    case kTypeInt64:
    case kTypeDouble:
    case kTypeVoidPtr:
    case kTypeBackendDescriptor:
      return 8;
    default:
      return 0;
  }
}

}  // namespace accel::cuda_double::dnn
