// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives. In all of them a chunk takes the same steps on every rank:
// write to the own slot, meet, read the slots of all.
#include "runtime/comm/staged_communicator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/reduce.h"
#include "runtime/plan/memory/staging.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

constexpr uint64_t kSharedPage = 4096;

// In place means that the bytes are there already.
void CopyBytes(std::byte* to, const std::byte* from, uint64_t bytes) {
  if (bytes != 0 && to != from) {
    std::memcpy(to, from, bytes);
  }
}

// The part of `range` that begins `from` elements in and has at most `count`.
OwnedRange PieceOf(OwnedRange range, uint64_t from, uint64_t count) {
  const uint64_t begin = range.begin + std::min(from, range.size());
  return {begin, begin + std::min(count, range.end - begin)};
}

std::vector<std::atomic<uint64_t>*> BegunOf(const GroupRegion& region) {
  std::vector<std::atomic<uint64_t>*> begun;
  for (uint32_t rank = 0; rank < region.ranks(); ++rank) {
    begun.push_back(&region.block(rank).begun);
  }
  return begun;
}

}  // namespace

StagedCommunicator::StagedCommunicator(std::unique_ptr<Group> group,
                                       uint32_t rank,
                                       std::chrono::nanoseconds timeout)
    : group_(std::move(group)),
      region_(group_->region()),
      rank_(rank),
      ranks_(region_.ranks()),
      barrier_(*group_, rank, timeout),
      end_agreement_(region_.header().end, BegunOf(region_), rank, timeout),
      cut_(ranks_),
      inputs_(ranks_) {}

absl::StatusOr<std::unique_ptr<Communicator>> StagedCommunicator::Create(
    std::unique_ptr<Group> group, uint32_t rank,
    std::chrono::nanoseconds timeout) {
  const uint32_t ranks = group->region().ranks();
  if (rank >= ranks) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", rank, " is none of the ", ranks, " ranks"));
  }
  std::unique_ptr<StagedCommunicator> communicator(
      new StagedCommunicator(std::move(group), rank, timeout));
  RETURN_IF_ERROR(communicator->barrier_.Join());
  return std::unique_ptr<Communicator>(std::move(communicator));
}

StagedCommunicator::~StagedCommunicator() { barrier_.Leave(); }

absl::StatusOr<uint64_t> StagedCommunicator::PlacementOf(
    const CollectiveCall& call) const {
  const bool everywhere_equal = call.kind != Collective::KIND_REDUCE_SCATTER;
  if (call.output.empty() || !everywhere_equal) {
    return 0;
  }
  const auto address = reinterpret_cast<uintptr_t>(call.output.data());
  for (const Allocation& allocation : allocations_) {
    const auto base = reinterpret_cast<uintptr_t>(allocation.bytes.data());
    if (address < base || address >= base + allocation.bytes.size()) {
      continue;
    }
    if (call.output.size() > base + allocation.bytes.size() - address) {
      return absl::InvalidArgumentError(
          "the output leaves its allocation of shared memory");
    }
    if (call.kind == Collective::KIND_ALL_REDUCE) {
      return absl::UnimplementedError(
          "no all_reduce into shared memory; reduce into private memory");
    }
    return allocation.offset + (address - base) + 1;
  }
  return 0;
}

absl::Status StagedCommunicator::Prepare(const CollectiveCall& call,
                                         Pending& pending) {
  RETURN_IF_ERROR(ValidateCall(call, rank_, ranks_, cut_));
  if (last_ - first_ == kMaxPending) {
    return absl::ResourceExhaustedError(absl::StrCat(
        kMaxPending, " calls are under way, wait for one of them first"));
  }
  ASSIGN_OR_RETURN(const uint64_t placement, PlacementOf(call));
  pending.call = call;
  pending.description = Describe(call);
  pending.description.placement_plus_one = placement;
  return absl::OkStatus();
}

