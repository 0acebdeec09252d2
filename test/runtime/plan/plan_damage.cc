// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages a compiled plan in every way that must be noticed, one at a time, and
// asks the verifier: plan-damage-test schedule|memory PLAN [MOVES-PER-BUFFER],
// plan-damage-test launches PLAN [RANKS], plan-damage-test launch-part PLAN
// OUT, plan-damage-test evaluation PLAN, plan-damage-test evaluation-trains
// PLAN OUT. Ends with status 1 and the first damage that was not noticed, or
// not named.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/plan_view.h"
#include "runtime/plan/verify/verify_launches.h"
#include "runtime/plan/verify/verify_memory.h"
#include "runtime/plan/verify/verify_schedule.h"
#include "test/runtime/plan/evaluation_damage.h"
#include "test/runtime/plan/launch_damage.h"
#include "test/runtime/plan/plan_program.h"

namespace accel::testing {
namespace {

using runtime::FunctionView;
using runtime::MemoryLayout;
using runtime::PlanView;
using runtime::RankBinding;

using Verifier = absl::Status (*)(const PlanView&, const MemoryLayout&);

PlanView ViewOf(const Program& program) {
  auto view = PlanView::Create(program.manifest, program.functions);
  if (!view.ok()) {
    Fail(view.status().ToString());
  }
  return *std::move(view);
}

absl::Status Verify(const Program& program, Verifier verifier) {
  const PlanView view = ViewOf(program);
  const auto layout = MemoryLayout::Create(view, RankBinding());
  return layout.ok() ? verifier(view, *layout) : layout.status();
}

// ------------------------------------------------------------------- schedule

std::string StreamName(const Program& program, uint32_t stream) {
  return program.manifest.streams(static_cast<int>(stream)).name();
}

// The refusal names an instruction of each of the two streams.
void ExpectRace(const Program& program, const std::string& function,
                const std::string& signal_stream,
                const std::string& wait_stream, const std::string& what) {
  const absl::Status status = Verify(program, runtime::VerifySchedule);
  const std::string instruction =
      absl::StrCat("instruction \\d+ of '", function, "' \\([^)]*, stream '");
  const std::regex expected(absl::StrCat(
      "nothing orders ", instruction, signal_stream, "'\\) before ",
      instruction, wait_stream, "'\\), though both touch buffer '[^']+'.*"));
  if (!std::regex_match(std::string(status.message()), expected)) {
    Fail(absl::StrCat(what, " of '", function,
                      "' removed: ", status.ToString()));
  }
}

void RemoveWait(const Program& good, size_t f, size_t id, int wait) {
  Program program = good;
  const planpb::Instruction& waiter = good.functions[f][id];
  program.functions[f][id].mutable_waits()->DeleteSubrange(wait, 1);
  const uint32_t event = waiter.waits(wait).event();
  const auto& instructions = good.functions[f];
  const auto signaller = std::find_if(
      instructions.begin(), instructions.end(), [&](const auto& i) {
        return std::find(i.signals().begin(), i.signals().end(), event) !=
               i.signals().end();
      });
  ExpectRace(program, good.manifest.functions(static_cast<int>(f)).name(),
             StreamName(good, signaller->stream()),
             StreamName(good, waiter.stream()),
             absl::StrCat("wait ", wait, " of instruction ", id));
}

// The signal, all waits for it, and its number.
void RemoveEvent(const Program& good, size_t f, uint32_t event) {
  Program program = good;
  planpb::Function* function =
      program.manifest.mutable_functions(static_cast<int>(f));
  function->set_events(function->events() - 1);
  std::string signal_stream;
  std::string wait_stream;
  for (planpb::Instruction& instruction : program.functions[f]) {
    const planpb::Instruction before = instruction;
    instruction.clear_signals();
    instruction.clear_waits();
    for (const uint32_t signal : before.signals()) {
      if (signal == event) {
        signal_stream = StreamName(good, before.stream());
      } else {
        instruction.add_signals(signal - (signal > event ? 1 : 0));
      }
    }
    for (planpb::Wait wait : before.waits()) {
      if (wait.event() == event) {
        wait_stream = StreamName(good, before.stream());
      } else {
        wait.set_event(wait.event() - (wait.event() > event ? 1 : 0));
        *instruction.add_waits() = wait;
      }
    }
  }
  ExpectRace(program, function->name(), signal_stream, wait_stream,
             absl::StrCat("event ", event));
}

// A signal alone: those who wait for it would wait for ever.
void RemoveSignal(const Program& good, size_t f, size_t id, int signal) {
  Program program = good;
  auto* signals = program.functions[f][id].mutable_signals();
  signals->erase(signals->begin() + signal);
  const auto view = PlanView::Create(program.manifest, program.functions);
  const std::string expected = absl::StrCat(
      "expected one signal for each of ",
      good.manifest.functions(static_cast<int>(f)).events(), " events");
  if (view.ok() ||
      view.status().message().find(expected) == std::string::npos) {
    Fail(absl::StrCat("signal ", signal, " of instruction ", id,
                      " removed: ", view.status().ToString()));
  }
}

void DamageSchedule(const Program& good) {
  for (size_t f = 0; f < good.functions.size(); ++f) {
    const auto& function = good.manifest.functions(static_cast<int>(f));
    int waits = 0;
    int signals = 0;
    for (size_t id = 0; id < good.functions[f].size(); ++id) {
      const planpb::Instruction& instruction = good.functions[f][id];
      for (int i = 0; i < instruction.waits_size(); ++i, ++waits) {
        RemoveWait(good, f, id, i);
      }
      for (int i = 0; i < instruction.signals_size(); ++i, ++signals) {
        RemoveSignal(good, f, id, i);
      }
    }
    for (uint32_t event = 0; event < function.events(); ++event) {
      RemoveEvent(good, f, event);
    }
    std::cout << function.name() << ": " << good.functions[f].size()
              << " instructions, " << function.events() << " events, "
              << signals << " signals, " << waits
              << " waits: each is missed when it is removed\n";
  }
}

// --------------------------------------------------------------------- memory

// What one execution of an instruction does to a buffer.
struct Use {
  size_t time = 0;
  bool reads = false;
  bool writes = false;
};

// The uses of every transient buffer by one function, in the order of time.
using Uses = std::vector<std::vector<Use>>;

Uses UsesOf(const PlanView& view, const FunctionView& function) {
  // Three iterations: what an iteration leaves to the next one is among them.
  constexpr uint64_t kRounds = 3;
  Uses uses(view.manifest().buffers_size());
  size_t time = 0;
  const absl::Status walked =
      function.Walk(kRounds, [&](const runtime::Instance& instance) {
        ++time;
        for (const planpb::Access& access : instance.instruction->accesses()) {
          const planpb::Buffer& buffer = view.buffer(access.buffer());
          if (buffer.region() != planpb::REGION_TRANSIENT) {
            continue;
          }
          if (buffer.copies() > 1) {
            Fail(absl::StrCat("'", buffer.name(), "' has several copies"));
          }
          uses[access.buffer()].push_back(
              {time, access.mode() != planpb::Access::MODE_WRITE,
               access.mode() != planpb::Access::MODE_READ});
        }
        return absl::OkStatus();
      });
  if (!walked.ok()) {
    Fail(walked.ToString());
  }
  return uses;
}

// Whether a write at `time` by another buffer on the same bytes would be seen:
// by the same instruction, or by a read before the next write.
bool IsNeeded(const std::vector<Use>& uses, size_t time) {
  bool written = false;
  for (const Use& use : uses) {
    if (use.time < time) {
      written = written || use.writes;
    } else if (use.time == time || (use.reads && written)) {
      return true;
    } else if (use.writes) {
      return false;
    }
  }
  return false;
}

bool Conflict(const std::vector<Use>& a, const std::vector<Use>& b) {
  const auto disturbs = [](const std::vector<Use>& writer,
                           const std::vector<Use>& other) {
    return std::any_of(writer.begin(), writer.end(), [&](const Use& use) {
      return use.writes && IsNeeded(other, use.time);
    });
  };
  return disturbs(a, b) || disturbs(b, a);
}

class MemoryDamage {
 public:
  explicit MemoryDamage(const Program& good)
      : good_(good), view_(ViewOf(good)) {
    for (const FunctionView& function : view_.functions()) {
      uses_.push_back(UsesOf(view_, function));
    }
  }

