// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest pieces of each kind decide.
#include "runtime/plan/memory/staging.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/collective_bytes.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

bool WritesSharedMemory(const planpb::Manifest& manifest,
                        const planpb::Instruction& instruction) {
  const uint32_t output = instruction.collective().output_plus_one();
  return output != 0 &&
         manifest.buffers(static_cast<int>(
                              instruction.accesses(static_cast<int>(output - 1))
                                  .buffer()))
                 .space() == planpb::SPACE_SHARED;
}

// Elements of the longest part that one rank brings or reduces.
absl::StatusOr<uint64_t> PartOf(const Collective& collective,
                                const RankBinding& binding) {
  if (collective.kind() != Collective::KIND_ALL_REDUCE) {
    return ShardLength(collective.shard(), binding);
  }
  const uint64_t each =
      DivideUp(collective.shard().elements(), binding.rank_count());
  return DivideUp(each, kReduceGranule) * kReduceGranule;
}

// As many as there can be beyond 64 bits.
uint64_t Times(uint64_t a, uint64_t b) {
  return CheckedMultiply(a, b).value_or(UINT64_MAX);
}

void Enlarge(uint64_t& largest, uint64_t bytes) {
  largest = std::max(largest, bytes);
}

// Of so many bytes of a call, what is in a slot at most.
uint64_t InSlot(uint64_t bytes, uint64_t slot) {
  const uint64_t before = slot * kStagingSlotBytes;
  return std::min(bytes - std::min(bytes, before), kStagingSlotBytes);
}

}  // namespace

absl::Status StagingNeed::Add(
    const planpb::Manifest& manifest,
    absl::Span<const planpb::Instruction> instructions) {
  for (const planpb::Instruction& instruction : instructions) {
    if (ranks_ == 1 || !instruction.has_collective()) {
      continue;
    }
    const Collective& collective = instruction.collective();
    ASSIGN_OR_RETURN(const uint64_t part, PartOf(collective, binding_));
    const uint64_t width = DivideUp(ElementBits(collective.dtype()), 8);
    AddOne(collective, WritesSharedMemory(manifest, instruction),
           TensorBytes(collective), Times(part, width));
  }
  return absl::OkStatus();
}

void StagingNeed::AddOne(const Collective& collective, bool shared,
                         uint64_t bytes, uint64_t part) {
  for (uint64_t slot = 0; slot < kStagingSlots; ++slot) {
    Use& use = slots_[slot];
    const uint64_t parts = InSlot(Times(part, ranks_), slot);
    switch (collective.kind()) {
      case Collective::KIND_ALL_REDUCE:
        Enlarge(use.sums, InSlot(bytes, slot));
        Enlarge(use.tensor, InSlot(bytes, slot));
        Enlarge(use.parts, parts);
        break;
      case Collective::KIND_REDUCE_SCATTER:
        Enlarge(use.tensor,
                std::min(InSlot(bytes, slot), parts / ranks_ * (ranks_ - 1)));
        Enlarge(use.parts, parts);
        break;
      case Collective::KIND_ALL_GATHER:
        if (!shared) {
          const uint64_t piece = InSlot(part, slot);
          Enlarge(use.piece, piece);
          Enlarge(use.pieces, std::min(Times(piece, ranks_), bytes));
        }
        break;
      case Collective::KIND_BROADCAST:
        if (!shared) {
          Enlarge(use.piece, InSlot(bytes, slot));
          Enlarge(use.pieces, InSlot(bytes, slot));
        }
        break;
      default:
        break;
    }
  }
}

uint64_t StagingNeed::BytesOfRank() const {
  uint64_t bytes = 0;
  for (const Use& use : slots_) {
    const uint64_t own = std::max(use.tensor, use.piece);
    const uint64_t read =
        (use.parts + use.sums) * (ranks_ - 1) / ranks_ + use.pieces;
    bytes += own + std::min(read, own * (ranks_ - 1));
  }
  return bytes;
}

uint64_t StagingNeed::BytesOfHost() const {
  uint64_t bytes = 0;
  for (const Use& use : slots_) {
    bytes += std::max(use.tensor * ranks_, use.pieces);
  }
  return bytes;
}

}  // namespace accel::runtime
