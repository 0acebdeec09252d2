// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a parameter's name to bytes of a slot.
#include "runtime/executor/parameters.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {

namespace {

const planpb::Bucket& BucketOf(const PlanView& plan,
                               const planpb::Parameter& parameter) {
  return plan.manifest().buckets(static_cast<int>(parameter.bucket()));
}

const planpb::Segment& SegmentOf(const PlanView& plan,
                                 const planpb::Parameter& parameter) {
  return BucketOf(plan, parameter)
      .segments(static_cast<int>(parameter.segment()));
}

const planpb::Slot* FindSlot(const planpb::Segment& segment,
                             absl::string_view name) {
  for (const planpb::Slot& slot : segment.slots()) {
    if (slot.name() == name) {
      return &slot;
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::optional<ParameterPlace>> FindParameter(
    const PlanView& plan, const planpb::Parameter& parameter,
    absl::string_view slot_name) {
  const planpb::Segment& segment = SegmentOf(plan, parameter);
  const planpb::Slot* const slot = FindSlot(segment, slot_name);
  if (slot == nullptr) {
    return std::nullopt;
  }
  const planpb::Buffer& buffer = plan.buffer(slot->buffer());
  const auto dtype = ToDType(buffer.dtype());
  if (!dtype) {
    return absl::UnimplementedError(absl::StrCat(
        "slot '", slot_name, "' holds ", ElementTypeName(buffer.dtype())));
  }
  ParameterPlace place;
  place.slot.buffer = slot->buffer();
  place.slot.width = static_cast<uint64_t>(ByteWidth(*dtype));
  place.slot.shard.set_elements(segment.elements());
  place.slot.shard.set_granule(BucketOf(plan, parameter).granule());
  *place.slot.shard.mutable_axes() = slot->sharded_over();
  place.first = parameter.element_offset();
  place.elements = *ElementCount(parameter.shape());
  place.dtype = *dtype;
  return place;
}

bool IsSharded(const PlanView& plan, absl::string_view slot_name) {
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    const planpb::Slot* const slot =
        FindSlot(SegmentOf(plan, parameter), slot_name);
    if (slot != nullptr && !slot->sharded_over().empty()) {
      return true;
    }
  }
  return false;
}

absl::Status ReadParameter(const Executor& executor,
                           const ParameterPlace& place, uint64_t first,
                           uint64_t elements, absl::Span<std::byte> dst) {
  return executor.ReadTensor(place.slot, place.first + first, elements, dst);
}

absl::Status SetScalar(Executor& executor, uint32_t buffer, double value) {
  return executor.WriteBuffer(
      buffer, 0,
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&value),
                          sizeof value));
}

absl::StatusOr<double> GetScalar(const Executor& executor, uint32_t buffer) {
  double value = 0;
  RETURN_IF_ERROR(executor.ReadBuffer(
      buffer, 0,
      absl::MakeSpan(reinterpret_cast<std::byte*>(&value), sizeof value)));
  return value;
}

}  // namespace accel::runtime
