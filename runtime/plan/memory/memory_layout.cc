// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that need a binding, and what accesses touch.
#include "runtime/plan/memory/memory_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {

absl::StatusOr<MemoryLayout> MemoryLayout::Create(const PlanView& plan,
                                                  const RankBinding& binding) {
  MemoryLayout layout(plan, binding);
  RETURN_IF_ERROR(layout.CheckBinding());
  ASSIGN_OR_RETURN(layout.placement_,
                   MemoryPlacement::Create(plan.manifest(), binding));
  RETURN_IF_ERROR(layout.CheckSlots());
  RETURN_IF_ERROR(layout.CheckAccesses());
  RETURN_IF_ERROR(layout.CountStaging());
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

absl::Status MemoryLayout::CheckSlots() const {
  for (const planpb::Bucket& bucket : plan_->manifest().buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        planpb::Shard shard;
        const uint64_t block = std::max<uint64_t>(1, slot.block());
        shard.set_elements(segment.elements() / block);
        shard.set_granule(bucket.granule() / block);
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

std::vector<MemoryPart> MemoryLayout::PrivateParts() const {
  std::vector<MemoryPart> parts;
  const auto add = [&](absl::string_view name, uint64_t bytes) {
    if (bytes != 0) {
      parts.push_back({name, bytes});
    }
  };
  for (int i = 1; i <= kMemoryClasses; ++i) {
    const auto memory_class = static_cast<planpb::MemoryClass>(i);
    add(MemoryClassName(memory_class), PlacedBytes(memory_class));
  }
  for (int i = 1; i <= kSpaces; ++i) {
    const auto space = static_cast<planpb::Space>(i);
    add("transient", space == planpb::SPACE_SHARED ? 0 : ArenaBytes(space));
  }
  return parts;
}

absl::Status MemoryLayout::CountStaging() {
  for (const FunctionView& function : plan_->functions()) {
    RETURN_IF_ERROR(staging_.Add(plan_->manifest(), function.instructions()));
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
  const MemoryPlacement::Place& place = placement_.place(buffer);
  const uint64_t begin = place.offset + copy * place.stride;
  return {plan_->buffer(buffer).space(), begin, begin + place.bytes};
}

ByteRange MemoryLayout::RangeOf(const planpb::Access& access,
                                uint64_t iteration) const {
  const MemoryPlacement::Place& place = placement_.place(access.buffer());
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

}  // namespace accel::runtime
