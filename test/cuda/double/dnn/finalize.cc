// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/finalize.h"

#include <algorithm>

#include "test/cuda/double/dnn/refusals.h"

namespace accel::cuda_double::dnn {
namespace {

Status CheckRequired(const Descriptor& descriptor) {
  for (const Attribute& attribute : AttributesOf(descriptor.kind)) {
    if (attribute.use == Use::kRequired && !descriptor.Has(attribute.name)) {
      return Bad(std::string(attribute.text) + " is required and not set");
    }
  }
  return kSuccess;
}

Status CheckReferred(const Descriptor& descriptor) {
  for (const auto& [name, value] : descriptor.values) {
    for (const SharedDescriptor& referred : value.descriptors) {
      if (!referred->is_finalized) {
        return Refuse(kBadParamNotFinalized,
                      std::string(FindAttribute(descriptor.kind, name)->text) +
                          " is not finalized");
      }
    }
  }
  const SharedDescriptor destroyed = FindDestroyed(descriptor);
  return destroyed == nullptr
             ? kSuccess
             : Bad(std::string("it refers to a ") + KindText(destroyed->kind) +
                   " that was destroyed");
}

bool AllAtLeast(const std::vector<int64_t>& values, int64_t least) {
  return std::all_of(values.begin(), values.end(),
                     [least](int64_t value) { return value >= least; });
}

Status CheckTensor(const Descriptor& descriptor, const Tensor& tensor) {
  if (tensor.dims.size() != tensor.strides.size()) {
    return Bad("a tensor has as many strides as dimensions");
  }
  if (!AllAtLeast(tensor.dims, 1) || !AllAtLeast(tensor.strides, 1)) {
    return Bad("dimensions and strides of a tensor are positive");
  }
  if (ElementBytes(tensor.type) == 0) {
    return Refuse(kNotSupportedDataType,
                  "the double has tensors of f32, f16 and bf16");
  }
  if (tensor.alignment <= 0 ||
      tensor.alignment % ElementBytes(tensor.type) != 0) {
    return Bad("the alignment is no multiple of the element's size");
  }
  if (tensor.is_virtual && tensor.is_by_value) {
    return Bad("a tensor by value is not virtual");
  }
  if (tensor.is_by_value && tensor.elements() != 1) {
    return Refuse(kNotSupportedShape, "a tensor by value has one element");
  }
  if (descriptor.Has(kTensorVectorCount) &&
      descriptor.Get<int64_t>(kTensorVectorCount) != 1) {
    return Refuse(kNotSupportedLayout, "the double has no vectorized tensors");
  }
  if (descriptor.Has(kTensorReorderingMode) &&
      descriptor.Get<int>(kTensorReorderingMode) != 0) {
    return Refuse(kNotSupportedLayout, "the double has no reordered tensors");
  }
  return kSuccess;
}

Status DispatchFinalize(Descriptor& descriptor) {
  switch (descriptor.kind) {
    case kTensorDescriptor:
      return FinalizeTensor(descriptor);
    case kConvolutionDescriptor:
      return FinalizeConvolution(descriptor);
    case kPointwiseDescriptor:
      return FinalizePointwise(descriptor);
    case kOperationForwardDescriptor:
    case kOperationBackwardDataDescriptor:
    case kOperationBackwardFilterDescriptor:
      return FinalizeConvolutionOperation(descriptor);
    case kOperationPointwiseDescriptor:
      return FinalizePointwiseOperation(descriptor);
    case kOperationGraphDescriptor:
      return FinalizeOperationGraph(descriptor);
    case kEngineDescriptor:
      return FinalizeEngine(descriptor);
    case kEngineCfgDescriptor:
      return FinalizeEngineCfg(descriptor);
    case kEngineHeurDescriptor:
      return FinalizeEngineHeur(descriptor);
    case kExecutionPlanDescriptor:
      return FinalizePlan(descriptor);
    case kVariantPackDescriptor:
      return FinalizeVariantPack(descriptor);
    case kKnobChoiceDescriptor:
      descriptor.meaning =
          KnobChoice{descriptor.Get<int>(kKnobChoiceType),
                     descriptor.Get<int64_t>(kKnobChoiceValue)};
      return kSuccess;
    default:
      return Refuse(kNotSupported, std::string("nobody finalizes a ") +
                                       KindText(descriptor.kind));
  }
}

}  // namespace

Status Finalize(Descriptor& descriptor) {
  if (descriptor.is_finalized) {
    return Bad("the descriptor is already finalized");
  }
  if (Status status = CheckRequired(descriptor); status != kSuccess) {
    return status;
  }
  if (Status status = CheckReferred(descriptor); status != kSuccess) {
    return status;
  }
  const Status status = DispatchFinalize(descriptor);
  descriptor.is_finalized = status == kSuccess;
  return status;
}

Status FinalizeTensor(Descriptor& descriptor) {
  Tensor tensor;
  tensor.uid = descriptor.Get<int64_t>(kTensorUniqueId);
  tensor.type = descriptor.Get<int>(kTensorDataType);
  tensor.alignment = descriptor.Get<int64_t>(kTensorByteAlignment);
  tensor.dims = descriptor.Integers(kTensorDimensions);
  tensor.strides = descriptor.Integers(kTensorStrides);
  // As documented, neither is the case unless somebody says so.
  for (int name : {kTensorIsVirtual, kTensorIsByValue}) {
    if (!descriptor.Has(name)) {
      descriptor.values[name] = Value::Of(kTypeBoolean, std::vector<char>{0});
    }
  }
  tensor.is_virtual = descriptor.Get<char>(kTensorIsVirtual) != 0;
  tensor.is_by_value = descriptor.Get<char>(kTensorIsByValue) != 0;
  const Status status = CheckTensor(descriptor, tensor);
  if (status == kSuccess) {
    descriptor.meaning = tensor;
  }
  return status;
}

Status FinalizeConvolution(Descriptor& descriptor) {
  Convolution convolution;
  convolution.compute_type = descriptor.Get<int>(kConvCompType);
  convolution.mode = descriptor.Get<int>(kConvMode);
  convolution.spatial_dims = descriptor.Get<int64_t>(kConvSpatialDims);
  convolution.dilations = descriptor.Integers(kConvDilations);
  convolution.strides = descriptor.Integers(kConvFilterStrides);
  convolution.pre_paddings = descriptor.Integers(kConvPrePaddings);
  convolution.post_paddings = descriptor.Integers(kConvPostPaddings);
  for (const auto* values :
       {&convolution.dilations, &convolution.strides, &convolution.pre_paddings,
        &convolution.post_paddings}) {
    if (static_cast<int64_t>(values->size()) != convolution.spatial_dims) {
      return Bad(
          "dilations, strides and paddings are as many as spatial dimensions");
    }
  }
  if (!AllAtLeast(convolution.dilations, 1) ||
      !AllAtLeast(convolution.strides, 1)) {
    return Bad("dilations and strides are positive");
  }
  if (!AllAtLeast(convolution.pre_paddings, 0) ||
      !AllAtLeast(convolution.post_paddings, 0)) {
    return Bad("paddings are not negative");
  }
  descriptor.meaning = convolution;
  return kSuccess;
}

Status FinalizePointwise(Descriptor& descriptor) {
  Pointwise pointwise;
  pointwise.mode = descriptor.Get<int>(kPointwiseMode);
  pointwise.math_type = descriptor.Get<int>(kPointwiseMathPrec);
  pointwise.lower_clip =
      descriptor.Real(kPointwiseReluLowerClip, pointwise.lower_clip);
  pointwise.upper_clip =
      descriptor.Real(kPointwiseReluUpperClip, pointwise.upper_clip);
  pointwise.lower_clip_slope =
      descriptor.Real(kPointwiseReluLowerClipSlope, pointwise.lower_clip_slope);
  if (!pointwise.has_two_inputs() && pointwise.mode != kPointwiseIdentity &&
      pointwise.mode != kPointwiseReluFwd) {
    return Refuse(kNotSupported,
                  "the double adds, multiplies, copies and has "
                  "the forward ReLU");
  }
  if (pointwise.math_type != kFloat) {
    return Refuse(kNotSupportedDataType, "the double computes in f32");
  }
  descriptor.meaning = pointwise;
  return kSuccess;
}

Status FinalizeVariantPack(Descriptor& descriptor) {
  const std::vector<int64_t> uids = descriptor.Integers(kPackUniqueIds);
  const Value& pointers = descriptor.values.at(kPackDataPointers);
  if (static_cast<int64_t>(uids.size()) != pointers.count) {
    return Bad("there are as many pointers as unique ids");
  }
  VariantPack pack;
  pack.workspace = descriptor.Get<void*>(kPackWorkspace);
  for (int64_t i = 0; i < pointers.count; ++i) {
    if (!pack.pointers.emplace(uids[i], pointers.At<void*>(i)).second) {
      return Refuse(kBadParamDuplicatedEntries,
                    "unique id " + std::to_string(uids[i]) + " is there twice");
    }
  }
  descriptor.meaning = pack;
  return kSuccess;
}

}  // namespace accel::cuda_double::dnn
