// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers the pieces of all steps of a run, the same on all ranks.
#include "runtime/executor/step_end.h"

#include <optional>
#include <utility>

#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// The only repeat of a function; nothing: it has none, or several.
std::optional<uint32_t> OnlyRepeat(const FunctionView& function) {
  std::optional<uint32_t> found;
  for (uint32_t id = 0; id < function.instructions().size(); ++id) {
    if (!function.instructions()[id].has_repeat()) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = id;
  }
  return found;
}

}  // namespace

StepEnd::StepEnd(std::function<bool()> wants_end, Communicator* communicator,
                 int streams, std::chrono::nanoseconds timeout)
    : wants_end_(std::move(wants_end)),
      communicator_(communicator),
      alone_(words_, {&begun_}, 0, timeout),
      views_(static_cast<size_t>(streams)) {}

bool StepEnd::CanEnd(const FunctionView& function, uint64_t iterations) const {
  return wants_end_ != nullptr && iterations > 1 &&
         OnlyRepeat(function).has_value();
}

void StepEnd::Begin(const FunctionView& function, uint64_t iterations,
                    int64_t step, bool can_end) {
  can_end_ = can_end;
  given_up_.store(false);
  if (!can_end) {
    return;
  }
  repeat_ = *OnlyRepeat(function);
  last_ = function.instructions()[repeat_].repeat().last();
  first_ = static_cast<uint64_t>(step) * (iterations + 1) + 1;
  behind_ = first_ + iterations;
}

uint64_t StepEnd::PieceOf(const Instance& instance) const {
  const uint32_t id = instance.instruction->id();
  return id < repeat_  ? first_
         : id <= last_ ? first_ + instance.iteration
                       : behind_;
}

absl::StatusOr<bool> StepEnd::LeavesOut(const Instance& instance) {
  if (!can_end_) {
    return false;
  }
  View& view = views_[instance.instruction->stream()];
  const uint64_t piece = PieceOf(instance);
  if (piece > view.begun) {
    const auto health = [this] {
      return communicator_ == nullptr ? absl::OkStatus()
                                      : communicator_->Health();
    };
    EndAgreement& agreement =
        communicator_ == nullptr ? alone_ : communicator_->end_agreement();
    // Behind the microbatches little is left to do.
    ASSIGN_OR_RETURN(
        view.end,
        agreement.Begin(piece, piece < behind_ && wants_end_(), health));
    view.begun = piece;
  }
  // Decided when a step was as good as done, it ends no step.
  const bool leaves =
      first_ < view.end && view.end < behind_ && view.end <= piece;
  if (leaves) {
    given_up_.store(true);
  }
  return leaves;
}

}  // namespace accel::runtime
