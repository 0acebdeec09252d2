// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handing jobs to the threads of ranks, and what the ranks do with them.
#include "runtime/executor/rank_threads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/thread_group.h"

namespace accel::runtime {
namespace {

// Waits here end with what they wait for, whose own waits have deadlines; they
// are repeated so often all the same.
constexpr std::chrono::minutes kRepeat(1);

RankBinding BindingOf(int rank, int ranks, int threads) {
  RankBinding binding;
  binding.degrees[planpb::AXIS_REPLICA - 1] = static_cast<uint64_t>(ranks);
  binding.coordinates[planpb::AXIS_REPLICA - 1] = static_cast<uint64_t>(rank);
  binding.threads = static_cast<uint64_t>(threads);
  return binding;
}

// The memory that one of several ranks may use.
std::function<AvailableMemory(Vfs&)> ShareOfMemory(int ranks) {
  return [ranks](Vfs& vfs) {
    AvailableMemory available = ReadAvailableMemory(vfs);
    available.bytes /= static_cast<uint64_t>(ranks);
    absl::StrAppend(&available.source, ", a share of ", ranks, " ranks");
    return available;
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankThreads>> RankThreads::Create(
    Vfs& vfs, const Plan& plan, const Dataset& dataset,
    const RankThreadsOptions& options) {
  // Before there are so many threads: whether the plan allows the ranks.
  RETURN_IF_ERROR(
      MemoryLayout::Create(
          plan.view(), BindingOf(0, options.ranks, options.threads_per_rank))
          .status());
  std::unique_ptr<RankThreads> group(new RankThreads(options.ranks));
  CommunicatorOptions communicator;
  communicator.timeout = options.executor.timeout;
  ASSIGN_OR_RETURN(
      const ThreadGroup threads,
      ThreadGroup::Create(static_cast<uint32_t>(options.ranks), communicator));
  CpuDeviceOptions device;
  device.threads = options.threads_per_rank;
  device.available_memory = ShareOfMemory(options.ranks);
  for (int rank = 0; rank < options.ranks; ++rank) {
    Rank& each = group->ranks_[rank];
    each.device = std::make_unique<CpuDevice>(vfs, device);
    ASSIGN_OR_RETURN(each.communicator,
                     threads.Join(static_cast<uint32_t>(rank)));
    each.thread = std::thread([g = group.get(), rank] { g->Serve(rank); });
  }
  RETURN_IF_ERROR(group->RunOnAll([&](int rank) -> absl::Status {
    Rank& each = group->ranks_[rank];
    ExecutorOptions own = options.executor;
    own.binding = BindingOf(rank, options.ranks, device.threads);
    own.communicator = each.communicator.get();
    ASSIGN_OR_RETURN(each.executor, CpuExecutor::Create(vfs, plan, *each.device,
                                                        dataset, own));
    return absl::OkStatus();
  }));
  return group;
}

RankThreads::~RankThreads() {
  control_.Update([this] { stop_ = true; });
  for (Rank& rank : ranks_) {
    if (rank.thread.joinable()) {
      rank.thread.join();
    }
  }
}

void RankThreads::Serve(int rank) {
  uint64_t seen = 0;
  while (true) {
    const Job* job = nullptr;
    bool stop = false;
    const absl::Status work =
        WaitUntil(Deadline::After(kRepeat), "work for a rank", control_, [&] {
          stop = stop_;
          if (stop || job_number_ == seen) {
            return stop;
          }
          seen = job_number_;
          job = rank < job_ranks_ ? job_ : nullptr;
          return true;
        });
    if (stop) {
      break;
    }
    if (!work.ok() || job == nullptr) {
      continue;
    }
    RunRank(rank, *job);
  }
  // Here, because it was made here.
  ranks_[rank].executor.reset();
}

void RankThreads::RunRank(int rank, Job job) const {
  const absl::Status status = job(rank);
  // Ended with the group, or by itself; then the others need not wait for it.
  const Communicator& own = *ranks_[rank].communicator;
  const absl::Status group = own.Health();
  if (!status.ok() && group.ok()) {
    ranks_[rank].communicator->Abort(status);
  }
  control_.Update([&] {
    if (!status.ok() && group.ok()) {
      failure_.Update(Annotate(status, absl::StrCat("rank ", rank)));
    }
    group_failure_.Update(group);
    --running_;
  });
}

absl::Status RankThreads::RunOn(int count, Job job) const {
  control_.Update([&] {
    job_ = &job;
    ++job_number_;
    job_ranks_ = count;
    running_ = count;
  });
  absl::Status status;
  do {
    status = WaitUntil(Deadline::After(kRepeat), "the ranks", control_,
                       [this] { return running_ == 0; });
  } while (!status.ok());
  control_.Update([&] {
    // What a rank says of itself knows its exit code.
    status = failure_;
    status.Update(group_failure_);
  });
  return status;
}

absl::Status RankThreads::Initialize() {
  return RunOnAll(
      [this](int rank) { return ranks_[rank].executor->Initialize(); });
}

absl::StatusOr<std::vector<double>> RankThreads::RunStep(int64_t step) {
  return RunStepWith(
      [&](CpuExecutor& executor, int) { return executor.RunStep(step); });
}

absl::StatusOr<std::vector<double>> RankThreads::RunObservedStep(
    int64_t step, absl::FunctionRef<absl::Status()> observe) {
  return RunStepWith([&](CpuExecutor& executor, int rank) {
    return rank == 0 ? executor.RunObservedStep(step, observe)
                     : executor.RunStep(step);
  });
}

absl::StatusOr<std::vector<double>> RankThreads::RunStepWith(StepJob run) {
  std::vector<double> metrics;
  RETURN_IF_ERROR(RunOnAll([&](int rank) -> absl::Status {
    auto values = run(*ranks_[rank].executor, rank);
    RETURN_IF_ERROR(values.status());
    if (rank == 0) {
      metrics = *std::move(values);
    }
    return absl::OkStatus();
  }));
  return metrics;
}

absl::Status RankThreads::ReadBuffer(uint32_t buffer, uint64_t offset,
                                     absl::Span<std::byte> dst) const {
  const Rank& first = ranks_.front();
  if (std::this_thread::get_id() == first.thread.get_id()) {
    return first.executor->ReadBuffer(buffer, offset, dst);
  }
  return RunOn(
      1, [&](int) { return first.executor->ReadBuffer(buffer, offset, dst); });
}

absl::Status RankThreads::WriteBuffer(uint32_t buffer, uint64_t offset,
                                      absl::Span<const std::byte> src) {
  return RunOnAll([&](int rank) {
    return ranks_[rank].executor->WriteBuffer(buffer, offset, src);
  });
}

const MemoryLayout& RankThreads::layout() const {
  return ranks_.front().executor->layout();
}

int64_t RankThreads::rounds() const {
  return ranks_.front().executor->rounds();
}

uint64_t RankThreads::PlannedBytes() const {
  uint64_t bytes = 0;
  for (const Rank& rank : ranks_) {
    bytes += rank.executor->PlannedBytes();
  }
  return bytes;
}

std::string RankThreads::Describe() const {
  return absl::StrCat(ranks_.size(), " ranks as threads of this process, each ",
                      ranks_.front().executor->Describe());
}

}  // namespace accel::runtime
