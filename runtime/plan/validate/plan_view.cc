// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions unrolled, events resolved; the checks of the messages themselves
// lie in validate_manifest.cc and validate_instructions.cc.
#include "runtime/plan/validate/plan_view.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/schema/visitor.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

constexpr uint32_t kNoSignaller = UINT32_MAX;

absl::Status AtInstruction(uint32_t id, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("instruction ", id, ": ", message));
}

}  // namespace

FunctionView::FunctionView(const planpb::Function& function,
                           std::vector<planpb::Instruction> instructions)
    : function_(&function), instructions_(std::move(instructions)) {}

absl::StatusOr<FunctionView> FunctionView::Create(
    const planpb::Function& function,
    std::vector<planpb::Instruction> instructions) {
  FunctionView view(function, std::move(instructions));
  RETURN_IF_ERROR(view.FindRepeats());
  RETURN_IF_ERROR(view.FindSignallers());
  RETURN_IF_ERROR(view.CheckWaits());
  return view;
}

absl::Status FunctionView::FindRepeats() {
  repeat_plus_one_.assign(instructions_.size(), 0);
  for (uint32_t id = 0; id < instructions_.size(); ++id) {
    const planpb::Instruction& instruction = instructions_[id];
    if (instruction.id() != id) {
      return AtInstruction(
          id, absl::StrCat("expected id ", id, ", got ", instruction.id()));
    }
    if (!instruction.has_repeat()) {
      continue;
    }
    const uint32_t last = instruction.repeat().last();
    if (last <= id || last >= instructions_.size()) {
      return AtInstruction(id,
                           absl::StrCat("a repeat up to ", last, " of ",
                                        instructions_.size(), " instructions"));
    }
    if (repeat_plus_one_[id] != 0) {
      return AtInstruction(id, "repeats do not nest");
    }
    for (uint32_t i = id + 1; i <= last; ++i) {
      repeat_plus_one_[i] = id + 1;
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionView::FindSignallers() {
  uint64_t signals = 0;
  for (const auto& instruction : instructions_) {
    signals += instruction.signals_size();
  }
  if (function_->events() != signals) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected one signal for each of ", function_->events(),
                     " events, got ", signals));
  }
  signallers_.assign(function_->events(), kNoSignaller);
  for (const auto& instruction : instructions_) {
    for (const uint32_t event : instruction.signals()) {
      if (event >= signallers_.size()) {
        return AtInstruction(
            instruction.id(),
            absl::StrCat("signals event ", event, " of ", signallers_.size()));
      }
      if (signallers_[event] != kNoSignaller) {
        return AtInstruction(
            instruction.id(),
            absl::StrCat("signals event ", event, ", as instruction ",
                         signallers_[event], " does"));
      }
      signallers_[event] = instruction.id();
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionView::CheckWaits() const {
  for (const auto& instruction : instructions_) {
    const uint32_t id = instruction.id();
    for (const planpb::Wait& wait : instruction.waits()) {
      if (wait.event() >= signallers_.size()) {
        return AtInstruction(id, absl::StrCat("waits for event ", wait.event(),
                                              " of ", signallers_.size()));
      }
      const uint32_t signaller = signallers_[wait.event()];
      const bool together = repeat_plus_one_[id] != 0 &&
                            repeat_plus_one_[id] == repeat_plus_one_[signaller];
      if (wait.distance() > 0 && !together) {
        return AtInstruction(
            id, absl::StrCat("waits for event ", wait.event(), " at distance ",
                             wait.distance(),
                             " of an instruction in another repeat"));
      }
      if (signaller >= id && wait.distance() == 0) {
        return AtInstruction(
            id, absl::StrCat("waits for event ", wait.event(),
                             ", which instruction ", signaller,
                             " signals later: the wait would never end"));
      }
    }
  }
  return absl::OkStatus();
}

std::optional<uint32_t> FunctionView::RepeatOf(uint32_t id) const {
  if (repeat_plus_one_[id] == 0) {
    return std::nullopt;
  }
  return repeat_plus_one_[id] - 1;
}

uint64_t FunctionView::RequiredCount(const planpb::Wait& wait, uint32_t waiter,
                                     uint64_t iteration,
                                     uint64_t repetitions) const {
  const uint32_t signaller_repeat = repeat_plus_one_[signallers_[wait.event()]];
  if (signaller_repeat == 0) {
    return 1;
  }
  if (signaller_repeat != repeat_plus_one_[waiter]) {
    return repetitions;
  }
  const uint64_t own = iteration + 1;
  return own > wait.distance() ? own - wait.distance() : 0;
}

absl::Status FunctionView::Walk(
    uint64_t repetitions,
    absl::FunctionRef<absl::Status(const Instance&)> visit) const {
  for (uint32_t id = 0; id < instructions_.size(); ++id) {
    if (!instructions_[id].has_repeat()) {
      RETURN_IF_ERROR(visit({&instructions_[id], 0}));
      continue;
    }
    const uint32_t last = instructions_[id].repeat().last();
    for (uint64_t iteration = 0; iteration < repetitions; ++iteration) {
      for (uint32_t inner = id + 1; inner <= last; ++inner) {
        RETURN_IF_ERROR(visit({&instructions_[inner], iteration}));
      }
    }
    id = last;
  }
  return absl::OkStatus();
}

namespace {

// A metric that no instruction hands out would be no number. Those that every
// run shows are the step's.
absl::Status CheckMetricsAreReported(const PlanView& plan) {
  std::vector<bool> anywhere(plan.manifest().metrics_size());
  std::vector<bool> in_step = anywhere;
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      if (instruction.has_metric()) {
        const uint32_t metric = instruction.metric().metric();
        anywhere[metric] = true;
        in_step[metric] =
            in_step[metric] || function.role() == planpb::FUNCTION_STEP;
      }
    }
  }
  for (int i = 0; i < plan.manifest().metrics_size(); ++i) {
    const std::string& name = plan.manifest().metrics(i).name();
    const bool is_shown = std::find(kStepMetrics.begin(), kStepMetrics.end(),
                                    name) != kStepMetrics.end();
    if (!(is_shown ? in_step[i] : anywhere[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat(is_shown ? "function to step: " : "",
                       "no instruction reports metric '", name, "'"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

PlanView::PlanView(planpb::Manifest manifest)
    : manifest_(std::make_unique<planpb::Manifest>(std::move(manifest))) {}

absl::StatusOr<PlanView> PlanView::Create(
    planpb::Manifest manifest,
    std::vector<std::vector<planpb::Instruction>> instructions) {
  PlanView plan(std::move(manifest));
  RETURN_IF_ERROR(ValidateManifest(plan.manifest()));
  if (instructions.size() !=
      static_cast<size_t>(plan.manifest().functions_size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected the instructions of ", plan.manifest().functions_size(),
        " functions, got ", instructions.size()));
  }
  for (size_t i = 0; i < instructions.size(); ++i) {
    const planpb::Function& function =
        plan.manifest().functions(static_cast<int>(i));
    const std::string context =
        absl::StrCat("function '", function.name(), "'");
    auto view = FunctionView::Create(function, std::move(instructions[i]));
    if (!view.ok()) {
      return Annotate(view.status(), context);
    }
    plan.functions_.push_back(*std::move(view));
    RETURN_IF_ERROR(
        Annotate(ValidateInstructions(plan.manifest(), plan.functions_.back()),
                 context));
  }
  RETURN_IF_ERROR(CheckMetricsAreReported(plan));
  return plan;
}

const FunctionView* PlanView::FindFunction(planpb::FunctionRole role,
                                           const RankBinding& rank) const {
  for (const FunctionView& function : functions_) {
    const bool is_of_rank = std::ranges::all_of(
        function.function().coordinates(),
        [&](const planpb::AxisCoordinate& at) {
          return rank.coordinate(at.axis()) == at.coordinate();
        });
    if (function.role() == role && is_of_rank) {
      return &function;
    }
  }
  return nullptr;
}

const FunctionView& PlanView::MainFunction() const {
  const FunctionView* step = FindFunction(planpb::FUNCTION_STEP);
  return step != nullptr ? *step : *FindFunction(planpb::FUNCTION_INFER);
}

const FunctionView* PlanView::FindFunctionNamed(absl::string_view name) const {
  for (const FunctionView& function : functions_) {
    if (function.name() == name) {
      return &function;
    }
  }
  return nullptr;
}

std::optional<uint32_t> PlanView::FindMetric(absl::string_view name) const {
  for (int i = 0; i < manifest_->metrics_size(); ++i) {
    if (manifest_->metrics(i).name() == name) {
      return static_cast<uint32_t>(i);
    }
  }
  return std::nullopt;
}

uint32_t PlanView::MostArguments() const {
  uint32_t most = 0;
  for (const planpb::Kernel& kernel : manifest_->kernels()) {
    most = std::max(most, kernel.arity());
  }
  return most;
}

std::string PlanView::Describe(const FunctionView& function,
                               const planpb::Instruction& instruction) const {
  std::string text =
      absl::StrCat("instruction ", instruction.id(), " of '", function.name(),
                   "' (", InstructionKind(instruction));
  if (!instruction.name().empty()) {
    absl::StrAppend(&text, " '", instruction.name(), "'");
  }
  absl::StrAppend(&text, ", stream '",
                  manifest_->streams(instruction.stream()).name(), "')");
  return text;
}

}  // namespace accel::runtime
