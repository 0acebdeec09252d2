// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of buffers and the checks that need a binding.
#include "runtime/plan/memory_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"

namespace accel::runtime {
namespace {

// Cache lines and vector registers; what kernels may rely on at least.
constexpr uint64_t kMinAlignment = 64;

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
      "parameters", "gradients", "optimizer", "activations", "scratch",
      "gathered",   "program",   "io",        "constants",   "scalars"};
  if (memory_class < 1 || memory_class > kMemoryClasses) {
    return "unknown";
  }
  return kNames[memory_class - 1];
}

absl::StatusOr<MemoryLayout> MemoryLayout::Create(const PlanView& plan,
                                                  const RankBinding& binding) {
  MemoryLayout layout(plan, binding);
  RETURN_IF_ERROR(layout.CheckBinding());
  RETURN_IF_ERROR(layout.PlaceBuffers());
  RETURN_IF_ERROR(layout.CountSharedBytes());
  RETURN_IF_ERROR(layout.CheckSlots());
  RETURN_IF_ERROR(layout.CheckAccesses());
  return layout;
}

absl::Status MemoryLayout::CheckBinding() const {
  for (const planpb::AxisDegree& axis : plan_->manifest().mesh().axes()) {
    const uint64_t degree = binding_.degree(axis.axis());
    if (degree == 0 || (axis.degree() != 0 && axis.degree() != degree)) {
      return absl::InvalidArgumentError(
          absl::StrCat("mesh axis '", MeshAxisName(axis.axis()),
                       "': expected degree ", axis.degree(), ", got ", degree));
    }
  }
  const uint64_t limit = std::max<uint64_t>(plan_->manifest().max_ranks(), 1);
  if (binding_.rank_count() > limit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected at most ", limit, " ranks, got ", binding_.rank_count(),
        "; compile with --max-ranks=", binding_.rank_count()));
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::PlaceBuffer(const planpb::Buffer& buffer,
                                       Place& place) {
  ASSIGN_OR_RETURN(place.bytes, EvaluateSize(buffer.bytes(), binding_));
  place.copies = std::max<uint32_t>(buffer.copies(), 1);
  if (buffer.region() == planpb::REGION_TRANSIENT) {
    place.offset = buffer.offset();
    place.stride = buffer.copy_stride();
    return absl::OkStatus();
  }
  const uint64_t alignment = std::max(kMinAlignment, buffer.alignment());
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
  end = *next;
  class_bytes_[buffer.memory_class() - 1] += *all;
  return absl::OkStatus();
}

