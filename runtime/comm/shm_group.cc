// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region at the memfd's beginning, allocations behind it: each of them
// grows the memfd, and every rank maps what was added.
#include "runtime/comm/shm_group.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/process_watch.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/staged_communicator.h"

namespace accel::runtime {
namespace {

class ShmGroupView final : public Group {
 public:
  ShmGroupView(FileDescriptor memory, SharedMapping mapping, GroupRegion region)
      : memory_(std::move(memory)),
        mapping_(std::move(mapping)),
        region_(region),
        watches_(region.ranks()),
        seen_dead_(region.ranks()) {}

  const GroupRegion& region() const override { return region_; }

  // All ranks grow it to the same size before any of them goes on, so it does
  // not matter who is first.
  absl::StatusOr<std::byte*> Extend(uint64_t offset, uint64_t bytes) override {
    const uint64_t at = mapping_.bytes().size() + offset;
    RETURN_IF_ERROR(GrowSharedMemory(memory_, at + bytes));
    ASSIGN_OR_RETURN(SharedMapping extent,
                     SharedMapping::Map(memory_, at, bytes));
    extents_.push_back(std::move(extent));
    return extents_.back().bytes().data();
  }

  bool HasDied(uint32_t rank) override {
    if (!HasEnded(rank)) {
      return false;
    }
    std::optional<Clock::time_point>& seen = seen_dead_[rank];
    if (!seen) {
      seen = Clock::now();
    }
    return Clock::now() - *seen >= kSettle;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // So long who knows more of a death, how it came about and where, may say so
  // first.
  static constexpr std::chrono::milliseconds kSettle{100};

  bool HasEnded(uint32_t rank) {
    std::optional<ProcessWatch>& watch = watches_[rank];
    if (!watch) {
      const int32_t pid = region_.block(rank).pid.load();
      if (pid == 0) {
        return false;
      }
      absl::StatusOr<ProcessWatch> opened = ProcessWatch::Open(pid);
      if (!opened.ok()) {
        return absl::IsNotFound(opened.status());
      }
      watch = *std::move(opened);
    }
    return watch->HasEnded();
  }

  const FileDescriptor memory_;
  const SharedMapping mapping_;
  const GroupRegion region_;
  std::vector<SharedMapping> extents_;
  std::vector<std::optional<ProcessWatch>> watches_;
  std::vector<std::optional<Clock::time_point>> seen_dead_;
};

}  // namespace

absl::StatusOr<FileDescriptor> CreateShmGroup(
    uint32_t ranks, const CommunicatorOptions& options) {
  ASSIGN_OR_RETURN(const uint64_t bytes,
                   GroupRegion::Bytes(ranks, options.chunk_bytes));
  ASSIGN_OR_RETURN(FileDescriptor memory,
                   CreateSharedMemory("accel-group", bytes));
  ASSIGN_OR_RETURN(const SharedMapping mapping,
                   SharedMapping::Map(memory, 0, bytes));
  GroupRegion::Format(mapping.bytes(), ranks, options.chunk_bytes);
  return memory;
}

absl::StatusOr<std::unique_ptr<Communicator>> JoinShmGroup(
    FileDescriptor memory, uint32_t rank, uint32_t ranks,
    const CommunicatorOptions& options) {
  const std::string context = absl::StrCat("rank ", rank);
  ASSIGN_OR_RETURN(const uint64_t size, SharedMemorySize(memory));
  ASSIGN_OR_RETURN(SharedMapping header, SharedMapping::Map(memory, 0, size));
  absl::StatusOr<GroupRegion> found = GroupRegion::Open(header.bytes(), ranks);
  if (!found.ok()) {
    return Annotate(found.status(), context);
  }
  // Without this a peer's death would be noticed at the deadline only.
  absl::StatusOr<ProcessWatch> self = ProcessWatch::Open(getpid());
  if (!self.ok()) {
    return Annotate(self.status(), context);
  }
  const GroupRegion region = *found;
  ASSIGN_OR_RETURN(std::unique_ptr<Communicator> communicator,
                   StagedCommunicator::Create(
                       std::make_unique<ShmGroupView>(
                           std::move(memory), std::move(header), region),
                       rank, options.timeout));
  region.block(rank).pid.store(getpid());
  return communicator;
}

}  // namespace accel::runtime
