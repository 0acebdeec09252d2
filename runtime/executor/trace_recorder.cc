// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events per stream, and their JSON.
#include "runtime/executor/trace_recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "runtime/io/atomic_file.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/report/trace_format.h"

namespace accel::runtime {
namespace {

using Json = nlohmann::ordered_json;

int64_t Nanoseconds(TraceRecorder::Clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

// The format's unit, exact to the nanosecond for a hundred days.
double Microseconds(int64_t ns) { return static_cast<double>(ns) / 1e3; }

// Six digits are all that is measured.
double Rounded(double value) {
  double rounded = 0;
  return absl::SimpleAtod(absl::StrFormat("%.6g", value), &rounded) ? rounded
                                                                    : value;
}

// "node", "module" and "line": "train.py:12", those that are known.
void AddSource(const planpb::Source& source, Json& args) {
  if (!source.node().empty()) {
    args["node"] = source.node();
  }
  if (!source.scope().empty()) {
    args["module"] = source.scope();
  }
  if (!source.file().empty()) {
    args["line"] = absl::StrCat(source.file(), ":", source.line());
  }
}

// The name of a row.
Json NameJson(absl::string_view kind, uint64_t process, uint64_t thread,
              absl::string_view name) {
  return {{"name", std::string(kind)},
          {"ph", "M"},
          {"pid", process},
          {"tid", thread},
          {"args", {{"name", std::string(name)}}}};
}

}  // namespace

TraceRecorder::TraceRecorder(const PlanView& plan, int ranks, int64_t steps,
                             TraceFacts facts)
    : plan_(plan),
      binding_(RankBinding::OfRun(plan.manifest(), 0, ranks, 1)),
      streams_(static_cast<uint64_t>(plan.manifest().streams_size())),
      steps_(steps),
      facts_(std::move(facts)),
      events_(static_cast<size_t>(ranks) * streams_) {}

void TraceRecorder::Reserve(uint64_t instances) {
  for (std::vector<Event>& stream : events_) {
    stream.reserve(instances * static_cast<uint64_t>(steps_));
  }
}

void TraceRecorder::Record(uint64_t rank,
                           const planpb::Instruction& instruction, int64_t step,
                           uint64_t iteration, Clock::time_point begin,
                           Clock::time_point end) {
  if (step >= steps_) {
    return;
  }
  events_[rank * streams_ + instruction.stream()].push_back(
      {&instruction, step, iteration, Nanoseconds(begin), Nanoseconds(end)});
}

bool TraceRecorder::HasEvents(uint64_t rank) const {
  return std::any_of(events_.begin() + rank * streams_,
                     events_.begin() + (rank + 1) * streams_,
                     [](const auto& stream) { return !stream.empty(); });
}

void TraceRecorder::AddRates(const Event& event, const InstructionCost& cost,
                             Json& args) const {
  const int64_t ns = event.end_ns - event.begin_ns;
  if (!facts_.has_rates || ns <= 0) {
    return;
  }
  const double seconds = static_cast<double>(ns) * 1e-9;
  args["flops_per_second"] = Rounded(static_cast<double>(cost.flops) / seconds);
  args["bytes_per_second"] = Rounded(static_cast<double>(cost.bytes) / seconds);
  if (facts_.roofline && HasRoofline(*event.instruction)) {
    const double roofline = facts_.roofline->Seconds(cost.flops, cost.bytes);
    args["roofline_us"] = Rounded(roofline * 1e6);
    args["roofline_share"] = Rounded(roofline / seconds);
  }
}

TraceRecorder::Json TraceRecorder::EventJson(uint64_t rank,
                                             const Event& event) const {
  const planpb::Instruction& instruction = *event.instruction;
  const InstructionCost cost =
      CostOf(plan_, instruction, binding_.OfRank(rank));
  Json args = {{"instruction", instruction.id()},
               {"step", event.step + 1},
               {"microbatch", event.iteration},
               {"flops", cost.flops},
               {"bytes", cost.bytes}};
  AddRates(event, cost, args);
  if (instruction.source_plus_one() != 0) {
    AddSource(plan_.manifest().sources(
                  static_cast<int>(instruction.source_plus_one() - 1)),
              args);
  }
  return {{"name", instruction.name()},
          {"cat", PhaseName(instruction.phase())},
          {"ph", "X"},
          {"ts", Microseconds(event.begin_ns)},
          {"dur", Microseconds(event.end_ns - event.begin_ns)},
          {"pid", rank},
          {"tid", instruction.stream()},
          {"args", std::move(args)}};
}

TraceRecorder::Json TraceRecorder::FactsJson() const {
  Json facts = {{"format", std::string(kTraceFormat)},
                {"version", kTraceVersion},
                {"producer", facts_.producer},
                {"model", plan_.manifest().model().name()},
                {"ranks", binding_.rank_count()},
                {"threads", facts_.threads}};
  if (!facts_.gpu.empty()) {
    facts["gpu"] = facts_.gpu;
  }
  if (facts_.roofline) {
    facts["roofline"] = {
        {"flops_per_second", Rounded(facts_.roofline->flops_per_second)},
        {"bytes_per_second", Rounded(facts_.roofline->bytes_per_second)}};
  }
  return facts;
}

absl::Status TraceRecorder::Write(Vfs& vfs, const std::string& path) const {
  Json events = Json::array();
  for (uint64_t row = 0; row < events_.size(); ++row) {
    const uint64_t rank = row / streams_;
    const uint64_t stream = row % streams_;
    if (!HasEvents(rank)) {
      continue;
    }
    if (stream == 0) {
      events.push_back(
          NameJson("process_name", rank, 0, absl::StrCat("rank ", rank)));
    }
    events.push_back(
        NameJson("thread_name", rank, stream,
                 plan_.manifest().streams(static_cast<int>(stream)).name()));
    for (const Event& event : events_[row]) {
      events.push_back(EventJson(rank, event));
    }
  }
  const Json trace = {{"displayTimeUnit", "ms"},
                      {"otherData", FactsJson()},
                      {"traceEvents", std::move(events)}};
  // Names are those of a model, which may hold anything.
  return WriteFileAtomically(
      vfs, path,
      trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace accel::runtime
