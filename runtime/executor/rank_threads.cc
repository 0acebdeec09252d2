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

}  // namespace

absl::StatusOr<std::unique_ptr<RankThreads>> RankThreads::Create(
    Vfs& vfs, const Plan& plan, const Dataset& dataset,
    const RankThreadsOptions& options) {
  // Before there are so many threads: whether the plan allows the ranks.
  RETURN_IF_ERROR(
      MemoryLayout::Create(plan.view(),
                           RankBinding::OfRun(plan.manifest(), 0, options.ranks,
                                              options.threads_per_rank))
          .status());
  std::unique_ptr<RankThreads> group(
      new RankThreads(plan.view(), options.ranks));
  ASSIGN_OR_RETURN(group->threads_,
                   WorkerThreads::Create(options.ranks, "the ranks"));
  CommunicatorOptions communicator;
  communicator.timeout = options.executor.timeout;
  ASSIGN_OR_RETURN(
      const ThreadGroup threads,
      ThreadGroup::Create(static_cast<uint32_t>(options.ranks), communicator));
  DeviceOptions device;
  device.threads = options.threads_per_rank;
  // Before any rank takes some. The process's own limits are shared, too.
  device.available_memory =
      [share = ShareOf(ReadAvailableMemory(vfs), options.ranks)](Vfs&) {
        return share;
      };
  for (int rank = 0; rank < options.ranks; ++rank) {
    Rank& each = group->ranks_[rank];
    ASSIGN_OR_RETURN(each.device, options.create_device(vfs, device));
    ASSIGN_OR_RETURN(each.communicator,
                     threads.Join(static_cast<uint32_t>(rank)));
  }
  RETURN_IF_ERROR(group->RunOnAll([&](int rank) -> absl::Status {
    Rank& each = group->ranks_[rank];
    ExecutorOptions own = options.executor;
    own.binding = RankBinding::OfRun(plan.manifest(), rank, options.ranks,
                                     device.threads);
    own.communicator = each.communicator.get();
    if (rank != 0) {
      own.part_done = nullptr;
    }
    ASSIGN_OR_RETURN(each.executor,
                     StepDriver::Create(vfs, plan, *each.device, dataset, own));
    return absl::OkStatus();
  }));
  return group;
}

RankThreads::~RankThreads() {
  if (threads_ == nullptr) {
    return;
  }
  // Each on the thread that made it.
  Run(threads_->count(), [this](int rank) { ranks_[rank].executor.reset(); });
}

void RankThreads::Run(int count, WorkerThreads::Job job) const {
  threads_->Start(count, job);
  const auto owner = [] { return std::string("the ranks"); };
  while (!threads_->WaitUntilDone(Deadline::After(kRepeat), owner).ok()) {
  }
}

