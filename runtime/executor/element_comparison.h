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
  // steps of TF32's in f32 where operands were rounded to that. Infinite where
  // one alone is finite, and for whole numbers that differ.
  double worst = 0;

  // Whether no difference is more than that.
  bool IsClose() const { return worst <= 1; }
};

// Compares tensors of the same length. What is no number is compared by bits.
// `is_tf32`: they are sums of products of f32, of which `got` has rounded the
// operands to TF32.
ElementComparison CompareElements(DType dtype,
                                  absl::Span<const std::byte> expected,
                                  absl::Span<const std::byte> got,
                                  bool is_tf32 = false);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_ELEMENT_COMPARISON_H_
