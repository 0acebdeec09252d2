// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches memory for numbers that are not finite.
#ifndef ACCEL_RUNTIME_EXECUTOR_FINITE_SCAN_H_
#define ACCEL_RUNTIME_EXECUTOR_FINITE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/base/dtype.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Whether FiniteScan knows the numbers of this type: f64, f32, f16 and bf16.
bool CanScan(DType dtype);

// Reads a tensor, piece by piece and in order.
class FiniteScan {
 public:
  // Infinities of `allowed` are no fault; NaN always is.
  // Requires: CanScan(dtype).
  FiniteScan(DType dtype, planpb::Access::Infinities allowed)
      : dtype_(dtype), allowed_(allowed) {}

  // The next elements of the tensor; bytes of whole elements.
  void Add(absl::Span<const std::byte> bytes);

  bool found() const { return faults_ != 0; }
  uint64_t elements() const { return elements_; }  // seen
  uint64_t faults() const { return faults_; }
  // The first fault: its element and what it is.
  // Requires: found().
  uint64_t first() const { return first_; }
  double value() const { return value_; }
  // The largest magnitude of what is finite, and where it was first seen.
  double largest() const { return largest_; }
  uint64_t largest_element() const { return largest_element_; }

 private:
  template <typename Read>
  void AddNumbers(uint64_t count, Read read);
  bool IsFault(double number) const;

  const DType dtype_;
  const planpb::Access::Infinities allowed_;
  uint64_t elements_ = 0;
  uint64_t faults_ = 0;
  uint64_t first_ = 0;
  double value_ = 0;
  double largest_ = 0;
  uint64_t largest_element_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_FINITE_SCAN_H_
