// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One region of private memory for all threads. Allocations are made by the
// rank that asks first and found by the others.
#include "runtime/comm/thread_group.h"

#include <map>
#include <mutex>
#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/comm/staged_communicator.h"
#include "runtime/io/shared_memory.h"

namespace accel::runtime {

struct ThreadGroupMemory {
  ThreadGroupMemory(SharedMapping mapping, uint32_t ranks, uint64_t chunk_bytes)
      : region_memory(std::move(mapping)),
        region(GroupRegion::Format(region_memory.bytes(), ranks, chunk_bytes)) {
  }

  const SharedMapping region_memory;
  const GroupRegion region;
  std::mutex mutex;
  std::map<uint64_t, SharedMapping> extents;  // guarded by mutex, by offset
};

namespace {

class ThreadGroupView final : public Group {
 public:
  explicit ThreadGroupView(std::shared_ptr<ThreadGroupMemory> memory)
      : memory_(std::move(memory)) {}

  const GroupRegion& region() const override { return memory_->region; }

  absl::StatusOr<std::byte*> Extend(uint64_t offset, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(memory_->mutex);
    auto extent = memory_->extents.find(offset);
    if (extent == memory_->extents.end()) {
      ASSIGN_OR_RETURN(SharedMapping mapping, SharedMapping::Anonymous(bytes));
      extent = memory_->extents.emplace(offset, std::move(mapping)).first;
    }
    return extent->second.bytes().data();
  }

  // A thread does not die alone.
  bool HasDied(uint32_t) override { return false; }

 private:
  const std::shared_ptr<ThreadGroupMemory> memory_;
};

}  // namespace

ThreadGroup::ThreadGroup(std::shared_ptr<ThreadGroupMemory> memory,
                         std::chrono::nanoseconds timeout)
    : memory_(std::move(memory)), timeout_(timeout) {}

absl::StatusOr<ThreadGroup> ThreadGroup::Create(
    uint32_t ranks, const CommunicatorOptions& options) {
  ASSIGN_OR_RETURN(const uint64_t bytes,
                   GroupRegion::Bytes(ranks, options.chunk_bytes));
  ASSIGN_OR_RETURN(SharedMapping mapping, SharedMapping::Anonymous(bytes));
  return ThreadGroup(std::make_shared<ThreadGroupMemory>(
                         std::move(mapping), ranks, options.chunk_bytes),
                     options.timeout);
}

absl::StatusOr<std::unique_ptr<Communicator>> ThreadGroup::Join(
    uint32_t rank) const {
  return StagedCommunicator::Create(std::make_unique<ThreadGroupView>(memory_),
                                    rank, timeout_);
}

}  // namespace accel::runtime
