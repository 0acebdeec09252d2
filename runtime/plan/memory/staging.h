// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory through which collectives move data between the ranks of one host: two
// slots per rank, which all ranks see and take turns in.
#ifndef ACCEL_RUNTIME_PLAN_MEMORY_STAGING_H_
#define ACCEL_RUNTIME_PLAN_MEMORY_STAGING_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// Of one slot, if nobody asks for another size. Larger tensors pass in pieces.
inline constexpr uint64_t kStagingSlotBytes = uint64_t{4} << 20;
inline constexpr uint64_t kStagingSlots = 2;  // of each rank
// Of an all_reduce, which has no shards of its own: what a rank reduces begins
// at a multiple of this many elements.
inline constexpr uint64_t kReduceGranule = 128;

// What the collectives of a plan touch of the slots, on ranks that are all of
// one host:
//
//   reduce_scatter, all_reduce   one part of the own slot for every other
//                                owner; of every other slot the own part, which
//                                is reduced here
//   all_reduce                   and the own part of the own slot and of every
//                                other slot its owner's part, the sums
//   all_gather, broadcast        the beginning of every slot; nothing at all
//                                if the output lies in shared memory
//
// Every call begins in the first slot; what does not fit there, with slot / N
// bytes for each part, passes through the second, the first again and so on.
// It is a bound: uses of different kinds count as if they did not overlap.
// While the shards' lengths stay the same it does not fall as N grows. Nothing
// for one rank.
class StagingNeed {
 public:
  explicit StagingNeed(const RankBinding& binding)
      : binding_(binding), ranks_(binding.rank_count()) {}

  // Requires: PlanView has accepted the instructions, or would.
  absl::Status Add(const planpb::Manifest& manifest,
                   absl::Span<const planpb::Instruction> instructions);

  // Bytes that a rank touches, its own slots and the others'.
  uint64_t BytesOfRank() const;
  // Bytes that all ranks together touch, every page counted once.
  uint64_t BytesOfHost() const;

 private:
  // The largest of all collectives, in bytes of one of the slots.
  struct Use {
    uint64_t tensor = 0;  // all owners' parts, as far as they are in the slot
    uint64_t parts = 0;   // the same as if all were as long as the longest
    uint64_t sums = 0;    // `tensor` of all_reduce alone
    uint64_t piece = 0;   // what a rank gathers from or broadcasts
    uint64_t pieces = 0;  // of all ranks
  };

  // The tensor has `bytes`, the longest part of a rank `part`.
  void AddOne(const planpb::Collective& collective, bool shared, uint64_t bytes,
              uint64_t part);

  RankBinding binding_;
  uint64_t ranks_;
  std::array<Use, kStagingSlots> slots_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_MEMORY_STAGING_H_