absl::StatusOr<Communicator::Ticket> StagedCommunicator::Start(
    const CollectiveCall& call) {
  RETURN_IF_ERROR(barrier_.Failure());
  Pending& pending = pending_[last_ % kMaxPending];
  const absl::Status prepared = Prepare(call, pending);
  if (!prepared.ok()) {
    return Annotate(prepared, absl::StrCat("rank ", rank_, ": ", call.name));
  }
  if (first_ == last_) {
    RETURN_IF_ERROR(barrier_.Open(pending.description));
  }
  return Ticket{last_++};
}

absl::Status StagedCommunicator::Wait(Ticket ticket) {
  if (ticket.number == 0 || ticket.number >= last_) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", rank_, ": waits for call ", ticket.number,
                     ", which was not started"));
  }
  while (first_ <= ticket.number) {
    RETURN_IF_ERROR(FinishFirst());
  }
  return absl::OkStatus();
}

absl::Status StagedCommunicator::FinishFirst() {
  const Pending& pending = pending_[first_ % kMaxPending];
  RETURN_IF_ERROR(barrier_.Compare());
  RETURN_IF_ERROR(
      Move(pending.call, pending.description.placement_plus_one != 0));
  barrier_.Close();
  ++first_;
  if (first_ != last_) {
    return barrier_.Open(pending_[first_ % kMaxPending].description);
  }
  return absl::OkStatus();
}

absl::Status StagedCommunicator::Move(const CollectiveCall& call, bool placed) {
  if (ranks_ == 1) {
    MoveAlone(call);
    return absl::OkStatus();
  }
  // Who has come to this call has read all slots of the one before.
  parity_ = 0;
  switch (call.kind) {
    case Collective::KIND_ALL_GATHER:
      RETURN_IF_ERROR(cut_.Set(call.elements, call.granule));
      return placed ? AllGatherPlaced(call) : AllGather(call);
    case Collective::KIND_REDUCE_SCATTER:
      RETURN_IF_ERROR(cut_.Set(call.elements, call.granule));
      return Reduce(call);
    case Collective::KIND_ALL_REDUCE:
      RETURN_IF_ERROR(cut_.Set(call.elements, kReduceGranule));
      return Reduce(call);
    case Collective::KIND_BROADCAST:
      return Broadcast(call, placed);
    default:
      return absl::OkStatus();
  }
}

void StagedCommunicator::MoveAlone(const CollectiveCall& call) {
  CopyBytes(call.output.data(), call.input.data(), call.output.size());
}

absl::Status StagedCommunicator::AllGatherPlaced(const CollectiveCall& call) {
  const uint64_t at = cut_.Of(rank_).begin * call.width();
  CopyBytes(call.output.data() + at, call.input.data(), call.input.size());
  return barrier_.Next();
}

absl::Status StagedCommunicator::AllGather(const CollectiveCall& call) {
  const uint64_t width = call.width();
  const uint64_t step = region_.slot_bytes() / width;
  const uint64_t longest = cut_.Of(0).size();
  for (uint64_t from = 0; from < longest; from += step) {
    const OwnedRange mine = PieceOf(cut_.Of(rank_), from, step);
    const std::byte* input =
        call.input.data() + (mine.begin - cut_.Of(rank_).begin) * width;
    CopyBytes(Slot(rank_), input, mine.size() * width);
    RETURN_IF_ERROR(barrier_.Next());
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      const OwnedRange piece = PieceOf(cut_.Of(peer), from, step);
      CopyBytes(call.output.data() + piece.begin * width,
                peer == rank_ ? input : Slot(peer), piece.size() * width);
    }
    parity_ ^= 1;
  }
  return absl::OkStatus();
}

void StagedCommunicator::ReducePart(const CollectiveCall& call, OwnedRange part,
                                    std::byte* output) {
  ReduceInOrder(call.dtype, call.reduction, inputs_, part.size(), output);
}

