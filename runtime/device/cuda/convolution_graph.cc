// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuDNN counts dimensions as (n, c, spatial), wherever they lie, and of two
// spatial ones at least.
#include "runtime/device/cuda/convolution_graph.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime::cuda {
namespace {

using planpb::Convolution;
using Sizes = google::protobuf::RepeatedField<uint64_t>;
using Numbers = std::vector<int64_t>;

constexpr size_t kLeastSpatial = 2;

std::optional<int> ToDnn(planpb::ElementType type) {
  switch (type) {
    case planpb::ELEMENT_F32:
      return kDnnFloat;
    case planpb::ELEMENT_BF16:
      return kDnnBfloat16;
    case planpb::ELEMENT_F16:
      return kDnnHalf;
    default:
      return std::nullopt;
  }
}

// One number for each spatial dimension; in front of a single one that of a
// dimension that everything has one of.
Numbers Spatial(const Sizes& sizes, int64_t of_one = 1) {
  Numbers numbers(sizes.begin(), sizes.end());
  if (numbers.size() < kLeastSpatial) {
    numbers.insert(numbers.begin(), of_one);
  }
  return numbers;
}

// (first, last, spatial), of dimensions in the order of the plan.
Numbers InOrder(int64_t first, int64_t last, const Numbers& spatial) {
  Numbers numbers = {first, last};
  numbers.insert(numbers.end(), spatial.begin(), spatial.end());
  return numbers;
}

Numbers StridesOf(const Convolution::Strided& tensor) {
  const Sizes& strides = tensor.strides();
  const Sizes middle(strides.begin() + 1, strides.end() - 1);
  // A single row is as far from the next one as samples are.
  return InOrder(static_cast<int64_t>(strides[0]),
                 static_cast<int64_t>(strides[strides.size() - 1]),
                 Spatial(middle, static_cast<int64_t>(strides[0])));
}

absl::StatusOr<DnnObject> MakeTensor(const Cudnn& library, int64_t id,
                                     const Convolution::Strided& tensor,
                                     const Numbers& shape, uint32_t alignment) {
  const std::optional<int> type = ToDnn(tensor.dtype());
  if (!type) {
    return absl::UnimplementedError(absl::StrCat(
        "cuDNN is not called for ", ElementTypeName(tensor.dtype()), " yet"));
  }
  const int64_t bytes = alignment;
  ASSIGN_OR_RETURN(DnnObject made, DnnObject::Create(library, kDnnTensor));
  RETURN_IF_ERROR(made.SetEnum(kDnnTensorDataType, kDnnTypeDataType, *type));
  RETURN_IF_ERROR(made.Set(kDnnTensorDimensions, shape));
  RETURN_IF_ERROR(made.Set(kDnnTensorStrides, StridesOf(tensor)));
  RETURN_IF_ERROR(made.Set(kDnnTensorUniqueId, Numbers{id}));
  RETURN_IF_ERROR(made.Set(kDnnTensorByteAlignment, Numbers{bytes}));
  RETURN_IF_ERROR(made.Finalize());
  return made;
}

// Zeros around the image lie in memory.
absl::StatusOr<DnnObject> MakeConvolution(const Cudnn& library,
                                          const Convolution& convolution) {
  const Numbers strides = Spatial(convolution.strides());
  const Numbers none(strides.size(), 0);
  const auto spatial = static_cast<int64_t>(strides.size());
  ASSIGN_OR_RETURN(DnnObject made, DnnObject::Create(library, kDnnConvolution));
  RETURN_IF_ERROR(
      made.SetEnum(kDnnConvolutionCompType, kDnnTypeDataType, kDnnFloat));
  RETURN_IF_ERROR(made.SetEnum(kDnnConvolutionConvMode, kDnnTypeConvolutionMode,
                               kDnnCrossCorrelation));
  RETURN_IF_ERROR(made.Set(kDnnConvolutionSpatialDims, Numbers{spatial}));
  RETURN_IF_ERROR(made.Set(kDnnConvolutionFilterStrides, strides));
  RETURN_IF_ERROR(
      made.Set(kDnnConvolutionDilations, Spatial(convolution.dilations())));
  RETURN_IF_ERROR(made.Set(kDnnConvolutionPrePaddings, none));
  RETURN_IF_ERROR(made.Set(kDnnConvolutionPostPaddings, none));
  RETURN_IF_ERROR(made.Finalize());
  return made;
}

// The attributes of an operation, which have other numbers in each direction.
struct OperationNames {
  int type, image, weights, output, convolution, alpha, beta;
};

OperationNames NamesOf(Convolution::Direction direction) {
  return direction == Convolution::DIRECTION_FORWARD
             ? OperationNames{kDnnConvolutionForward, kDnnForwardX,
                              kDnnForwardW,           kDnnForwardY,
                              kDnnForwardConvDesc,    kDnnForwardAlpha,
                              kDnnForwardBeta}
             : OperationNames{
                   kDnnConvolutionBackwardFilter, kDnnBackwardFilterX,
                   kDnnBackwardFilterDw,          kDnnBackwardFilterDy,
                   kDnnBackwardFilterConvDesc,    kDnnBackwardFilterAlpha,
                   kDnnBackwardFilterBeta};
}

// What windows reach of the image, along each spatial dimension.
Numbers Reached(const Convolution& convolution) {
  Sizes reached;
  for (int i = 0; i < convolution.places_size(); ++i) {
    reached.Add((convolution.places(i) - 1) * convolution.strides(i) +
                (convolution.windows(i) - 1) * convolution.dilations(i) + 1);
  }
  return Spatial(reached);
}

absl::StatusOr<DnnObject> MakeOperation(const Cudnn& library,
                                        const Convolution& convolution,
                                        bool adds,
                                        const ConvolutionAlignment& alignment) {
  const auto samples = static_cast<int64_t>(convolution.samples());
  const auto channels = static_cast<int64_t>(convolution.channels());
  const auto filters = static_cast<int64_t>(convolution.filters());
  ASSIGN_OR_RETURN(const DnnObject image,
                   MakeTensor(library, kImageId, convolution.image(),
                              InOrder(samples, channels, Reached(convolution)),
                              alignment.image));
  ASSIGN_OR_RETURN(
      const DnnObject weights,
      MakeTensor(library, kWeightsId, convolution.weights(),
                 InOrder(filters, channels, Spatial(convolution.windows())),
                 alignment.weights));
  ASSIGN_OR_RETURN(
      const DnnObject output,
      MakeTensor(library, kOutputId, convolution.output(),
                 InOrder(samples, filters, Spatial(convolution.places())),
                 alignment.output));
  ASSIGN_OR_RETURN(const DnnObject form, MakeConvolution(library, convolution));
  const OperationNames names = NamesOf(convolution.direction());
  const float alpha = 1;
  const float beta = adds ? 1 : 0;
  ASSIGN_OR_RETURN(DnnObject made, DnnObject::Create(library, names.type));
  RETURN_IF_ERROR(made.Set(names.image, image));
  RETURN_IF_ERROR(made.Set(names.weights, weights));
  RETURN_IF_ERROR(made.Set(names.output, output));
  RETURN_IF_ERROR(made.Set(names.convolution, form));
  RETURN_IF_ERROR(made.Set(names.alpha, kDnnTypeFloat, 1, &alpha));
  RETURN_IF_ERROR(made.Set(names.beta, kDnnTypeFloat, 1, &beta));
  RETURN_IF_ERROR(made.Finalize());
  return made;
}

}  // namespace

absl::StatusOr<DnnObject> MakeConvolutionGraph(
    const Cudnn& library, const Convolution& convolution, bool adds,
    const ConvolutionAlignment& alignment) {
  ASSIGN_OR_RETURN(const DnnObject operation,
                   MakeOperation(library, convolution, adds, alignment));
  const DnnHandle handle = library.handle();
  ASSIGN_OR_RETURN(DnnObject made,
                   DnnObject::Create(library, kDnnOperationGraph));
  RETURN_IF_ERROR(
      made.Set(kDnnOperationGraphHandle, kDnnTypeHandle, 1, &handle));
  RETURN_IF_ERROR(made.Set(kDnnOperationGraphOps, operation));
  RETURN_IF_ERROR(made.Finalize());
  return made;
}

}  // namespace accel::runtime::cuda