  // Moves every transient buffer onto others, onto at most `limit` places.
  void Run(size_t limit) {
    for (int b = 0; b < good_.manifest.buffers_size(); ++b) {
      if (good_.manifest.buffers(b).region() != planpb::REGION_TRANSIENT) {
        continue;
      }
      ++buffers_;
      const std::vector<uint64_t> places = PlacesFor(b);
      const size_t step = std::max<size_t>(1, places.size() / limit);
      for (size_t i = b % step; i < places.size(); i += step) {
        Move(b, places[i]);
      }
    }
    std::cout << buffers_ << " buffers: " << refused_
              << " moves refused, both buffers named; " << accepted_
              << " that harm nothing accepted\n";
  }

 private:
  static uint64_t BytesOf(const planpb::Buffer& buffer) {
    const auto bytes = runtime::EvaluateSize(buffer.bytes(), RankBinding());
    return bytes.ok() ? *bytes : 0;
  }

  // Where other buffers begin, and the last line that they touch.
  std::vector<uint64_t> PlacesFor(int moved) const {
    const planpb::Buffer& buffer = good_.manifest.buffers(moved);
    uint64_t room = 0;
    for (const planpb::Arena& arena : good_.manifest.arenas()) {
      room = arena.space() == buffer.space() ? arena.bytes() : room;
    }
    std::set<uint64_t> places;
    for (const planpb::Buffer& other : good_.manifest.buffers()) {
      if (other.region() == planpb::REGION_TRANSIENT && BytesOf(other) > 0) {
        const uint64_t last = other.offset() + BytesOf(other) - 1;
        places.insert(other.offset() / buffer.alignment() * buffer.alignment());
        places.insert(last / buffer.alignment() * buffer.alignment());
      }
    }
    places.erase(buffer.offset());
    std::erase_if(
        places, [&](uint64_t place) { return place + BytesOf(buffer) > room; });
    return {places.begin(), places.end()};
  }

