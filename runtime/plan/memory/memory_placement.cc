// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of buffers, in checked arithmetic.
#include "runtime/plan/memory/memory_placement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Bytes of the arena of `space` in which some buffer of a class lies at some
// time.
uint64_t ArenaBytesOf(const planpb::Manifest& manifest,
                      const MemoryPlacement& placement, planpb::Space space,
                      planpb::MemoryClass memory_class) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (int i = 0; i < manifest.buffers_size(); ++i) {
    const planpb::Buffer& buffer = manifest.buffers(i);
    if (buffer.region() == planpb::REGION_TRANSIENT &&
        buffer.space() == space && buffer.memory_class() == memory_class) {
      const MemoryPlacement::Place& place = placement.place(i);
      ranges.emplace_back(place.offset, place.offset + place.bytes);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  uint64_t bytes = 0;
  uint64_t counted = 0;
  for (const auto& [begin, end] : ranges) {
    bytes += end - std::min(end, std::max(begin, counted));
    counted = std::max(counted, end);
  }
  return std::min(bytes, placement.ArenaBytes(space));
}

}  // namespace

absl::string_view SpaceName(planpb::Space space) {
  static constexpr std::array<absl::string_view, kSpaces> kNames = {
      "device", "host", "pinned", "shared"};
  if (space < 1 || space > kSpaces) {
    return "unknown";
  }
  return kNames[space - 1];
}

absl::string_view MemoryClassName(planpb::MemoryClass memory_class) {
  static constexpr std::array<absl::string_view, kMemoryClasses> kNames = {
      "parameters", "gradients", "optimizer", "activations",
      "workspace",  "gathered",  "program",   "io",
      "constants",  "scalars",   "staging"};
  if (memory_class < 1 || memory_class > kMemoryClasses) {
    return "unknown";
  }
  return kNames[memory_class - 1];
}

absl::StatusOr<MemoryPlacement> MemoryPlacement::Create(
    const planpb::Manifest& manifest, const RankBinding& binding) {
  MemoryPlacement placement;
  for (const planpb::Arena& arena : manifest.arenas()) {
    placement.arena_bytes_[arena.space() - 1] = arena.bytes();
    placement.space_bytes_[arena.space() - 1] = arena.bytes();
  }
  const auto& buffers = manifest.buffers();
  placement.places_.resize(buffers.size());
  for (int i = 0; i < buffers.size(); ++i) {
    RETURN_IF_ERROR(Annotate(
        placement.PlaceBuffer(buffers[i], binding, placement.places_[i]),
        absl::StrCat("buffer '", buffers[i].name(), "'")));
  }
  uint64_t total = 0;
  for (const uint64_t bytes : placement.space_bytes_) {
    const auto next = CheckedAdd(total, bytes);
    if (!next || *next > static_cast<uint64_t>(INT64_MAX)) {
      return absl::InvalidArgumentError("the plan's memory exceeds 63 bits");
    }
    total = *next;
  }
  RETURN_IF_ERROR(placement.CountSharedBytes(manifest, binding));
  return placement;
}

absl::Status MemoryPlacement::PlaceBuffer(const planpb::Buffer& buffer,
                                          const RankBinding& binding,
                                          Place& place) {
  ASSIGN_OR_RETURN(place.bytes, EvaluateSize(buffer.bytes(), binding));
  place.copies = std::max<uint32_t>(buffer.copies(), 1);
  if (buffer.region() == planpb::REGION_TRANSIENT) {
    place.offset = buffer.offset();
    return absl::OkStatus();
  }
  const uint64_t alignment = std::max(kAlignment, buffer.alignment());
  uint64_t& end = space_bytes_[buffer.space() - 1];
  const auto offset = CheckedRoundUp(end, alignment);
  const auto stride = CheckedRoundUp(place.bytes, alignment);
  const auto all = stride ? CheckedMultiply(*stride, place.copies) : stride;
  const auto next = offset && all ? CheckedAdd(*offset, *all) : std::nullopt;
  if (!next || *next > static_cast<uint64_t>(INT64_MAX)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "space '", SpaceName(buffer.space()), "' exceeds 63 bits"));
  }
  place.offset = *offset;
  place.stride = *stride;
  class_bytes_[buffer.memory_class() - 1] += *next - end;
  end = *next;
  return absl::OkStatus();
}

absl::Status MemoryPlacement::CountSharedBytes(const planpb::Manifest& manifest,
                                               const RankBinding& binding) {
  const uint64_t arena = ArenaBytes(planpb::SPACE_SHARED);
  shared_bytes_ = SpaceBytes(planpb::SPACE_SHARED);
  uint64_t gathered = 0;
  bool counted = false;
  for (const planpb::MemoryUse& use : manifest.memory().transient_at_peak()) {
    if (arena == 0 || use.memory_class() != planpb::CLASS_GATHERED) {
      continue;
    }
    ASSIGN_OR_RETURN(const uint64_t bytes, EvaluateSize(use.bytes(), binding));
    gathered = CheckedAdd(gathered, bytes).value_or(UINT64_MAX);
    counted = true;
  }
  if (gathered > arena) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the gathered buffers take ", gathered, " bytes on ",
        binding.rank_count(), " ranks, but their arena has ", arena));
  }
  // What the plan does not count may be touched to the end.
  if (counted) {
    shared_bytes_ -= arena - gathered;
  }
  return absl::OkStatus();
}

uint64_t MemoryPlacement::PrivateBytes() const {
  uint64_t total = 0;
  for (const uint64_t bytes : space_bytes_) {
    total += bytes;
  }
  return total - SpaceBytes(planpb::SPACE_SHARED);
}

std::array<uint64_t, kMemoryClasses> MemoryPlacement::BytesByClass(
    const planpb::Manifest& manifest) const {
  std::array<uint64_t, kMemoryClasses> bytes = class_bytes_;
  for (int i = 1; i <= kSpaces; ++i) {
    const auto space = static_cast<planpb::Space>(i);
    if (space == planpb::SPACE_SHARED) {
      continue;
    }
    // Classes that have bytes of their own in the arena; what shares bytes with
    // one of them is no activation's.
    uint64_t rest = ArenaBytes(space);
    for (const planpb::MemoryClass memory_class :
         {planpb::CLASS_GRADIENTS, planpb::CLASS_GATHERED}) {
      const uint64_t taken =
          std::min(rest, ArenaBytesOf(manifest, *this, space, memory_class));
      bytes[memory_class - 1] += taken;
      rest -= taken;
    }
    bytes[planpb::CLASS_ACTIVATIONS - 1] += rest;
  }
  bytes[planpb::CLASS_GATHERED - 1] += shared_bytes_;
  return bytes;
}

}  // namespace accel::runtime
