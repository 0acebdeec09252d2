// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills at the end of the function, and sums that are added to what was there.
#include "test/runtime/plan/evaluation_damage.h"

#include <iostream>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/verify/verify_evaluation.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Instruction;
using runtime::MemoryLayout;
using runtime::PlanView;
using runtime::RankBinding;

absl::Status Verify(const Program& program) {
  const auto view = PlanView::Create(program.manifest, program.functions);
  if (!view.ok()) {
    Fail(view.status().ToString());
  }
  const auto layout = MemoryLayout::Create(*view, RankBinding());
  if (!layout.ok()) {
    Fail(layout.status().ToString());
  }
  return runtime::VerifyEvaluation(*view, *layout);
}

int FunctionOf(const Program& program, planpb::FunctionRole role) {
  for (int f = 0; f < program.manifest.functions_size(); ++f) {
    if (program.manifest.functions(f).role() == role) {
      return f;
    }
  }
  Fail("the plan has no function to evaluate");
}

// As docs/plan-format.md has it.
std::set<uint32_t> KeptBuffers(const planpb::Manifest& manifest) {
  std::set<uint32_t> kept;
  for (const planpb::Bucket& bucket : manifest.buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        kept.insert(slot.buffer());
      }
    }
  }
  for (const planpb::Hyperparameter& hyper : manifest.hyperparameters()) {
    kept.insert(hyper.buffer());
  }
  for (const planpb::State& state : manifest.states()) {
    if (state.kind() == planpb::State::KIND_COUNTER ||
        state.kind() == planpb::State::KIND_SCALE) {
      kept.insert(state.buffer());
    }
  }
  return kept;
}

// With an evaluation that ends by writing zeros into the buffer.
Program Spoiled(const Program& good, uint32_t buffer) {
  Program program = good;
  const int f = FunctionOf(good, planpb::FUNCTION_EVALUATE);
  auto& instructions = program.functions[f];
  Instruction& spoil = instructions.emplace_back();
  spoil.set_id(static_cast<uint32_t>(instructions.size() - 1));
  spoil.set_name("spoil");
  spoil.set_phase(planpb::PHASE_REPORT);
  Access* access = spoil.add_accesses();
  access->set_buffer(buffer);
  access->set_mode(Access::MODE_WRITE);
  spoil.mutable_fill();
  program.manifest.mutable_functions(f)->set_instructions(
      static_cast<uint32_t>(instructions.size()));
  return program;
}

void ExpectRefused(const Program& program, const std::string& instruction,
                   const std::string& buffer) {
  const absl::Status status = Verify(program);
  const std::string message(status.message());
  if (status.code() != absl::StatusCode::kFailedPrecondition ||
      !absl::StrContains(message, instruction) ||
      !absl::StrContains(message, absl::StrCat("buffer '", buffer, "'"))) {
    Fail(absl::StrCat(instruction, ", ", buffer,
                      ": expected a refusal that names both, got ",
                      status.ToString()));
  }
}

// The first instruction of the role that writes the buffer reads it, too.
void ExpectStaleSumRefused(const Program& good, planpb::FunctionRole role,
                           uint32_t buffer) {
  Program program = good;
  const int f = FunctionOf(good, role);
  for (Instruction& instruction : program.functions[f]) {
    for (Access& access : *instruction.mutable_accesses()) {
      if (access.buffer() == buffer) {
        access.set_mode(Access::MODE_READ_WRITE);
        ExpectRefused(program,
                      absl::StrCat("instruction ", instruction.id(), " of '",
                                   good.manifest.functions(f).name(), "'"),
                      good.manifest.buffers(static_cast<int>(buffer)).name());
        return;
      }
    }
  }
  Fail(absl::StrCat("no use of buffer ", buffer));
}

}  // namespace

void DamageEvaluation(const Program& good) {
  if (const absl::Status status = Verify(good); !status.ok()) {
    Fail(absl::StrCat("the plan itself: ", status.ToString()));
  }
  const std::set<uint32_t> kept = KeptBuffers(good.manifest);
  for (const uint32_t buffer : kept) {
    ExpectRefused(Spoiled(good, buffer), "'spoil'",
                  good.manifest.buffers(static_cast<int>(buffer)).name());
  }
  int written_anew = 0;
  for (const planpb::Metric& metric : good.manifest.metrics()) {
    if (kept.contains(metric.buffer())) {
      continue;
    }
    ++written_anew;
    const absl::Status status = Verify(Spoiled(good, metric.buffer()));
    if (!status.ok()) {
      Fail(absl::StrCat("metric '", metric.name(), "': ", status.ToString()));
    }
  }
  int sums = 0;
  for (const planpb::State& state : good.manifest.states()) {
    if (state.name() == "loss_sum" || state.name() == "target_count") {
      ++sums;
      ExpectStaleSumRefused(good, planpb::FUNCTION_STEP, state.buffer());
      ExpectStaleSumRefused(good, planpb::FUNCTION_EVALUATE, state.buffer());
    }
  }
  std::cout << "evaluation: writes of " << kept.size() << " buffers and "
            << 2 * sums << " uses of stale sums refused, "
            << "the instruction and the buffer named; writes of "
            << written_anew << " metrics accepted\n";
}

void WriteEvaluationThatTrains(const Program& good, const std::string& path) {
  const Program program =
      Spoiled(good, good.manifest.buckets(0).segments(0).slots(0).buffer());
  if (const absl::Status status = WriteProgram(program, path); !status.ok()) {
    Fail(status.ToString());
  }
}

}  // namespace accel::testing