  // Names of the buffers that the moved one would disturb, or they it.
  std::set<std::string> Disturbed(int moved, uint64_t offset) const {
    const uint64_t end = offset + BytesOf(good_.manifest.buffers(moved));
    std::set<std::string> names;
    for (int i = 0; i < good_.manifest.buffers_size(); ++i) {
      const planpb::Buffer& other = good_.manifest.buffers(i);
      if (i == moved || other.region() != planpb::REGION_TRANSIENT ||
          other.offset() >= end || other.offset() + BytesOf(other) <= offset) {
        continue;
      }
      for (const Uses& uses : uses_) {
        if (Conflict(uses[moved], uses[i])) {
          names.insert(other.name());
        }
      }
    }
    return names;
  }

  void Move(int moved, uint64_t offset) {
    const std::string& name = good_.manifest.buffers(moved).name();
    const std::set<std::string> disturbed = Disturbed(moved, offset);
    Program program = good_;
    program.manifest.mutable_buffers(moved)->set_offset(offset);
    const absl::Status status = Verify(program, runtime::VerifyMemory);
    const std::string what =
        absl::StrCat("buffer '", name, "' moved to ", offset, ": ");
    if (disturbed.empty() != status.ok()) {
      Fail(absl::StrCat(what, "expected ", disturbed.empty() ? "no" : "a",
                        " conflict, got ", status.ToString()));
    }
    if (status.ok()) {
      ++accepted_;
      return;
    }
    ++refused_;
    const std::string message(status.message());
    const bool both =
        message.find(absl::StrCat("buffer '", name, "'")) !=
            std::string::npos &&
        std::any_of(disturbed.begin(), disturbed.end(), [&](const auto& other) {
          return message.find(absl::StrCat("buffer '", other, "'")) !=
                 std::string::npos;
        });
    if (!both) {
      Fail(absl::StrCat(what, "the message names not both: ", message));
    }
  }

  const Program& good_;
  const PlanView view_;
  std::vector<Uses> uses_;  // per function
  int buffers_ = 0;
  int refused_ = 0;
  int accepted_ = 0;
};

Program ReadGood(const std::string& path) {
  auto program = ReadProgram(path);
  if (!program.ok()) {
    Fail(program.status().ToString());
  }
  for (const Verifier verifier :
       {Verifier{runtime::VerifyLaunches}, Verifier{runtime::VerifySchedule},
        Verifier{runtime::VerifyMemory}}) {
    if (const absl::Status status = Verify(*program, verifier); !status.ok()) {
      Fail(absl::StrCat("the plan itself: ", status.ToString()));
    }
  }
  return *std::move(program);
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    Fail(
        "usage: plan-damage-test schedule|memory PLAN [MOVES-PER-BUFFER], "
        "launches PLAN [RANKS], launch-part PLAN OUT, evaluation PLAN, "
        "evaluation-trains PLAN OUT");
  }
  const Program good = ReadGood(arguments[1]);
  const std::string more = arguments.size() > 2 ? arguments[2] : "";
  if (arguments[0] == "schedule") {
    DamageSchedule(good);
  } else if (arguments[0] == "launches") {
    DamageLaunches(good, more.empty() ? 1 : std::stoul(more));
  } else if (arguments[0] == "launch-part") {
    WriteLaunchPart(good, more);
  } else if (arguments[0] == "evaluation") {
    DamageEvaluation(good);
  } else if (arguments[0] == "evaluation-trains") {
    WriteEvaluationThatTrains(good, more);
  } else {
    MemoryDamage(good).Run(more.empty() ? SIZE_MAX : std::stoul(more));
  }
  return 0;
}

}  // namespace
}  // namespace accel::testing

int main(int argc, char** argv) {
  return accel::testing::Main({argv + 1, argv + argc});
}
