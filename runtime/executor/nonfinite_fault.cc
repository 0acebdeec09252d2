// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agreement of the ranks, and words.
#include "runtime/executor/nonfinite_fault.h"

#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {
namespace {

using Shape = google::protobuf::RepeatedField<uint64_t>;

uint64_t CountOf(const Shape& shape) {
  uint64_t count = 1;
  for (const uint64_t size : shape) {
    count *= size;
  }
  return count;
}

// "element [3, 5]" of a tensor of that shape, "element 69" of one without.
std::string ElementText(const Shape& shape, uint64_t element) {
  if (shape.empty()) {
    return absl::StrCat("element ", element);
  }
  std::vector<uint64_t> index(shape.size());
  for (int axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return absl::StrCat("element [", absl::StrJoin(index, ", "), "]");
}

// " (f32 [256, 64])"
std::string TypeText(planpb::ElementType dtype, const Shape& shape) {
  return absl::StrCat(" (", ElementTypeName(dtype), shape.empty() ? "" : " [",
                      absl::StrJoin(shape, ", "), shape.empty() ? ")" : "])");
}

const planpb::Parameter* FindParameterAt(const planpb::Manifest& manifest,
                                         const FaultPlace& place) {
  for (const planpb::Parameter& parameter : manifest.parameters()) {
    if (parameter.bucket() + 1 == place.bucket_plus_one &&
        parameter.segment() == place.segment &&
        place.element >= parameter.element_offset() &&
        place.element - parameter.element_offset() <
            CountOf(parameter.shape())) {
      return &parameter;
    }
  }
  return nullptr;
}

// "the gradient of ", where it is no master.
std::string SlotText(const planpb::Manifest& manifest,
                     const FaultPlace& place) {
  const planpb::Segment& segment =
      manifest.buckets(static_cast<int>(place.bucket_plus_one - 1))
          .segments(static_cast<int>(place.segment));
  for (const planpb::Slot& slot : segment.slots()) {
    if (slot.buffer() == place.buffer && slot.name() != "master") {
      return absl::StrCat("the ", slot.name(), " of ");
    }
  }
  return "";
}

// "; it computes node '/h/0/Softmax', module 'h.0.attn', train.py:12"
std::string SourceText(const PlanView& plan,
                       const planpb::Instruction& instruction) {
  // Data are fetched for all of the program.
  if (instruction.source_plus_one() == 0 || instruction.has_fetch()) {
    return "";
  }
  const planpb::Source& source = plan.manifest().sources(
      static_cast<int>(instruction.source_plus_one() - 1));
  std::vector<std::string> parts;
  if (!source.node().empty()) {
    parts.push_back(absl::StrCat("node '", source.node(), "'"));
  }
  if (!source.scope().empty()) {
    parts.push_back(absl::StrCat("module '", source.scope(), "'"));
  }
  if (!source.file().empty()) {
    parts.push_back(absl::StrCat(source.file(), ":", source.line()));
  }
  return parts.empty()
             ? ""
             : absl::StrCat("; it computes ", absl::StrJoin(parts, ", "));
}

// " is nan, and 3 of 256 elements are not finite"
std::string ValueText(const NonFiniteFault& fault) {
  return absl::StrCat(" is ", FormatRoundTrip(fault.value), ", and ",
                      fault.faults, " of ", fault.elements,
                      fault.kind == NonFiniteFault::kParameter
                          ? " elements of its segment are not finite"
                          : " elements are not finite");
}

std::string MicrobatchText(int64_t microbatch) {
  return microbatch == NonFiniteFault::kBehindLoop
             ? "behind the microbatches"
             : absl::StrCat("microbatch ", microbatch);
}

}  // namespace

bool NonFiniteFault::IsBefore(const NonFiniteFault& other) const {
  if (kind == kNone || other.kind == kNone) {
    return kind != kNone;
  }
  return std::tuple(microbatch, instruction, rank) <
         std::tuple(other.microbatch, other.instruction, other.rank);
}

absl::StatusOr<ReplayReport> AgreeOnReport(Communicator* communicator,
                                           const ReplayReport& own) {
  if (communicator == nullptr) {
    return own;
  }
  std::vector<ReplayReport> all(communicator->ranks());
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kU8;
  call.elements = all.size() * sizeof own;
  call.granule = sizeof own;
  call.name = "what ranks have found in a step that is not finite";
  call.input =
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&own), sizeof own);
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(all.data()),
                               all.size() * sizeof own);
  RETURN_IF_ERROR(communicator->Run(call));
  ReplayReport agreed = all.front();
  for (const ReplayReport& report : all) {
    if (report.first.IsBefore(agreed.first)) {
      agreed.first = report.first;
    }
    if (report.largest_gradient > agreed.largest_gradient) {
      agreed.largest_gradient = report.largest_gradient;
      agreed.largest_place = report.largest_place;
    }
  }
  return agreed;
}

std::string PlaceText(const PlanView& plan, const FaultPlace& place) {
  const planpb::Manifest& manifest = plan.manifest();
  const planpb::Buffer& buffer =
      plan.buffer(static_cast<uint32_t>(place.buffer));
  if (place.bucket_plus_one != 0) {
    if (const planpb::Parameter* parameter = FindParameterAt(manifest, place)) {
      return absl::StrCat(
          ElementText(parameter->shape(),
                      place.element - parameter->element_offset()),
          " of ", SlotText(manifest, place), "parameter '", parameter->name(),
          "'", TypeText(parameter->dtype(), parameter->shape()));
    }
  }
  return absl::StrCat(ElementText(buffer.shape(), place.element), " of '",
                      buffer.name(), "'",
                      TypeText(buffer.dtype(), buffer.shape()));
}

std::string FaultText(const PlanView& plan, const NonFiniteFault& fault,
                      absl::string_view row) {
  const std::string rank = absl::StrCat("rank ", fault.rank, ", ");
  if (fault.kind == NonFiniteFault::kParameter) {
    return absl::StrCat(rank, "before the step: ", PlaceText(plan, fault.place),
                        ValueText(fault));
  }
  const FunctionView& step = *plan.FindFunction(planpb::FUNCTION_STEP);
  const planpb::Instruction& instruction =
      step.instructions()[fault.instruction];
  std::string text =
      absl::StrCat(rank, MicrobatchText(fault.microbatch), ", ",
                   plan.Describe(step, instruction), ": ",
                   PlaceText(plan, fault.place), ValueText(fault));
  if (!row.empty()) {
    absl::StrAppend(&text, "; it is row ", row);
  }
  return absl::StrCat(text, SourceText(plan, instruction));
}

}  // namespace accel::runtime
