// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events per stream, and their JSON.
#include "runtime/executor/trace_recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "runtime/io/atomic_file.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/report/trace_format.h"

namespace accel::runtime {
namespace {

int64_t Nanoseconds(TraceRecorder::Clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

// The format's unit, exact to the nanosecond.
std::string Microseconds(int64_t ns) {
  return absl::StrFormat("%d.%03d", ns / 1000, ns % 1000);
}

std::string Quoted(absl::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// ,"node":"...","module":"...","line":"train.py:12"
std::string SourceArgs(const planpb::Source& source) {
  std::string args;
  if (!source.node().empty()) {
    absl::StrAppend(&args, ",\"node\":", Quoted(source.node()));
  }
  if (!source.scope().empty()) {
    absl::StrAppend(&args, ",\"module\":", Quoted(source.scope()));
  }
  if (!source.file().empty()) {
    absl::StrAppend(&args, ",\"line\":",
                    Quoted(absl::StrCat(source.file(), ":", source.line())));
  }
  return args;
}

// The name of a row: {"name":"process_name","ph":"M",...}.
std::string NameJson(absl::string_view kind, uint64_t process, uint64_t thread,
                     absl::string_view name) {
  return absl::StrCat("{\"name\":\"", kind, "\",\"ph\":\"M\",\"pid\":", process,
                      ",\"tid\":", thread, ",\"args\":{\"name\":", Quoted(name),
                      "}}");
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

// ,"flops_per_second":...,"bytes_per_second":...,"roofline_us":...,"roofline_share":...
std::string TraceRecorder::RatesJson(const Event& event,
                                     const InstructionCost& cost) const {
  const int64_t ns = event.end_ns - event.begin_ns;
  if (!facts_.roofline || ns <= 0) {
    return "";
  }
  const double seconds = static_cast<double>(ns) * 1e-9;
  std::string args =
      absl::StrFormat(",\"flops_per_second\":%.6g,\"bytes_per_second\":%.6g",
                      static_cast<double>(cost.flops) / seconds,
                      static_cast<double>(cost.bytes) / seconds);
  if (HasRoofline(*event.instruction)) {
    const double roofline = facts_.roofline->Seconds(cost.flops, cost.bytes);
    absl::StrAppendFormat(&args,
                          ",\"roofline_us\":%.6g,\"roofline_share\":%.6g",
                          roofline * 1e6, roofline / seconds);
  }
  return args;
}

std::string TraceRecorder::EventJson(uint64_t rank, const Event& event) const {
  const planpb::Instruction& instruction = *event.instruction;
  const InstructionCost cost =
      CostOf(plan_, instruction, binding_.OfRank(rank));
  std::string source;
  if (instruction.source_plus_one() != 0) {
    source = SourceArgs(plan_.manifest().sources(
        static_cast<int>(instruction.source_plus_one() - 1)));
  }
  const std::string phase = PhaseName(instruction.phase());
  return absl::StrCat(
      "{\"name\":", Quoted(instruction.name()), ",\"cat\":\"", phase,
      "\",\"ph\":\"X\",\"ts\":", Microseconds(event.begin_ns),
      ",\"dur\":", Microseconds(event.end_ns - event.begin_ns),
      ",\"pid\":", rank, ",\"tid\":", instruction.stream(),
      ",\"args\":{\"instruction\":", instruction.id(),
      ",\"step\":", event.step + 1, ",\"microbatch\":", event.iteration,
      ",\"flops\":", cost.flops, ",\"bytes\":", cost.bytes,
      RatesJson(event, cost), source, "}}");
}

std::string TraceRecorder::FactsJson() const {
  std::string text = absl::StrCat(
      "{\"format\":", Quoted(kTraceFormat), ",\"version\":", kTraceVersion,
      ",\"producer\":", Quoted(facts_.producer),
      ",\"model\":", Quoted(plan_.manifest().model().name()),
      ",\"ranks\":", binding_.rank_count(), ",\"threads\":", facts_.threads);
  if (facts_.roofline) {
    absl::StrAppendFormat(
        &text,
        ",\"roofline\":{\"flops_per_second\":%.6g,\"bytes_per_second\":%.6g}",
        facts_.roofline->flops_per_second, facts_.roofline->bytes_per_second);
  }
  return absl::StrCat(text, "}");
}

absl::Status TraceRecorder::Write(Vfs& vfs, const std::string& path) const {
  std::string text =
      absl::StrCat("{\"displayTimeUnit\":\"ms\",\"otherData\":", FactsJson(),
                   ",\"traceEvents\":[");
  absl::string_view separator = "\n";
  const auto add = [&](const std::string& event) {
    absl::StrAppend(&text, separator, event);
    separator = ",\n";
  };
  for (uint64_t row = 0; row < events_.size(); ++row) {
    const uint64_t rank = row / streams_;
    const uint64_t stream = row % streams_;
    if (!HasEvents(rank)) {
      continue;
    }
    if (stream == 0) {
      add(NameJson("process_name", rank, 0, absl::StrCat("rank ", rank)));
    }
    add(NameJson("thread_name", rank, stream,
                 plan_.manifest().streams(static_cast<int>(stream)).name()));
    for (const Event& event : events_[row]) {
      add(EventJson(rank, event));
    }
  }
  absl::StrAppend(&text, "\n]}\n");
  return WriteFileAtomically(vfs, path, text);
}

}  // namespace accel::runtime
