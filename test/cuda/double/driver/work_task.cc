// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of other libraries.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "test/cuda/double/driver/tasks.h"

namespace accel::cuda_double {
namespace {

// All reads before the writes: a byte that only this work writes holds no value
// when this work reads it.
std::vector<Touched> AccessesOf(const Work& work) {
  std::vector<Touched> touched;
  for (size_t k = 0; k < work.access_count; ++k) {
    const Access& access = work.accesses[k];
    if (access.bytes != 0) {
      touched.push_back({access.begin, access.bytes, access.writes != 0});
    }
  }
  std::stable_partition(touched.begin(), touched.end(),
                        [](const Touched& access) { return !access.writes; });
  return touched;
}

// A copy of the work, which outlives the call that enqueued it.
class WorkTask {
 public:
  WorkTask(std::vector<Device*> devices, const Work& work)
      : devices_(std::move(devices)),
        touched_(AccessesOf(work)),
        run_(work.run),
        ready_(work.ready),
        mistake_(work.mistake),
        enqueued_(work.enqueued),
        data_(work.data,
              work.destroy == nullptr ? [](void*) {} : work.destroy) {}

  bool AccessesAreRight() const {
    return std::none_of(
        touched_.begin(), touched_.end(), [&](const Touched& a) {
          return (a.writes ? CheckRange(Owner(a), a) : CheckAccess(Owner(a), a))
              .has_value();
        });
  }

  void SayEnqueued() const { enqueued_(data_.get()); }

  bool IsReady() const { return ready_(data_.get()) != kWorkWaits; }

  Outcome Run() const {
    Outcome outcome;
    for (const Touched& access : touched_) {
      outcome.fault = CheckAccess(Owner(access), access);
      if (outcome.fault.has_value()) {
        return outcome;
      }
    }
    outcome.touched = touched_;
    if (ready_ != nullptr && ready_(data_.get()) == kWorkIsAbandoned) {
      ScrambleWrites();
      return outcome;
    }
    const char* mistake = mistake_ == nullptr ? nullptr : mistake_(data_.get());
    if (mistake != nullptr) {
      outcome.fault = Fault{runtime::cuda::kErrorLaunchFailed, mistake};
      return outcome;
    }
    run_(data_.get());
    for (size_t k = 0; k < devices_.size() && !outcome.fault; ++k) {
      outcome.fault = CheckRedZones(*devices_[k]);
    }
    return outcome;
  }

 private:
  Device& Owner(const Touched& access) const {
    const auto owner =
        std::find_if(devices_.begin(), devices_.end(), [&](Device* device) {
          return device->memory->FindRange(access.begin) != nullptr;
        });
    return owner == devices_.end() ? *devices_[0] : **owner;
  }

  void ScrambleWrites() const {
    for (const Touched& access : touched_) {
      if (access.writes) {
        Scramble(Owner(access), access);
      }
    }
  }

  std::vector<Device*> devices_;
  std::vector<Touched> touched_;
  void (*run_)(void* data);
  int (*ready_)(void* data);
  const char* (*mistake_)(void* data);
  void (*enqueued_)(void* data);
  std::shared_ptr<void> data_;
};

}  // namespace

SharedTask RunWork(std::vector<Device*> devices, const Work& work) {
  const auto shared = std::make_shared<WorkTask>(std::move(devices), work);
  Task task;
  task.name = work.name;
  task.run = [shared] { return shared->Run(); };
  if (work.ready != nullptr) {
    task.begins = [shared] { return shared->AccessesAreRight(); };
    task.is_ready = [shared] { return shared->IsReady(); };
  }
  if (work.enqueued != nullptr) {
    task.enqueued = [shared] { shared->SayEnqueued(); };
  }
  task.chain = work.chain;
  task.nanoseconds = work.nanoseconds;
  return std::make_shared<const Task>(std::move(task));
}

}  // namespace accel::cuda_double
