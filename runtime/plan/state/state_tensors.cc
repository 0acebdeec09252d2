// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over buckets, segments and slots.
#include "runtime/plan/state/state_tensors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

// Shares of what all processes have end at multiples of it.
constexpr uint64_t kShareElements = 1024;

bool IsKept(absl::string_view slot) {
  return slot != "gradient" && slot != "compute";
}

bool IsQuantized(const planpb::Segment& segment) {
  return std::any_of(segment.slots().begin(), segment.slots().end(),
                     [](const planpb::Slot& slot) { return slot.block() > 1; });
}

absl::StatusOr<DType> TypeOf(const planpb::Manifest& manifest,
                             uint32_t buffer) {
  const planpb::ElementType type = manifest.buffers(buffer).dtype();
  const auto dtype = ToDType(type);
  if (!dtype) {
    return absl::UnimplementedError(
        absl::StrCat("buffer '", manifest.buffers(buffer).name(), "' holds ",
                     ElementTypeName(type), ", which no checkpoint does"));
  }
  return *dtype;
}

class TensorList {
 public:
  explicit TensorList(const planpb::Manifest& manifest) : manifest_(manifest) {}

  absl::Status AddSegment(int bucket_number, int number) {
    const planpb::Bucket& bucket = manifest_.buckets(bucket_number);
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
      for (const planpb::Parameter& parameter : manifest_.parameters()) {
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
    ASSIGN_OR_RETURN(tensor.dtype, TypeOf(manifest_, slot.buffer()));
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

  const planpb::Manifest& manifest_;
  std::vector<StateTensor> tensors_;
};

}  // namespace

absl::StatusOr<std::vector<StateTensor>> ListStateTensors(
    const planpb::Manifest& manifest) {
  TensorList list(manifest);
  for (int bucket = 0; bucket < manifest.buckets_size(); ++bucket) {
    const int segments = manifest.buckets(bucket).segments_size();
    for (int segment = 0; segment < segments; ++segment) {
      RETURN_IF_ERROR(list.AddSegment(bucket, segment));
    }
  }
  return list.Take();
}

absl::StatusOr<std::vector<StateScalar>> ListStateScalars(
    const planpb::Manifest& manifest) {
  std::vector<StateScalar> scalars;
  for (const planpb::State& state : manifest.states()) {
    if (state.kind() != planpb::State::KIND_COUNTER &&
        state.kind() != planpb::State::KIND_SCALE) {
      continue;
    }
    StateScalar scalar;
    scalar.name = state.name();
    scalar.buffer = state.buffer();
    ASSIGN_OR_RETURN(scalar.dtype, TypeOf(manifest, state.buffer()));
    const auto bytes = ConstantSize(manifest.buffers(state.buffer()).bytes());
    if (!bytes) {
      return absl::UnimplementedError(
          absl::StrCat("state '", state.name(), "' has no size of its own"));
    }
    scalar.bytes = *bytes;
    scalars.push_back(scalar);
  }
  return scalars;
}

// The same for all, as every process has all of it.
OwnedRange ShareOf(uint64_t elements, uint64_t index, uint64_t count) {
  const uint64_t each =
      DivideUp(DivideUp(elements, count), kShareElements) * kShareElements;
  const uint64_t begin = std::min(elements, index * each);
  return {begin, std::min(elements, begin + each)};
}

absl::StatusOr<uint64_t> CheckpointBytes(const planpb::Manifest& manifest,
                                         const RankBinding& binding,
                                         uint64_t processes) {
  ASSIGN_OR_RETURN(const std::vector<StateTensor> tensors,
                   ListStateTensors(manifest));
  uint64_t bytes = 0;
  for (const StateTensor& tensor : tensors) {
    // The first one's share is as large as any.
    OwnedRange part = ShareOf(tensor.elements, 0, processes);
    if (processes > 1 && tensor.slot.IsSharded()) {
      ASSIGN_OR_RETURN(const OwnedRange held,
                       OwnedElements(tensor.slot.shard, binding));
      part.begin = std::max(held.begin, tensor.first);
      part.end = std::max(part.begin,
                          std::min(held.end, tensor.first + tensor.elements));
    }
    bytes += part.size() * tensor.slot.width;
  }
  return bytes;
}

}  // namespace accel::runtime
