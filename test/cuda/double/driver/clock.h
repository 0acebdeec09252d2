// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector clock: how many operations of every stream have happened before.
// Each stream and each branch of an executable graph has a number, its agent.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_CLOCK_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_CLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace accel::cuda_double {

class Clock {
 public:
  uint64_t At(size_t agent) const {
    return agent < times_.size() ? times_[agent] : 0;
  }
  void Set(size_t agent, uint64_t time) {
    times_.resize(std::max(times_.size(), agent + 1));
    times_[agent] = time;
  }
  void Join(const Clock& other) {
    times_.resize(std::max(times_.size(), other.times_.size()));
    for (size_t k = 0; k < other.times_.size(); ++k) {
      times_[k] = std::max(times_[k], other.times_[k]);
    }
  }

 private:
  std::vector<uint64_t> times_;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_CLOCK_H_
