// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the opaque objects of cuBLASLt hold, with the documented defaults, and
// the attributes by which a caller changes it.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_DESCRIPTORS_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_DESCRIPTORS_H_

#include <compare>
#include <cstdint>

#include "test/cuda/double/blas/elements.h"

namespace accel::cuda_double::blas {

// cublasLtOrder_t, as far as the double has it.
enum : int32_t {
  kOrderColumns = 0,
  kOrderRows = 1,
};

// The compute capability of a device: {8, 9} is 8.9.
struct Capability {
  int major = 0;
  int minor = 0;

  auto operator<=>(const Capability&) const = default;
};

struct Desc {
  int compute_type;
  int scale_type;
  int32_t pointer_mode = 0;
  int32_t trans_a = cuda::kOpN;
  int32_t trans_b = cuda::kOpN;
  uint32_t epilogue = cuda::kEpilogueDefault;
  const void* bias = nullptr;
  int32_t bias_type = -1;  // the one that the table of types gives
  // Of an epilogue's auxiliary matrix.
  void* aux = nullptr;
  int64_t aux_leading_dimension = 0;
  int64_t aux_batch_stride = 0;
  int32_t aux_type = -1;  // D's
  // Each one f32 in device memory that multiplies an operand of fp8; null: 1.
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
};

struct Layout {
  int type;
  uint64_t rows;
  uint64_t columns;
  int64_t leading_dimension;
  int32_t order = kOrderColumns;
  int32_t batch_count = 1;
  int64_t batch_stride = 0;

  bool operator==(const Layout&) const = default;
};

struct Preference {
  uint64_t max_workspace_bytes = 0;
  uint32_t reduction_mask = 7;
  // Of A, B, C and D: what the caller promises of his pointers.
  uint32_t alignment_bytes[4] = {256, 256, 256, 256};
};

// Each returns kBlasInvalidValue, and changes nothing, if the value is null,
// its size is not the attribute's, the attribute is none that the double knows,
// or the value is none that is documented for it.
cuda::BlasStatus SetAttribute(Desc& desc, int attribute, const void* value,
                              size_t bytes);
cuda::BlasStatus SetAttribute(Layout& layout, int attribute, const void* value,
                              size_t bytes);
cuda::BlasStatus SetAttribute(Preference& preference, int attribute,
                              const void* value, size_t bytes);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_DESCRIPTORS_H_