absl::Status MemoryLayout::PlaceBuffers() {
  for (const planpb::Arena& arena : plan_->manifest().arenas()) {
    arena_bytes_[arena.space() - 1] = arena.bytes();
    space_bytes_[arena.space() - 1] = arena.bytes();
  }
  const auto& buffers = plan_->manifest().buffers();
  places_.resize(buffers.size());
  for (int i = 0; i < buffers.size(); ++i) {
    RETURN_IF_ERROR(Annotate(PlaceBuffer(buffers[i], places_[i]),
                             absl::StrCat("buffer '", buffers[i].name(), "'")));
  }
  uint64_t total = 0;
  for (const uint64_t bytes : space_bytes_) {
    const auto next = CheckedAdd(total, bytes);
    if (!next || *next > static_cast<uint64_t>(INT64_MAX)) {
      return absl::InvalidArgumentError("the plan's memory exceeds 63 bits");
    }
    total = *next;
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::CountSharedBytes() {
  const uint64_t arena = ArenaBytes(planpb::SPACE_SHARED);
  shared_bytes_ = SpaceBytes(planpb::SPACE_SHARED);
  uint64_t gathered = 0;
  bool counted = false;
  for (const planpb::MemoryUse& use :
       plan_->manifest().memory().transient_at_peak()) {
    if (arena == 0 || use.memory_class() != planpb::CLASS_GATHERED) {
      continue;
    }
    ASSIGN_OR_RETURN(const uint64_t bytes, EvaluateSize(use.bytes(), binding_));
    gathered = CheckedAdd(gathered, bytes).value_or(UINT64_MAX);
    counted = true;
  }
  if (gathered > arena) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the gathered slots take ", gathered, " bytes on ",
        binding_.rank_count(), " ranks, but their arena has ", arena));
  }
  // What the plan does not count may be touched to the end.
  if (counted) {
    shared_bytes_ -= arena - gathered;
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::CheckSlots() const {
  for (const planpb::Bucket& bucket : plan_->manifest().buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        planpb::Shard shard;
        shard.set_elements(segment.elements());
        shard.set_granule(bucket.granule());
        *shard.mutable_axes() = slot.sharded_over();
        ASSIGN_OR_RETURN(const OwnedRange owned,
                         OwnedElements(shard, binding_));
        const auto bits = CheckedMultiply(
            owned.size(), ElementBits(plan_->buffer(slot.buffer()).dtype()));
        if (!bits || *bits / 8 > BufferBytes(slot.buffer())) {
          return absl::InvalidArgumentError(absl::StrCat(
              "bucket '", bucket.name(), "', segment '", segment.name(),
              "': ", owned.size(), " elements do not fit into slot '",
              slot.name(), "' of ", BufferBytes(slot.buffer()), " bytes"));
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::CheckShardedAccess(
    const planpb::Access& access) const {
  const planpb::Buffer& buffer = plan_->buffer(access.buffer());
  RETURN_IF_ERROR(
      OwnedBytes(access.shard(), ElementBits(buffer.dtype()), binding_)
          .status());
  const auto whole =
      CheckedMultiply(access.shard().elements(), ElementBits(buffer.dtype()));
  const auto end = whole ? CheckedAdd(access.offset(), *whole / 8) : whole;
  const uint64_t bytes = BufferBytes(access.buffer());
  if (!end || *end > bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "buffer '", buffer.name(), "': the ", access.shard().elements(),
        " elements from byte ", access.offset(),
        " on, of which each rank has a part, do not lie in its ", bytes));
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::CheckAccess(const planpb::Access& access) const {
  if (access.has_shard()) {
    return CheckShardedAccess(access);
  }
  const uint64_t bytes = BufferBytes(access.buffer());
  const auto spread =
      CheckedMultiply(access.thread_stride(), binding_.threads - 1);
  const auto last = spread ? CheckedAdd(*spread, access.offset()) : spread;
  const auto end = last ? CheckedAdd(*last, access.bytes()) : last;
  if (!end || *end > bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "buffer '", plan_->buffer(access.buffer()).name(), "': bytes [",
        access.offset(), ", +", access.bytes(), ") for ", binding_.threads,
        " threads do not lie in its ", bytes));
  }
  return absl::OkStatus();
}

absl::Status MemoryLayout::CheckAccesses() const {
  if (binding_.threads == 0) {
    return absl::InvalidArgumentError("expected threads, got 0");
  }
  for (const FunctionView& function : plan_->functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      for (const planpb::Access& access : instruction.accesses()) {
        const absl::Status status = CheckAccess(access);
        if (!status.ok()) {
          return Annotate(status, plan_->Describe(function, instruction));
        }
      }
    }
  }
  return absl::OkStatus();
}

ByteRange MemoryLayout::RangeOf(uint32_t buffer, uint64_t copy) const {
  const Place& place = places_[buffer];
  const uint64_t begin = place.offset + copy * place.stride;
  return {plan_->buffer(buffer).space(), begin, begin + place.bytes};
}

ByteRange MemoryLayout::RangeOf(const planpb::Access& access,
                                uint64_t iteration) const {
  const Place& place = places_[access.buffer()];
  ByteRange range =
      RangeOf(access.buffer(), (iteration + access.rotate()) % place.copies);
  if (access.has_shard()) {
    // Evaluated before, by CheckAccess.
    const PartBytes part = *OwnedBytes(
        access.shard(), ElementBits(plan_->buffer(access.buffer()).dtype()),
        binding_);
    range.begin += access.offset() + part.begin;
    range.end = range.begin + part.size();
    return range;
  }
  if (access.bytes() == 0) {
    return range;
  }
  range.begin += access.offset();
  range.end = range.begin + access.bytes() +
              access.thread_stride() * (binding_.threads - 1);
  return range;
}

uint64_t MemoryLayout::PrivateBytes() const {
  uint64_t total = 0;
  for (const uint64_t bytes : space_bytes_) {
    total += bytes;
  }
  return total - SpaceBytes(planpb::SPACE_SHARED);
}

}  // namespace accel::runtime
