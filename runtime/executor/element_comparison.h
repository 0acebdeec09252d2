// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much two tensors differ.
#ifndef ACCEL_RUNTIME_EXECUTOR_ELEMENT_COMPARISON_H_
#define ACCEL_RUNTIME_EXECUTOR_ELEMENT_COMPARISON_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/base/dtype.h"

namespace accel::runtime {

struct ElementComparison {
  uint64_t elements = 0;
  uint64_t different = 0;  // in their bits; NaNs are equal
  // The largest difference, in units of what the type allows to sums that are
  // taken in another order: 1e-4 of the tensor's largest magnitude in f32 and
  // f64, two steps of the type's own precision of it in narrower ones, and two
  // steps of TF32's in f32 of coarse sums. Infinite where
  // one alone is finite, and for whole numbers that differ.
  double worst = 0;

  // Whether no difference is more than that.
  bool IsClose() const { return worst <= 1; }
};

// Compares tensors of the same length. What is no number is compared by bits.
// `are_coarse`: `got` are sums of products of f32 whose operands were rounded
// to TF32, or of 8 bits, which a GPU sums in fewer than f32 has.
ElementComparison CompareElements(DType dtype,
                                  absl::Span<const std::byte> expected,
                                  absl::Span<const std::byte> got,
                                  bool are_coarse = false);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_ELEMENT_COMPARISON_H_
