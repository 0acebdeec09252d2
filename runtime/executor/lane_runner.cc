// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes on threads, events as counters.
#include "runtime/executor/lane_runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<LaneRunner>> LaneRunner::Create(
    const PlanView& plan, std::vector<uint32_t> threads,
    std::chrono::nanoseconds timeout,
    std::function<uint64_t()> other_progress) {
  const uint32_t others = *std::max_element(threads.begin(), threads.end());
  std::unique_ptr<LaneRunner> runner(new LaneRunner(
      plan, std::move(threads), timeout, std::move(other_progress)));
  ASSIGN_OR_RETURN(
      runner->threads_,
      WorkerThreads::Create(static_cast<int>(others), "the other lanes"));
  return runner;
}

LaneRunner::LaneRunner(const PlanView& plan, std::vector<uint32_t> threads,
                       std::chrono::nanoseconds timeout,
                       std::function<uint64_t()> other_progress)
    : plan_(plan),
      thread_of_(std::move(threads)),
      timeout_(timeout),
      other_progress_(std::move(other_progress)) {
  uint32_t events = 0;
  for (const FunctionView& function : plan.functions()) {
    events = std::max(events, function.event_count());
  }
  const auto lanes = static_cast<uint32_t>(plan.manifest().lanes_size());
  waiters_ = std::make_unique<Waiter[]>(lanes);
  counts_ = std::make_unique<std::atomic<uint64_t>[]>(events);
  progress_ = std::make_unique<std::atomic<uint64_t>[]>(lanes);
}

absl::Status LaneRunner::Run(const FunctionView& function, uint64_t repetitions,
                             Execute execute) {
  RETURN_IF_ERROR(failure_.status());
  for (uint32_t event = 0; event < function.event_count(); ++event) {
    counts_[event].store(0, std::memory_order_relaxed);
  }
  const Job job{&function, repetitions, &execute};
  const auto run_other_lanes = [&](int thread) {
    FailOnError(RunThread(static_cast<uint32_t>(thread) + 1, job));
  };
  threads_->Start(threads_->count(), run_other_lanes);
  FailOnError(RunThread(0, job));
  // Also after an error: nobody may be in `execute` when this returns. The
  // failure wakes whoever waits for an event.
  const auto owner = [&] {
    return absl::StrCat("the other lanes to finish '", function.name(), "'");
  };
  const auto wait = [&](const Deadline& deadline) {
    return threads_->WaitUntilDone(deadline, owner);
  };
  while (true) {
    const absl::Status rest = WaitWhileAlive(wait);
    if (rest.ok()) {
      return failure_.status();
    }
    FailOnError(rest);
  }
}

void LaneRunner::FailOnError(const absl::Status& status) {
  if (status.ok()) {
    return;
  }
  failure_.Fail(status);
  for (size_t lane = 0; lane < thread_of_.size(); ++lane) {
    waiters_[lane].monitor.Fail(failure_.status());
  }
}

absl::Status LaneRunner::RunThread(uint32_t thread, const Job& job) {
  return job.function->Walk(
      job.repetitions, [&](const Instance& instance) -> absl::Status {
        if (thread_of_[instance.instruction->lane()] != thread) {
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
  for (const uint32_t event : instruction.signals()) {
    Signal(event);
  }
  progress_[instruction.lane()].fetch_add(1, std::memory_order_relaxed);
  return absl::OkStatus();
}

// Who begins to wait says so and then looks at the count; who signals counts
// and then looks for waiters. In the one order of these accesses one of the two
// sees the other.
void LaneRunner::Signal(uint32_t event) {
  counts_[event].fetch_add(1, std::memory_order_seq_cst);
  for (size_t lane = 0; lane < thread_of_.size(); ++lane) {
    Waiter& waiter = waiters_[lane];
    if (waiter.event_plus_one.load(std::memory_order_seq_cst) == event + 1) {
      waiter.monitor.Update([] {});
    }
  }
}

absl::Status LaneRunner::WaitForEvent(const Job& job, const Instance& instance,
                                      const planpb::Wait& wait) {
  const planpb::Instruction& waiter = *instance.instruction;
  const uint64_t count = job.function->RequiredCount(
      wait, waiter.id(), instance.iteration, job.repetitions);
  const auto ready = [&] {
    return counts_[wait.event()].load(std::memory_order_seq_cst) >= count;
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
  Waiter& self = waiters_[waiter.lane()];
  self.event_plus_one.store(uint64_t{wait.event()} + 1,
                            std::memory_order_seq_cst);
  const absl::Status status = WaitWhileAlive([&](const Deadline& deadline) {
    return WaitUntil(deadline, owner, self.monitor, ready);
  });
  self.event_plus_one.store(0, std::memory_order_relaxed);
  return status;
}

absl::Status LaneRunner::WaitWhileAlive(
    absl::FunctionRef<absl::Status(const Deadline&)> wait) {
  while (true) {
    const uint64_t before = TotalProgress();
    const absl::Status status = wait(Deadline::After(timeout_));
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
