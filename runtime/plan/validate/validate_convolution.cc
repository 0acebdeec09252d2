// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of convolutions that libraries compute.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/repeated_field.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

using planpb::Convolution;
using Sizes = google::protobuf::RepeatedField<uint64_t>;

// Libraries count in 32 bits.
constexpr uint64_t kMostElements = INT32_MAX;
constexpr int kMostSpatial = 3;

bool IsSize(uint64_t value) { return value != 0 && value <= kMostElements; }

absl::Status ValidateSizes(const Convolution& convolution) {
  const int spatial = convolution.places_size();
  if (spatial == 0 || spatial > kMostSpatial) {
    return absl::UnimplementedError(absl::StrCat(
        "expected one to three spatial dimensions, got ", spatial));
  }
  for (const Sizes* sizes :
       {&convolution.places(), &convolution.windows(), &convolution.strides(),
        &convolution.dilations()}) {
    bool are_sizes = sizes->size() == spatial;
    for (const uint64_t size : *sizes) {
      are_sizes = are_sizes && IsSize(size);
    }
    if (!are_sizes) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a number from 1 to ", kMostElements,
                       " for each of ", spatial, " spatial dimensions, got [",
                       absl::StrJoin(*sizes, ", "), "]"));
    }
  }
  if (!IsSize(convolution.samples()) || !IsSize(convolution.channels()) ||
      !IsSize(convolution.filters())) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected samples, channels and filters from 1 to ",
                     kMostElements, ", got ", convolution.samples(), ", ",
                     convolution.channels(), " and ", convolution.filters()));
  }
  return absl::OkStatus();
}

// Sizes of a tensor of `first`, `spatial` and `last`.
std::vector<uint64_t> ShapeOf(uint64_t first, const Sizes& spatial,
                              uint64_t last) {
  std::vector<uint64_t> shape = {first};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(last);
  return shape;
}

// What windows reach. No size exceeds 32 bits, so no number here 64.
std::vector<uint64_t> ImageShape(const Convolution& convolution) {
  Sizes reached;
  for (int i = 0; i < convolution.places_size(); ++i) {
    const uint64_t last = (convolution.places(i) - 1) * convolution.strides(i);
    const uint64_t reach =
        (convolution.windows(i) - 1) * convolution.dilations(i);
    reached.Add(last + reach + 1);
  }
  return ShapeOf(convolution.samples(), reached, convolution.channels());
}

// Elements from the first one to behind the last one.
std::optional<uint64_t> ReachOf(const Convolution::Strided& tensor,
                                const std::vector<uint64_t>& shape) {
  uint64_t reach = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto steps =
        CheckedMultiply(shape[i] - 1, tensor.strides(static_cast<int>(i)));
    if (!steps || *steps > UINT64_MAX - reach) {
      return std::nullopt;
    }
    reach += *steps;
  }
  return reach;
}

// All of the tensor lies in one operand of the kernel.
absl::Status ValidateTensor(const planpb::Kernel& kernel,
                            const Convolution::Strided& tensor,
                            const std::vector<uint64_t>& shape) {
  RETURN_IF_ERROR(CheckElementType(tensor.dtype()));
  RETURN_IF_ERROR(CheckIndex("operand", tensor.operand(), kernel.arity()));
  bool are_strides = tensor.strides_size() == static_cast<int>(shape.size());
  for (const uint64_t stride : tensor.strides()) {
    are_strides = are_strides && stride != 0;
  }
  if (!are_strides) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a positive stride for each of ", shape.size(),
        " dimensions, got [", absl::StrJoin(tensor.strides(), ", "), "]"));
  }
  const std::optional<uint64_t> elements = ReachOf(tensor, shape);
  const std::optional<uint64_t> bytes =
      elements ? ElementBytes(tensor.dtype(), *elements) : std::nullopt;
  const uint64_t room =
      kernel.operands(static_cast<int>(tensor.operand())).bytes();
  if (!bytes || *bytes > room || tensor.offset() > room - *bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a tensor to lie in the ", room, " bytes of operand ",
        tensor.operand(), ", got one of ", absl::StrJoin(shape, "x"), " ",
        ElementTypeName(tensor.dtype()), " with strides [",
        absl::StrJoin(tensor.strides(), ", "), "] from byte ", tensor.offset(),
        " on"));
  }
  return absl::OkStatus();
}

