// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each buffer keeps for later steps, and a replay that finds reads of what
// nothing has written in the same call.
#include "runtime/plan/verify/verify_evaluation.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/verify/interval_map.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kRemedy =
    "; the plan was changed or is damaged: compile the model again";

bool Measures(const FunctionView& function) {
  return function.role() == planpb::FUNCTION_EVALUATE ||
         function.role() == planpb::FUNCTION_INFER;
}

// Of a state that each step makes anew.
bool IsSum(planpb::State::Kind kind) {
  return kind == planpb::State::KIND_ACCUMULATOR ||
         kind == planpb::State::KIND_PARTIAL;
}

// What a buffer is to the steps of a run.
struct Meaning {
  std::string kept;          // from one step to the next, for people
  bool has_content = false;  // beyond an instruction, kept or not
};

// By buffer.
std::vector<Meaning> MeaningsOf(const PlanView& plan) {
  const planpb::Manifest& manifest = plan.manifest();
  std::vector<Meaning> meanings;
  for (const planpb::Buffer& buffer : manifest.buffers()) {
    meanings.emplace_back().has_content =
        buffer.region() != planpb::REGION_TRANSIENT &&
        buffer.memory_class() != planpb::CLASS_WORKSPACE;
  }
  for (const planpb::Metric& metric : manifest.metrics()) {
    meanings[metric.buffer()].has_content = true;
  }
  for (const planpb::State& state : manifest.states()) {
    Meaning& meaning = meanings[state.buffer()];
    meaning.has_content = true;
    if (!IsSum(state.kind())) {
      meaning.kept = absl::StrCat("state '", state.name(), "'");
    }
  }
  for (const planpb::Tensor& input : manifest.inputs()) {
    if (input.buffer_plus_one() != 0) {
      meanings[input.buffer_plus_one() - 1].kept =
          absl::StrCat("input '", input.name(), "'");
    }
  }
  for (const planpb::Hyperparameter& hyper : manifest.hyperparameters()) {
    meanings[hyper.buffer()].kept =
        absl::StrCat("hyperparameter '", hyper.name(), "'");
  }
  for (const planpb::Bucket& bucket : manifest.buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        meanings[slot.buffer()].kept =
            absl::StrCat("the ", slot.name(), " of segment '", bucket.name(),
                         ".", segment.name(), "'");
      }
    }
  }
  return meanings;
}

// Of one call of a function: refuses a read of watched bytes that come from an
// earlier call.
class FreshnessCheck {
 public:
  FreshnessCheck(const PlanView& plan, const FunctionView& function,
                 const MemoryLayout& layout,
                 const std::vector<const planpb::Instruction*>& writers,
                 const FunctionView& measuring)
      : plan_(plan),
        function_(function),
        layout_(layout),
        writers_(writers),
        measuring_(measuring) {}

  absl::Status Run() {
    uint64_t copies = 1;
    for (const planpb::Buffer& buffer : plan_.manifest().buffers()) {
      copies = std::max<uint64_t>(copies, buffer.copies());
    }
    return function_.Walk(copies + 1, [this](const Instance& instance) {
      return Step(instance);
    });
  }

 private:
  absl::Status Step(const Instance& instance) {
    const auto& accesses = instance.instruction->accesses();
    for (const planpb::Access& access : accesses) {
      if (writers_[access.buffer()] != nullptr &&
          access.mode() != planpb::Access::MODE_WRITE) {
        RETURN_IF_ERROR(CheckRead(instance, access));
      }
    }
    for (const planpb::Access& access : accesses) {
      if (writers_[access.buffer()] != nullptr &&
          access.mode() != planpb::Access::MODE_READ) {
        const ByteRange range = layout_.RangeOf(access, instance.iteration);
        written_[range.space - 1].Assign(range.begin, range.end, true);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRead(const Instance& instance,
                         const planpb::Access& access) {
    const ByteRange range = layout_.RangeOf(access, instance.iteration);
    bool is_fresh = true;
    written_[range.space - 1].Update(
        range.begin, range.end,
        [&](bool is_written) { is_fresh = is_fresh && is_written; });
    if (is_fresh) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        plan_.Describe(function_, *instance.instruction), " reads buffer '",
        plan_.buffer(access.buffer()).name(), "' before '", function_.name(),
        "' has written it, and finds what ",
        plan_.Describe(measuring_, *writers_[access.buffer()]),
        " has left there", kRemedy));
  }

  const PlanView& plan_;
  const FunctionView& function_;
  const MemoryLayout& layout_;
  // By buffer, one that writes it in the measuring function; null: none.
  const std::vector<const planpb::Instruction*>& writers_;
  const FunctionView& measuring_;
  std::array<IntervalMap<bool>, kSpaces> written_;
};

absl::Status VerifyMeasuring(const PlanView& plan, const FunctionView& function,
                             const MemoryLayout& layout,
                             const std::vector<Meaning>& meanings) {
  std::vector<const planpb::Instruction*> writers(meanings.size());
  for (const planpb::Instruction& instruction : function.instructions()) {
    for (const planpb::Access& access : instruction.accesses()) {
      if (access.mode() == planpb::Access::MODE_READ) {
        continue;
      }
      const Meaning& meaning = meanings[access.buffer()];
      if (!meaning.kept.empty()) {
        return absl::FailedPreconditionError(absl::StrCat(
            plan.Describe(function, instruction), " writes buffer '",
            plan.buffer(access.buffer()).name(), "', ", meaning.kept,
            ": expected a function to ", RoleName(function.role()),
            " to leave what steps keep as it is", kRemedy));
      }
      if (meaning.has_content) {
        writers[access.buffer()] = &instruction;
      }
    }
  }
  for (const FunctionView& other : plan.functions()) {
    if (&other == &function || other.role() == planpb::FUNCTION_STEP) {
      RETURN_IF_ERROR(
          FreshnessCheck(plan, other, layout, writers, function).Run());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyEvaluation(const PlanView& plan,
                              const MemoryLayout& layout) {
  const std::vector<Meaning> meanings = MeaningsOf(plan);
  for (const FunctionView& function : plan.functions()) {
    if (Measures(function)) {
      RETURN_IF_ERROR(VerifyMeasuring(plan, function, layout, meanings));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
