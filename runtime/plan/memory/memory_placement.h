// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many bytes a rank needs and for what: a manifest's buffers, placed one
// after the other in their spaces. The loader and the estimate both ask here.
#ifndef ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_PLACEMENT_H_
#define ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

inline constexpr int kSpaces = 4;
inline constexpr int kMemoryClasses = 11;

// What every buffer begins at a multiple of at least, in bytes: a line of the
// cache, and a vector. plan::kAlignment of the compiler is the same.
inline constexpr uint64_t kAlignment = 64;

// "device", "host", "pinned", "shared".
absl::string_view SpaceName(planpb::Space space);
// "parameters", "gradients", ...
absl::string_view MemoryClassName(planpb::MemoryClass memory_class);

// The transient arena of each space comes first, at the plan's own offsets,
// then the buffers that the loader places, in the plan's order.
class MemoryPlacement {
 public:
  struct Place {
    uint64_t bytes = 0;   // of one copy
    uint64_t offset = 0;  // of copy 0, in its space
    uint64_t stride = 0;  // from copy to copy
    uint32_t copies = 1;
  };

  // Evaluates every size. Requires: the manifest's buffers, arenas and memory
  // summary are valid, as PlanView or the plan's writer sees to it.
  static absl::StatusOr<MemoryPlacement> Create(
      const planpb::Manifest& manifest, const RankBinding& binding);

  const Place& place(uint32_t buffer) const { return places_[buffer]; }
  // Bytes of one space, arena and placed buffers.
  uint64_t SpaceBytes(planpb::Space space) const {
    return space_bytes_[space - 1];
  }
  uint64_t ArenaBytes(planpb::Space space) const {
    return arena_bytes_[space - 1];
  }
  // Bytes of the placed buffers of a class, all spaces and copies, with what
  // their alignment takes.
  uint64_t PlacedBytes(planpb::MemoryClass memory_class) const {
    return class_bytes_[memory_class - 1];
  }
  // Of the memory that the ranks of a host share, what a run touches.
  uint64_t SharedBytes() const { return shared_bytes_; }
  // All other spaces.
  uint64_t PrivateBytes() const;
  uint64_t TotalBytes() const { return PrivateBytes() + SharedBytes(); }

  // Everything that a rank touches, by what it is for; the sum is TotalBytes().
  // The arena counts as gradients where buffers of that class lie in it, the
  // shared one as gathered, all else as activations.
  std::array<uint64_t, kMemoryClasses> BytesByClass(
      const planpb::Manifest& manifest) const;

 private:
  absl::Status PlaceBuffer(const planpb::Buffer& buffer,
                           const RankBinding& binding, Place& place);
  absl::Status CountSharedBytes(const planpb::Manifest& manifest,
                                const RankBinding& binding);

  std::vector<Place> places_;  // per buffer
  std::array<uint64_t, kSpaces> space_bytes_ = {};
  std::array<uint64_t, kSpaces> arena_bytes_ = {};
  std::array<uint64_t, kMemoryClasses> class_bytes_ = {};
  uint64_t shared_bytes_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_MEMORY_MEMORY_PLACEMENT_H_
