// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When instructions began and ended, by the GPU's clock.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_INSTRUCTION_TIMES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_INSTRUCTION_TIMES_H_

#include <chrono>
#include <cstddef>
#include <vector>

#include "runtime/device/cuda/gpu.h"

namespace accel::runtime::cuda {

// Threads: one at a time.
class InstructionTimes {
 public:
  using Clock = std::chrono::steady_clock;
  struct Times {
    Clock::time_point begin;
    Clock::time_point end;
  };

  InstructionTimes() = default;
  // Of so many instructions under way; 0: all times are those of the clock's
  // beginning. `stream` is idle. Borrows: the GPU.
  static absl::StatusOr<InstructionTimes> Create(const Gpu& gpu, size_t count,
                                                 StreamHandle stream);
  ~InstructionTimes();
  InstructionTimes(InstructionTimes&& other) noexcept {
    *this = std::move(other);
  }
  InstructionTimes& operator=(InstructionTimes&& other) noexcept;

  // Requires: index < count, unless the count is 0.
  absl::Status Begin(size_t index, StreamHandle stream) const;
  absl::Status End(size_t index, StreamHandle stream) const;
  // Requires: the instruction is done.
  absl::StatusOr<Times> Get(size_t index) const;

 private:
  // The zero of both clocks.
  absl::Status Start(StreamHandle stream);
  absl::StatusOr<Clock::duration> Between(EventHandle begin,
                                          EventHandle end) const;

  const Gpu* gpu_ = nullptr;
  EventHandle zero_ = nullptr;
  Clock::time_point zero_time_;
  std::vector<EventHandle> events_;  // begin and end of each instruction
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_INSTRUCTION_TIMES_H_