// A slot is cut into one part per owner, so that all ranks reduce at the same
// time. What a rank reduces itself it reads where it lies: the own part of its
// slot takes the sums of an all_reduce.
absl::Status StagedCommunicator::Reduce(const CollectiveCall& call) {
  const bool scatter = call.kind == Collective::KIND_REDUCE_SCATTER;
  const uint64_t width = call.width();
  const uint64_t part_bytes = region_.slot_bytes() / ranks_ /
                              GroupRegion::kPartAlignment *
                              GroupRegion::kPartAlignment;
  const uint64_t step = part_bytes / width;
  const OwnedRange owned = cut_.Of(rank_);
  const uint64_t longest = cut_.Of(0).size();
  for (uint64_t from = 0; from < longest; from += step, parity_ ^= 1) {
    for (uint32_t owner = 0; owner < ranks_; ++owner) {
      const OwnedRange piece = PieceOf(cut_.Of(owner), from, step);
      if (owner != rank_) {
        CopyBytes(Slot(rank_) + owner * part_bytes,
                  call.input.data() + piece.begin * width,
                  piece.size() * width);
      }
    }
    RETURN_IF_ERROR(barrier_.Next());
    const OwnedRange mine = PieceOf(owned, from, step);
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      inputs_[peer] = peer == rank_ ? call.input.data() + mine.begin * width
                                    : Slot(peer) + rank_ * part_bytes;
    }
    if (scatter) {
      ReducePart(call, mine,
                 call.output.data() + (mine.begin - owned.begin) * width);
      continue;
    }
    ReducePart(call, mine, Slot(rank_) + rank_ * part_bytes);
    RETURN_IF_ERROR(barrier_.Next());
    for (uint32_t owner = 0; owner < ranks_; ++owner) {
      const OwnedRange piece = PieceOf(cut_.Of(owner), from, step);
      CopyBytes(call.output.data() + piece.begin * width,
                Slot(owner) + owner * part_bytes, piece.size() * width);
    }
  }
  return absl::OkStatus();
}

absl::Status StagedCommunicator::Broadcast(const CollectiveCall& call,
                                           bool placed) {
  const bool root = rank_ == call.root;
  if (root) {
    CopyBytes(call.output.data(), call.input.data(), call.output.size());
  }
  if (placed) {
    return barrier_.Next();
  }
  const uint64_t step = region_.slot_bytes();
  for (uint64_t from = 0; from < call.output.size(); from += step) {
    const uint64_t bytes = std::min(step, call.output.size() - from);
    if (root) {
      CopyBytes(Slot(rank_), call.output.data() + from, bytes);
    }
    RETURN_IF_ERROR(barrier_.Next());
    if (!root) {
      CopyBytes(call.output.data() + from, Slot(call.root), bytes);
    }
    parity_ ^= 1;
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<std::byte>> StagedCommunicator::AllocateShared(
    uint64_t bytes, absl::string_view name) {
  RETURN_IF_ERROR(barrier_.Failure());
  const auto padded = CheckedRoundUp(std::max<uint64_t>(bytes, 1), kSharedPage);
  if (first_ != last_ || !padded || !CheckedAdd(shared_bytes_, *padded)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "rank ", rank_, ": ", name, ": ",
        first_ != last_
            ? "shared memory is allocated while no call is under way"
            : "the shared memory exceeds 64 bits"));
  }
  RETURN_IF_ERROR(barrier_.Open(DescribeAllocation(name, bytes)));
  RETURN_IF_ERROR(barrier_.Compare());
  absl::StatusOr<std::byte*> memory = group_->Extend(shared_bytes_, *padded);
  if (!memory.ok()) {
    return barrier_.Fail(
        rank_,
        Annotate(memory.status(), absl::StrCat("shared memory of ", name)));
  }
  RETURN_IF_ERROR(barrier_.Next());
  barrier_.Close();
  allocations_.push_back({shared_bytes_, absl::MakeSpan(*memory, bytes)});
  shared_bytes_ += *padded;
  return allocations_.back().bytes;
}

void StagedCommunicator::Abort(const absl::Status& status) {
  PeerFailed(rank_, status);
}

void StagedCommunicator::PeerFailed(uint32_t rank, const absl::Status& status) {
  barrier_.Fail(rank, status).IgnoreError();
}

}  // namespace accel::runtime
