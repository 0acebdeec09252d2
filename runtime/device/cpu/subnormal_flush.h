// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How this thread's floating-point unit treats subnormal numbers.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_SUBNORMAL_FLUSH_H_
#define ACCEL_RUNTIME_DEVICE_CPU_SUBNORMAL_FLUSH_H_

#include <immintrin.h>

namespace accel::runtime {

// While it lives, the calling thread reads subnormal numbers as zeros and
// writes zeros in their place, as the processors' instructions for products of
// bf16 do. Does nothing if not `asked`: a write of the control register costs
// as much as a small kernel.
class SubnormalFlush {
 public:
  explicit SubnormalFlush(bool asked) : asked_(asked) {
    if (asked_) {
      before_ = _mm_getcsr();
      _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    }
  }
  ~SubnormalFlush() {
    if (asked_) {
      _mm_setcsr(before_);
    }
  }
  SubnormalFlush(const SubnormalFlush&) = delete;
  SubnormalFlush& operator=(const SubnormalFlush&) = delete;

 private:
  const bool asked_;
  unsigned before_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_SUBNORMAL_FLUSH_H_