void RankThreads::RunRank(int rank, Job job) const {
  const absl::Status status = job(rank);
  // Ended with the group, or by itself; then the others need not wait for it.
  const Communicator& own = *ranks_[rank].communicator;
  const absl::Status group = own.Health();
  if (!status.ok() && group.ok()) {
    ranks_[rank].communicator->Abort(status);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (!status.ok() && group.ok()) {
    failure_.Update(Annotate(status, absl::StrCat("rank ", rank)));
  }
  group_failure_.Update(group);
}

absl::Status RankThreads::RunOn(int count, Job job) const {
  Run(count, [&](int rank) { RunRank(rank, job); });
  std::lock_guard<std::mutex> lock(mutex_);
  // What a rank says of itself knows its exit code.
  absl::Status status = failure_;
  status.Update(group_failure_);
  return status;
}

absl::Status RankThreads::Initialize(Restore restore) {
  return RunOnAll(
      [&](int rank) { return ranks_[rank].executor->Initialize(restore); });
}

absl::StatusOr<std::vector<double>> RankThreads::Run(planpb::FunctionRole role,
                                                     int64_t step) {
  return RunStepWith(
      [&](StepDriver& executor, int) { return executor.Run(role, step); });
}

absl::StatusOr<std::vector<double>> RankThreads::RunObservedStep(
    int64_t step, absl::FunctionRef<absl::Status()> observe) {
  return RunStepWith([&](StepDriver& executor, int rank) {
    return executor.RunObservedStep(step, [&, rank]() -> absl::Status {
      RETURN_IF_ERROR(Meet(rank, "the point where gradients are complete"));
      if (rank == 0) {
        RETURN_IF_ERROR(observe());
      }
      return Meet(rank, "the end of the look at the gradients");
    });
  });
}

absl::Status RankThreads::Meet(int rank, absl::string_view name) const {
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BARRIER;
  call.name = name;
  return ranks_[rank].communicator->Run(call);
}

absl::StatusOr<std::vector<double>> RankThreads::RunStepWith(StepJob run) {
  std::vector<double> metrics;
  absl::Status given_up;
  RETURN_IF_ERROR(RunOnAll([&](int rank) -> absl::Status {
    auto values = run(*ranks_[rank].executor, rank);
    if (absl::IsCancelled(values.status())) {
      // All ranks have given it up, so none has failed.
      if (rank == 0) {
        given_up = values.status();
      }
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(values.status());
    if (rank == 0) {
      metrics = *std::move(values);
    }
    return absl::OkStatus();
  }));
  if (!given_up.ok()) {
    return given_up;
  }
  return metrics;
}

absl::StatusOr<ReplayReport> RankThreads::ReplayStep(int64_t step) {
  ReplayReport report;
  RETURN_IF_ERROR(RunOnAll([&](int rank) -> absl::Status {
    auto agreed = ranks_[rank].executor->ReplayStep(step);
    RETURN_IF_ERROR(agreed.status());
    if (rank == 0) {
      report = *agreed;
    }
    return absl::OkStatus();
  }));
  return report;
}

absl::Status RankThreads::ReadBuffer(uint32_t buffer, uint64_t offset,
                                     absl::Span<std::byte> dst) const {
  const Rank& first = ranks_.front();
  if (threads_->IsWorker(0)) {
    return first.executor->ReadBuffer(buffer, offset, dst);
  }
  return RunOn(
      1, [&](int) { return first.executor->ReadBuffer(buffer, offset, dst); });
}

absl::Status RankThreads::ReadTensor(const SlotTensor& slot, uint64_t first,
                                     uint64_t elements,
                                     absl::Span<std::byte> dst) const {
  // On one thread: the others are idle, or wait in Meet.
  const auto read = [&](int) -> absl::Status {
    RETURN_IF_ERROR(CheckSlotRange(plan_, slot, first, elements));
    for (uint64_t done = 0; done < elements;) {
      ASSIGN_OR_RETURN(
          const SlotPiece piece,
          FindPiece(layout(), slot, first + done, elements - done));
      RETURN_IF_ERROR(ranks_[piece.rank].executor->ReadBuffer(
          slot.buffer, piece.offset,
          dst.subspan(done * slot.width, piece.elements * slot.width)));
      done += piece.elements;
    }
    ranks_.front().communicator->ReportProgress();
    return absl::OkStatus();
  };
  return threads_->IsWorker(0) ? read(0) : RunOn(1, read);
}

absl::StatusOr<OwnedRange> RankThreads::HeldElements(
    const SlotTensor& slot) const {
  return OwnedRange{0, slot.shard.elements()};
}

absl::Status RankThreads::ReadHeld(const SlotTensor& slot, uint64_t first,
                                   absl::Span<std::byte> dst) const {
  return ReadTensor(slot, first, dst.size() / slot.width, dst);
}

absl::Status RankThreads::WriteHeld(const SlotTensor& slot, uint64_t first,
                                    absl::Span<const std::byte> src) {
  RETURN_IF_ERROR(CheckSlotRange(plan_, slot, first, src.size() / slot.width));
  return RunOnAll([&](int rank) -> absl::Status {
    StepDriver& executor = *ranks_[rank].executor;
    ASSIGN_OR_RETURN(const OwnedRange held, executor.HeldElements(slot));
    const uint64_t begin = std::max(held.begin, first);
    const uint64_t end = std::min(held.end, first + src.size() / slot.width);
    return begin >= end
               ? absl::OkStatus()
               : executor.WriteHeld(slot, begin,
                                    src.subspan((begin - first) * slot.width,
                                                (end - begin) * slot.width));
  });
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

int64_t RankThreads::iterations() const {
  return ranks_.front().executor->iterations();
}

uint64_t RankThreads::PlannedBytes() const {
  uint64_t bytes = layout().SharedBytes() + layout().staging().BytesOfHost();
  for (const Rank& rank : ranks_) {
    bytes += rank.executor->layout().PrivateBytes();
  }
  return bytes;
}

std::string RankThreads::Describe() const {
  return absl::StrCat(ranks_.size(), " ranks as threads of this process, each ",
                      ranks_.front().executor->Describe());
}

}  // namespace accel::runtime