// What is computed has no gaps, whatever the order of its dimensions, so that
// no two of its elements share a place, and lies in an operand that the kernel
// writes.
absl::Status ValidateResult(const planpb::Kernel& kernel,
                            const Convolution::Strided& tensor,
                            const std::vector<uint64_t>& shape) {
  std::vector<std::pair<uint64_t, uint64_t>> dimensions;  // stride and size
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) {
      dimensions.emplace_back(tensor.strides(static_cast<int>(i)), shape[i]);
    }
  }
  std::sort(dimensions.begin(), dimensions.end());
  uint64_t expected = 1;
  for (const auto& [stride, size] : dimensions) {
    if (stride != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected what is computed to lie without gaps, got ",
                       absl::StrJoin(shape, "x"), " with strides [",
                       absl::StrJoin(tensor.strides(), ", "), "]"));
    }
    expected *= size;
  }
  const planpb::KernelOperand& operand =
      kernel.operands(static_cast<int>(tensor.operand()));
  return operand.mode() == planpb::Access::MODE_READ
             ? absl::InvalidArgumentError(
                   absl::StrCat("expected what is computed in an operand that "
                                "is written, got operand ",
                                tensor.operand()))
             : absl::OkStatus();
}

absl::Status ValidateTypes(const Convolution& convolution) {
  const planpb::ElementType type = convolution.image().dtype();
  if (convolution.weights().dtype() != type ||
      convolution.output().dtype() != type) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected tensors of one type, got ", ElementTypeName(type), ", ",
        ElementTypeName(convolution.weights().dtype()), " and ",
        ElementTypeName(convolution.output().dtype())));
  }
  return convolution.tf32() && type != planpb::ELEMENT_F32
             ? absl::InvalidArgumentError(absl::StrCat(
                   "expected tensors of f32, which are rounded to TF32, got ",
                   ElementTypeName(type)))
             : absl::OkStatus();
}

}  // namespace

absl::Status ValidateConvolution(const planpb::Kernel& kernel,
                                 const Convolution& convolution) {
  if (!Convolution::Direction_IsValid(convolution.direction()) ||
      convolution.direction() == Convolution::DIRECTION_UNSPECIFIED) {
    return absl::UnimplementedError(absl::StrCat(
        "expected a direction that this release knows, got number ",
        static_cast<int>(convolution.direction())));
  }
  RETURN_IF_ERROR(ValidateSizes(convolution));
  const std::vector<uint64_t> weights = ShapeOf(
      convolution.filters(), convolution.windows(), convolution.channels());
  const std::vector<uint64_t> output = ShapeOf(
      convolution.samples(), convolution.places(), convolution.filters());
  RETURN_IF_ERROR(Annotate(
      ValidateTensor(kernel, convolution.image(), ImageShape(convolution)),
      "image"));
  RETURN_IF_ERROR(Annotate(
      ValidateTensor(kernel, convolution.weights(), weights), "weights"));
  RETURN_IF_ERROR(
      Annotate(ValidateTensor(kernel, convolution.output(), output), "output"));
  const bool is_forward =
      convolution.direction() == Convolution::DIRECTION_FORWARD;
  RETURN_IF_ERROR(Annotate(
      is_forward ? ValidateResult(kernel, convolution.output(), output)
                 : ValidateResult(kernel, convolution.weights(), weights),
      is_forward ? "output" : "weights"));
  RETURN_IF_ERROR(ValidateTypes(convolution));
  return ValidateStoring(kernel, convolution.mode(), convolution.flag());
}

}  // namespace accel::runtime
