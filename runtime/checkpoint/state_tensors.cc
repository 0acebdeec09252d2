// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over buckets, segments and slots.
#include "runtime/checkpoint/state_tensors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

bool IsKept(absl::string_view slot) {
  return slot != "gradient" && slot != "compute";
}

bool IsQuantized(const planpb::Segment& segment) {
  return std::any_of(segment.slots().begin(), segment.slots().end(),
                     [](const planpb::Slot& slot) { return slot.block() > 1; });
}

absl::StatusOr<DType> TypeOf(const PlanView& plan, uint32_t buffer) {
  const planpb::ElementType type = plan.buffer(buffer).dtype();
  const auto dtype = ToDType(type);
  if (!dtype) {
    return absl::UnimplementedError(
        absl::StrCat("buffer '", plan.buffer(buffer).name(), "' holds ",
                     ElementTypeName(type), ", which no checkpoint does"));
  }
  return *dtype;
}

class TensorList {
 public:
  explicit TensorList(const PlanView& plan) : plan_(plan) {}

  absl::Status AddSegment(int bucket_number, int number) {
    const planpb::Bucket& bucket = plan_.manifest().buckets(bucket_number);
    const planpb::Segment& segment = bucket.segments(number);
    for (const planpb::Slot& slot : segment.slots()) {
      if (!IsKept(slot.name())) {
        continue;
      }
      ASSIGN_OR_RETURN(const StateTensor whole,
                       WholeSlot(bucket, segment, slot));
      if (!whole.is_parameter && IsQuantized(segment)) {
        tensors_.push_back(whole);
        continue;
      }
      for (const planpb::Parameter& parameter : plan_.manifest().parameters()) {
        if (parameter.bucket() == static_cast<uint32_t>(bucket_number) &&
            parameter.segment() == static_cast<uint32_t>(number)) {
          AddParameter(parameter, slot, whole);
        }
      }
    }
    return absl::OkStatus();
  }

  std::vector<StateTensor> Take() { return std::move(tensors_); }

 private:
  absl::StatusOr<StateTensor> WholeSlot(const planpb::Bucket& bucket,
                                        const planpb::Segment& segment,
                                        const planpb::Slot& slot) const {
    const uint64_t block = std::max<uint64_t>(1, slot.block());
    StateTensor tensor;
    tensor.name =
        absl::StrCat(bucket.name(), ".", segment.name(), "/", slot.name());
    ASSIGN_OR_RETURN(tensor.dtype, TypeOf(plan_, slot.buffer()));
    tensor.slot.buffer = slot.buffer();
    tensor.slot.width = static_cast<uint64_t>(ByteWidth(tensor.dtype));
    tensor.slot.shard.set_elements(DivideUp(segment.elements(), block));
    tensor.slot.shard.set_granule(bucket.granule() / block);
    *tensor.slot.shard.mutable_axes() = slot.sharded_over();
    tensor.elements = tensor.slot.shard.elements();
    tensor.is_parameter = slot.name() == "master";
    return tensor;
  }

  void AddParameter(const planpb::Parameter& parameter,
                    const planpb::Slot& slot, const StateTensor& whole) {
    StateTensor tensor = whole;
    tensor.name = absl::StrCat(parameter.name(), "/", slot.name());
    tensor.first = parameter.element_offset();
    tensor.elements = *ElementCount(parameter.shape());
    tensors_.push_back(tensor);
  }

  const PlanView& plan_;
  std::vector<StateTensor> tensors_;
};

}  // namespace

absl::StatusOr<std::vector<StateTensor>> ListStateTensors(
    const PlanView& plan) {
  TensorList list(plan);
  for (int bucket = 0; bucket < plan.manifest().buckets_size(); ++bucket) {
    const int segments = plan.manifest().buckets(bucket).segments_size();
    for (int segment = 0; segment < segments; ++segment) {
      RETURN_IF_ERROR(list.AddSegment(bucket, segment));
    }
  }
  return list.Take();
}

absl::StatusOr<std::vector<StateScalar>> ListStateScalars(
    const PlanView& plan) {
  std::vector<StateScalar> scalars;
  for (const planpb::State& state : plan.manifest().states()) {
    if (state.kind() != planpb::State::KIND_COUNTER &&
        state.kind() != planpb::State::KIND_SCALE) {
      continue;
    }
    StateScalar scalar;
    scalar.name = state.name();
    scalar.buffer = state.buffer();
    ASSIGN_OR_RETURN(scalar.dtype, TypeOf(plan, state.buffer()));
    const auto bytes = ConstantSize(plan.buffer(state.buffer()).bytes());
    if (!bytes) {
      return absl::UnimplementedError(
          absl::StrCat("state '", state.name(), "' has no size of its own"));
    }
    scalar.bytes = *bytes;
    scalars.push_back(scalar);
  }
  return scalars;
}

}  // namespace accel::runtime
