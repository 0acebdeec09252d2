// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's events as CUDA events.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PLAN_EVENTS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PLAN_EVENTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/cuda/gpu.h"

namespace accel::runtime::cuda {

// CUDA events that are destroyed with the list.
//
// Threads: one at a time.
class EventList {
 public:
  EventList() = default;
  // Borrows: the GPU. `flags`: of cuEventCreate.
  static absl::StatusOr<EventList> Create(const Gpu& gpu, size_t count,
                                          unsigned flags);
  ~EventList();
  EventList(EventList&& other) noexcept { *this = std::move(other); }
  EventList& operator=(EventList&& other) noexcept;

  size_t size() const { return events_.size(); }
  EventHandle operator[](size_t index) const { return events_[index]; }

 private:
  const Gpu* gpu_ = nullptr;
  std::vector<EventHandle> events_;
};

// Each event has two CUDA events, which take turns: what waits for an earlier
// record must not wait for a later one, or a fetch that runs ahead would hold
// up what is before it.
//
// Threads: one at a time.
class PlanEvents {
 public:
  PlanEvents() = default;
  static absl::StatusOr<PlanEvents> Create(const Gpu& gpu, size_t count);

  // All counts are zero again.
  void Reset();
  absl::Status Record(uint32_t event, StreamHandle stream);
  // Counts a record for which nothing waits.
  void Count(uint32_t event) { ++recorded_[event]; }
  uint64_t recorded(uint32_t event) const { return recorded_[event]; }
  // Where later records have taken the place of this one, the stream waits for
  // longer than it has to.
  // Requires: 0 < count <= recorded(event).
  absl::Status WaitFor(uint32_t event, uint64_t count,
                       StreamHandle stream) const;

 private:
  static constexpr size_t kTurns = 2;

  EventHandle HandleOf(uint32_t event, uint64_t record) const {
    return events_[kTurns * event + record % kTurns];
  }

  const Gpu* gpu_ = nullptr;
  EventList events_;
  std::vector<uint64_t> recorded_;  // per event, since the last Reset
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PLAN_EVENTS_H_
