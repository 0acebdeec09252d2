// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes as threads, events as counters under one monitor.
#include "runtime/executor/lane_runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// An idle lane wakes up this often to wait again: no wait is without deadline.
constexpr std::chrono::hours kIdle(1);

}  // namespace

LaneRunner::LaneRunner(const PlanView& plan, uint32_t main_lane,
                       std::chrono::nanoseconds timeout,
                       std::function<uint64_t()> other_progress)
    : plan_(plan),
      main_lane_(main_lane),
      timeout_(timeout),
      other_progress_(std::move(other_progress)) {
  uint32_t events = 0;
  for (const FunctionView& function : plan.functions()) {
    events = std::max(events, function.event_count());
  }
  const auto lanes = static_cast<uint32_t>(plan.manifest().lanes_size());
  counts_ = std::make_unique<std::atomic<uint64_t>[]>(events);
  progress_ = std::make_unique<std::atomic<uint64_t>[]>(lanes);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (lane != main_lane) {
      threads_.emplace_back([this, lane] { Serve(lane); });
    }
  }
}

LaneRunner::~LaneRunner() {
  control_.Update([this] { stop_ = true; });
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

absl::Status LaneRunner::Run(const FunctionView& function, uint64_t repetitions,
                             Execute execute) {
  RETURN_IF_ERROR(events_.status());
  for (uint32_t event = 0; event < function.event_count(); ++event) {
    counts_[event].store(0, std::memory_order_relaxed);
  }
  const Job job{&function, repetitions, &execute};
  control_.Update([&] {
    job_ = job;
    ++job_number_;
    running_ = static_cast<uint32_t>(threads_.size());
  });
  const absl::Status own = RunLane(main_lane_, job);
  if (!own.ok()) {
    events_.Fail(own);
  }
  // Also after an error: nobody may be in `execute` when this returns. The
  // failure wakes whoever waits for an event.
  const auto owner = [&] {
    return absl::StrCat("the other lanes to finish '", function.name(), "'");
  };
  while (true) {
    const absl::Status rest =
        WaitWhileAlive(control_, owner, [this] { return running_ == 0; });
    if (rest.ok()) {
      break;
    }
    events_.Fail(rest);
  }
  return events_.status();
}

void LaneRunner::Serve(uint32_t lane) {
  uint64_t seen = 0;
  while (true) {
    Job job;
    bool stop = false;
    const absl::Status work =
        WaitUntil(Deadline::After(kIdle), "work for a lane", control_, [&] {
          stop = stop_;
          if (stop || job_number_ == seen) {
            return stop;
          }
          seen = job_number_;
          job = job_;
          return true;
        });
    if (stop) {
      return;
    }
    if (!work.ok()) {
      continue;  // an hour without work
    }
    const absl::Status status = RunLane(lane, job);
    if (!status.ok()) {
      events_.Fail(status);
    }
    control_.Update([this] { --running_; });
  }
}

absl::Status LaneRunner::RunLane(uint32_t lane, const Job& job) {
  return job.function->Walk(job.repetitions,
                            [&](const Instance& instance) -> absl::Status {
                              if (instance.instruction->lane() != lane) {
                                return absl::OkStatus();
                              }
                              return RunInstance(job, instance);
                            });
}

absl::Status LaneRunner::RunInstance(const Job& job, const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  for (const planpb::Wait& wait : instruction.waits()) {
    RETURN_IF_ERROR(WaitForEvent(job, instance, wait));
  }
  RETURN_IF_ERROR((*job.execute)(*job.function, instance));
  if (!instruction.signals().empty()) {
    events_.Update([&] {
      for (const uint32_t event : instruction.signals()) {
        counts_[event].fetch_add(1, std::memory_order_release);
      }
    });
  }
  progress_[instruction.lane()].fetch_add(1, std::memory_order_relaxed);
  return absl::OkStatus();
}

absl::Status LaneRunner::WaitForEvent(const Job& job, const Instance& instance,
                                      const planpb::Wait& wait) {
  const planpb::Instruction& waiter = *instance.instruction;
  const uint64_t count = job.function->RequiredCount(
      wait, waiter.id(), instance.iteration, job.repetitions);
  const auto ready = [&] {
    return counts_[wait.event()].load(std::memory_order_acquire) >= count;
  };
  if (ready()) {
    return absl::OkStatus();
  }
  const auto owner = [&] {
    const planpb::Instruction& signaller =
        job.function->instructions()[job.function->SignallerOf(wait.event())];
    return absl::StrCat("event ", wait.event(), " of ",
                        plan_.Describe(*job.function, signaller), ", in ",
                        plan_.Describe(*job.function, waiter));
  };
  return WaitWhileAlive(events_, owner, ready);
}

absl::Status LaneRunner::WaitWhileAlive(Monitor& monitor,
                                        absl::FunctionRef<std::string()> owner,
                                        absl::FunctionRef<bool()> ready) {
  while (true) {
    const uint64_t before = TotalProgress();
    const absl::Status status =
        WaitUntil(Deadline::After(timeout_), owner, monitor, ready);
    if (!absl::IsDeadlineExceeded(status) || TotalProgress() == before) {
      return status;
    }
  }
}

uint64_t LaneRunner::TotalProgress() const {
  uint64_t total = other_progress_ ? other_progress_() : 0;
  for (int lane = 0; lane < plan_.manifest().lanes_size(); ++lane) {
    total += progress_[lane].load(std::memory_order_relaxed);
  }
  return total;
}

}  // namespace accel::runtime
