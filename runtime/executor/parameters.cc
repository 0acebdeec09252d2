// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a parameter's name to bytes of a slot.
#include "runtime/executor/parameters.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"
#include "runtime/plan/validate.h"

namespace accel::runtime {

absl::StatusOr<std::optional<ParameterPlace>> FindParameter(
    const PlanView& plan, const planpb::Parameter& parameter,
    absl::string_view slot_name) {
  const planpb::Segment& segment =
      plan.manifest()
          .buckets(static_cast<int>(parameter.bucket()))
          .segments(static_cast<int>(parameter.segment()));
  for (const planpb::Slot& slot : segment.slots()) {
    if (slot.name() != slot_name) {
      continue;
    }
    if (!slot.sharded_over().empty()) {
      return absl::UnimplementedError(absl::StrCat(
          "slot '", slot_name, "' of parameter '", parameter.name(),
          "' is cut into shards, and this release reads whole slots only"));
    }
    const planpb::Buffer& buffer = plan.buffer(slot.buffer());
    const auto dtype = ToDType(buffer.dtype());
    if (!dtype) {
      return absl::UnimplementedError(absl::StrCat(
          "slot '", slot_name, "' holds ", ElementTypeName(buffer.dtype())));
    }
    return ParameterPlace{slot.buffer(),
                          parameter.element_offset() * ByteWidth(*dtype),
                          *ElementCount(parameter.shape()), *dtype};
  }
  return std::nullopt;
}

absl::Status ReadParameter(const Executor& executor,
                           const ParameterPlace& place, uint64_t first,
                           absl::Span<std::byte> dst) {
  return executor.ReadBuffer(
      place.buffer, place.offset + first * ByteWidth(place.dtype), dst);
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
