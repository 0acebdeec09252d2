// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/descriptors.h"

#include <bit>
#include <cstring>

#include "test/cuda/double/blas/refusals.h"

namespace accel::cuda_double::blas {
namespace {

// The value of an attribute as the caller hands it over.
struct Value {
  const void* at;
  size_t bytes;
};

template <typename T, typename Valid>
cuda::BlasStatus Assign(T& field, Value value, Valid valid) {
  if (value.at == nullptr) {
    return Invalid("the value of an attribute is null");
  }
  if (value.bytes != sizeof(T)) {
    return Invalid("the value of an attribute has another size");
  }
  T given;
  std::memcpy(&given, value.at, sizeof given);
  if (!valid(given)) {
    return Invalid("the attribute cannot have that value");
  }
  field = given;
  return cuda::kBlasSuccess;
}

template <typename T>
cuda::BlasStatus Assign(T& field, Value value) {
  return Assign(field, value, [](const T&) { return true; });
}

// Both limits belong to the range.
template <typename T>
auto Between(T low, T high) {
  return [low, high](T value) { return value >= low && value <= high; };
}

}  // namespace

cuda::BlasStatus SetAttribute(Desc& desc, int attribute, const void* value,
                              size_t bytes) {
  const Value given{value, bytes};
  switch (attribute) {
    case cuda::kDescPointerMode:
      return Assign(desc.pointer_mode, given, Between(0, 4));
    case cuda::kDescTransA:
      return Assign(desc.trans_a, given, Between(0, 2));
    case cuda::kDescTransB:
      return Assign(desc.trans_b, given, Between(0, 2));
    case cuda::kDescEpilogue:
      return Assign(desc.epilogue, given, Between(1u, 1023u));
    case cuda::kDescBiasPointer:
      return Assign(desc.bias, given);
    case cuda::kDescAuxPointer:
      return Assign(desc.aux, given);
    case cuda::kDescAuxLd:
      return Assign(desc.aux_leading_dimension, given);
    case cuda::kDescAuxBatchStride:
      return Assign(desc.aux_batch_stride, given);
    case cuda::kDescAuxDataType:
      return Assign(desc.aux_type, given, Between(-1, 63));
    case cuda::kDescAScalePointer:
      return Assign(desc.a_scale, given);
    case cuda::kDescBScalePointer:
      return Assign(desc.b_scale, given);
    case cuda::kDescBiasDataType:
      return Assign(desc.bias_type, given, Between(-1, 63));
    default:
      return Invalid("the double knows no such attribute of a product");
  }
}

cuda::BlasStatus SetAttribute(Layout& layout, int attribute, const void* value,
                              size_t bytes) {
  const Value given{value, bytes};
  switch (attribute) {
    case cuda::kLayoutOrder:
      return Assign(layout.order, given, Between(0, 4));
    case cuda::kLayoutBatchCount:
      return Assign(layout.batch_count, given, Between(1, INT32_MAX));
    case cuda::kLayoutStridedBatchOffset:
      return Assign(layout.batch_stride, given);
    default:
      return Invalid("the double knows no such attribute of a matrix");
  }
}

cuda::BlasStatus SetAttribute(Preference& preference, int attribute,
                              const void* value, size_t bytes) {
  const Value given{value, bytes};
  switch (attribute) {
    case cuda::kPreferenceMaxWorkspaceBytes:
      return Assign(preference.max_workspace_bytes, given);
    case cuda::kPreferenceReductionSchemeMask:
      return Assign(preference.reduction_mask, given, Between(0u, 7u));
    case cuda::kPreferenceMinAlignmentABytes:
    case cuda::kPreferenceMinAlignmentBBytes:
    case cuda::kPreferenceMinAlignmentCBytes:
    case cuda::kPreferenceMinAlignmentDBytes:
      return Assign(
          preference
              .alignment_bytes[attribute - cuda::kPreferenceMinAlignmentABytes],
          given,
          [](uint32_t alignment) { return std::has_single_bit(alignment); });
    default:
      return Invalid("the double knows no such attribute of a preference");
  }
}

}  // namespace accel::cuda_double::blas
