// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every buffer of a plan lies on one rank, and what every access touches.
#ifndef ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_LAYOUT_H_
#define ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/memory/memory_placement.h"
#include "runtime/plan/memory/staging.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Bytes of one space of a rank.
struct ByteRange {
  planpb::Space space = planpb::SPACE_UNSPECIFIED;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// Some of a rank's bytes, and what they are for.
struct MemoryPart {
  absl::string_view name;  // "parameters", "transient"
  uint64_t bytes = 0;
};

// Borrows: the plan.
class MemoryLayout {
 public:
  // Evaluates every size and checks every access against it.
  static absl::StatusOr<MemoryLayout> Create(const PlanView& plan,
                                             const RankBinding& binding);

  const RankBinding& binding() const { return binding_; }

  // Bytes of one copy of a buffer.
  uint64_t BufferBytes(uint32_t buffer) const {
    return placement_.place(buffer).bytes;
  }
  // All bytes of one copy.
  ByteRange RangeOf(uint32_t buffer, uint64_t copy) const;
  // What an access touches in an iteration; with thread-private parts, those of
  // all threads; with a shard, this rank's part, which may be empty.
  ByteRange RangeOf(const planpb::Access& access, uint64_t iteration) const;

  // Bytes of one space, arena and placed buffers.
  uint64_t SpaceBytes(planpb::Space space) const {
    return placement_.SpaceBytes(space);
  }
  uint64_t ArenaBytes(planpb::Space space) const {
    return placement_.ArenaBytes(space);
  }
  // What a run touches of the memory that the ranks of a host share: of the
  // arena, which has room for the most ranks, the part that these ranks gather.
  uint64_t SharedBytes() const { return placement_.SharedBytes(); }
  // What every rank has of its own: all other spaces.
  uint64_t PrivateBytes() const { return placement_.PrivateBytes(); }
  // The classes of the placed buffers, and the arenas as "transient"; none of 0
  // bytes.
  std::vector<MemoryPart> PrivateParts() const;
  // What collectives take between ranks.
  const StagingNeed& staging() const { return staging_; }
  // All three: what a rank touches.
  uint64_t TotalBytes() const {
    return placement_.TotalBytes() + staging_.BytesOfRank();
  }
  // Bytes of the placed buffers of a class, all spaces and copies.
  uint64_t PlacedBytes(planpb::MemoryClass memory_class) const {
    return placement_.PlacedBytes(memory_class);
  }

 private:
  MemoryLayout(const PlanView& plan, RankBinding binding)
      : plan_(&plan), binding_(binding), staging_(binding) {}

  absl::Status CheckBinding() const;
  absl::Status CheckSlots() const;
  absl::Status CheckAccesses() const;
  absl::Status CountStaging();
  absl::Status CheckAccess(const planpb::Access& access) const;
  absl::Status CheckShardedAccess(const planpb::Access& access) const;

  const PlanView* plan_;
  RankBinding binding_;
  MemoryPlacement placement_;
  StagingNeed staging_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_LAYOUT_H_
