// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device can do at most: the yardstick of what instructions achieve.
#ifndef ACCEL_RUNTIME_DEVICE_ROOFLINE_H_
#define ACCEL_RUNTIME_DEVICE_ROOFLINE_H_

#include <algorithm>
#include <cstdint>

namespace accel::runtime {

struct Roofline {
  double flops_per_second = 0;  // of multiply-adds of floats
  double bytes_per_second = 0;  // to and from memory

  // The least time that so many operations on so many bytes take: the longer
  // of what computing and what moving them takes.
  double Seconds(uint64_t flops, uint64_t bytes) const {
    return std::max(static_cast<double>(flops) / flops_per_second,
                    static_cast<double>(bytes) / bytes_per_second);
  }
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_ROOFLINE_H_
