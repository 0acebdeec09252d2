// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communicator over a Group's region: data moves in chunks through the ranks'
// staging slots, or directly where the output is memory that all ranks share.
#ifndef ACCEL_RUNTIME_COMM_STAGED_COMMUNICATOR_H_
#define ACCEL_RUNTIME_COMM_STAGED_COMMUNICATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/comm/group.h"
#include "runtime/comm/group_barrier.h"

namespace accel::runtime {

class StagedCommunicator final : public Communicator {
 public:
  static constexpr size_t kMaxPending = 64;

  // Joins the group as `rank`.
  static absl::StatusOr<std::unique_ptr<Communicator>> Create(
      std::unique_ptr<Group> group, uint32_t rank,
      std::chrono::nanoseconds timeout);
  ~StagedCommunicator() override;

  uint32_t rank() const override { return rank_; }
  uint32_t ranks() const override { return ranks_; }
  absl::StatusOr<Ticket> Start(const CollectiveCall& call) override;
  absl::Status Wait(Ticket ticket) override;
  absl::StatusOr<absl::Span<std::byte>> AllocateShared(
      uint64_t bytes, absl::string_view name) override;
  void Abort(const absl::Status& status) override;
  void PeerFailed(uint32_t rank, const absl::Status& status) override;
  void ReportProgress() override { barrier_.ReportProgress(); }
  uint64_t GroupProgress() const override { return barrier_.GroupProgress(); }
  absl::Status Health() const override { return barrier_.Failure(); }
  EndAgreement& end_agreement() override { return end_agreement_; }

 private:
  struct Pending {
    CollectiveCall call;
    CallDescription description;
  };
  struct Allocation {
    uint64_t offset;
    absl::Span<std::byte> bytes;
  };

  StagedCommunicator(std::unique_ptr<Group> group, uint32_t rank,
                     std::chrono::nanoseconds timeout);

  // Checks the call and fills `pending` in, if there is room for it.
  absl::Status Prepare(const CollectiveCall& call, Pending& pending);
  // Where the output lies in shared memory plus one; 0: elsewhere.
  absl::StatusOr<uint64_t> PlacementOf(const CollectiveCall& call) const;
  absl::Status FinishFirst();
  absl::Status Move(const CollectiveCall& call, bool placed);
  void MoveAlone(const CollectiveCall& call);
  absl::Status AllGather(const CollectiveCall& call);
  absl::Status AllGatherPlaced(const CollectiveCall& call);
  // all_reduce and reduce_scatter: each rank reduces what it owns.
  absl::Status Reduce(const CollectiveCall& call);
  void ReducePart(const CollectiveCall& call, OwnedRange part,
                  std::byte* output);
  absl::Status Broadcast(const CollectiveCall& call, bool placed);

  std::byte* Slot(uint32_t rank) const { return region_.slot(rank, parity_); }

  const std::unique_ptr<Group> group_;
  const GroupRegion region_;
  const uint32_t rank_;
  const uint32_t ranks_;
  GroupBarrier barrier_;
  EndAgreement end_agreement_;

  // Calls first_ to last_ - 1 are pending; `first_` has been announced.
  std::array<Pending, kMaxPending> pending_;
  uint64_t first_ = 1;
  uint64_t last_ = 1;

  ShardCut cut_;
  // Of the slots: changes with every chunk of a call, so that one barrier per
  // chunk is enough. Who writes chunk k + 2 has met those who have read chunk
  // k.
  uint32_t parity_ = 0;
  std::vector<const std::byte*> inputs_;  // one per rank

  std::vector<Allocation> allocations_;
  uint64_t shared_bytes_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_STAGED_COMMUNICATOR_H_
