// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every buffer of a plan lies on one rank: the transient arena of each
// space first, at the plan's own offsets, then the buffers that the loader
// places, in the plan's order.
#ifndef ACCEL_RUNTIME_PLAN_MEMORY_LAYOUT_H_
#define ACCEL_RUNTIME_PLAN_MEMORY_LAYOUT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/plan_view.h"
#include "runtime/plan/size_expr.h"

namespace accel::runtime {

inline constexpr int kSpaces = 4;
inline constexpr int kMemoryClasses = 10;

// "device", "host", "pinned", "shared".
absl::string_view SpaceName(planpb::Space space);
// "parameters", "gradients", ...
absl::string_view MemoryClassName(planpb::MemoryClass memory_class);

// Bytes of one space of a rank.
struct ByteRange {
  planpb::Space space = planpb::SPACE_UNSPECIFIED;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// Borrows: the plan.
class MemoryLayout {
 public:
  // Evaluates every size and checks every access against it.
  static absl::StatusOr<MemoryLayout> Create(const PlanView& plan,
                                             const RankBinding& binding);

  const RankBinding& binding() const { return binding_; }

  // Bytes of one copy of a buffer.
  uint64_t BufferBytes(uint32_t buffer) const { return places_[buffer].bytes; }
  // All bytes of one copy.
  ByteRange RangeOf(uint32_t buffer, uint64_t copy) const;
  // What an access touches in an iteration; with thread-private parts, those of
  // all threads; with a shard, this rank's part, which may be empty.
  ByteRange RangeOf(const planpb::Access& access, uint64_t iteration) const;

  // Bytes of one space, arena and placed buffers.
  uint64_t SpaceBytes(planpb::Space space) const {
    return space_bytes_[space - 1];
  }
  uint64_t ArenaBytes(planpb::Space space) const {
    return arena_bytes_[space - 1];
  }
  // What a run touches of the memory that the ranks of a host share: of the
  // arena, which has room for the most ranks, the part that these ranks gather.
  uint64_t SharedBytes() const { return shared_bytes_; }
  // What every rank has of its own: all other spaces.
  uint64_t PrivateBytes() const;
  // Both: what a rank touches.
  uint64_t TotalBytes() const { return PrivateBytes() + SharedBytes(); }
  // Bytes of the placed buffers of a class, all spaces and copies.
  uint64_t PlacedBytes(planpb::MemoryClass memory_class) const {
    return class_bytes_[memory_class - 1];
  }

 private:
  struct Place {
    uint64_t bytes = 0;   // of one copy
    uint64_t offset = 0;  // of copy 0, in its space
    uint64_t stride = 0;  // from copy to copy
    uint32_t copies = 1;
  };

  MemoryLayout(const PlanView& plan, RankBinding binding)
      : plan_(&plan), binding_(binding) {}

  absl::Status CheckBinding() const;
  absl::Status PlaceBuffers();
  absl::Status PlaceBuffer(const planpb::Buffer& buffer, Place& place);
  absl::Status CountSharedBytes();
  absl::Status CheckSlots() const;
  absl::Status CheckAccesses() const;
  absl::Status CheckAccess(const planpb::Access& access) const;
  absl::Status CheckShardedAccess(const planpb::Access& access) const;

  const PlanView* plan_;
  RankBinding binding_;
  std::vector<Place> places_;  // per buffer
  std::array<uint64_t, kSpaces> space_bytes_ = {};
  std::array<uint64_t, kSpaces> arena_bytes_ = {};
  std::array<uint64_t, kMemoryClasses> class_bytes_ = {};
  uint64_t shared_bytes_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_MEMORY_LAYOUT_H_
