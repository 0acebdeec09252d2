// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two events for each instruction, and one that both clocks have seen.
#include "runtime/device/cuda/instruction_times.h"

#include <string>
#include <utility>

#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<InstructionTimes> InstructionTimes::Create(const Gpu& gpu,
                                                          size_t count,
                                                          StreamHandle stream) {
  InstructionTimes times;
  if (count == 0) {
    return times;
  }
  times.gpu_ = &gpu;
  times.events_.resize(2 * count);
  for (EventHandle& event : times.events_) {
    RETURN_IF_CUDA_ERROR(gpu.driver(), cuEventCreate, &event, kEventDefault);
  }
  RETURN_IF_CUDA_ERROR(gpu.driver(), cuEventCreate, &times.zero_,
                       kEventDefault);
  RETURN_IF_ERROR(times.Start(stream));
  return times;
}

absl::Status InstructionTimes::Start(StreamHandle stream) {
  constexpr std::chrono::seconds kPatience(60);
  const Driver& driver = gpu_->driver();
  RETURN_IF_CUDA_ERROR(driver, cuEventRecord, zero_, stream);
  RETURN_IF_ERROR(PollUntil(
      Deadline::After(kPatience),
      [] { return std::string("the GPU's first event"); },
      [&] { return driver.IsDone(zero_); }));
  zero_time_ = Clock::now();
  return absl::OkStatus();
}

InstructionTimes::~InstructionTimes() {
  if (gpu_ == nullptr || !gpu_->MakeCurrent().ok()) {
    return;
  }
  events_.push_back(zero_);
  for (EventHandle event : events_) {
    if (event != nullptr) {
      gpu_->driver()->cuEventDestroy_v2(event);
    }
  }
}

InstructionTimes& InstructionTimes::operator=(
    InstructionTimes&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(zero_, other.zero_);
  std::swap(zero_time_, other.zero_time_);
  std::swap(events_, other.events_);
  return *this;
}

absl::Status InstructionTimes::Begin(size_t index, StreamHandle stream) const {
  if (!events_.empty()) {
    RETURN_IF_CUDA_ERROR(gpu_->driver(), cuEventRecord, events_[2 * index],
                         stream);
  }
  return absl::OkStatus();
}

absl::Status InstructionTimes::End(size_t index, StreamHandle stream) const {
  if (!events_.empty()) {
    RETURN_IF_CUDA_ERROR(gpu_->driver(), cuEventRecord, events_[2 * index + 1],
                         stream);
  }
  return absl::OkStatus();
}

absl::StatusOr<InstructionTimes::Clock::duration> InstructionTimes::Between(
    EventHandle begin, EventHandle end) const {
  float milliseconds = 0;
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuEventElapsedTime, &milliseconds, begin,
                       end);
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::milli>(milliseconds));
}

absl::StatusOr<InstructionTimes::Times> InstructionTimes::Get(
    size_t index) const {
  Times times;
  if (!events_.empty()) {
    const EventHandle begin = events_[2 * index];
    ASSIGN_OR_RETURN(const Clock::duration before, Between(zero_, begin));
    // By itself: the milliseconds since the zero have few digits behind the
    // point after some minutes.
    ASSIGN_OR_RETURN(const Clock::duration length,
                     Between(begin, events_[2 * index + 1]));
    times.begin = zero_time_ + before;
    times.end = times.begin + length;
  }
  return times;
}

}  // namespace accel::runtime::cuda
