// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records and waits, counted as the plan counts them.
#include "runtime/device/cuda/plan_events.h"

#include <algorithm>
#include <utility>

#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<EventList> EventList::Create(const Gpu& gpu, size_t count,
                                            unsigned flags) {
  EventList list;
  list.gpu_ = &gpu;
  list.events_.resize(count);
  for (EventHandle& event : list.events_) {
    RETURN_IF_CUDA_ERROR(gpu.driver(), cuEventCreate, &event, flags);
  }
  return list;
}

EventList::~EventList() {
  if (gpu_ == nullptr || !gpu_->MakeCurrent().ok()) {
    return;
  }
  for (EventHandle event : events_) {
    if (event != nullptr) {
      gpu_->driver()->cuEventDestroy_v2(event);
    }
  }
}

EventList& EventList::operator=(EventList&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(events_, other.events_);
  return *this;
}

absl::StatusOr<PlanEvents> PlanEvents::Create(const Gpu& gpu, size_t count) {
  PlanEvents events;
  events.gpu_ = &gpu;
  ASSIGN_OR_RETURN(events.events_,
                   EventList::Create(gpu, kTurns * count, kEventDisableTiming));
  events.recorded_.resize(count);
  return events;
}

void PlanEvents::Reset() { std::fill(recorded_.begin(), recorded_.end(), 0); }

absl::Status PlanEvents::Record(uint32_t event, StreamHandle stream) {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuEventRecord,
                       HandleOf(event, recorded_[event]), stream);
  Count(event);
  return absl::OkStatus();
}

absl::Status PlanEvents::WaitFor(uint32_t event, uint64_t count,
                                 StreamHandle stream) const {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuStreamWaitEvent, stream,
                       HandleOf(event, count - 1), 0);
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
