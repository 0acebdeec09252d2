// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events per lane, and their JSON.
#include "runtime/executor/trace_recorder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "runtime/io/atomic_file.h"
#include "runtime/plan/collective_bytes.h"
#include "runtime/plan/instruction_names.h"

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

TraceRecorder::TraceRecorder(const PlanView& plan, int ranks, int64_t steps)
    : plan_(plan),
      binding_(RankBinding::OfRun(plan.manifest(), 0, ranks, 1)),
      lanes_(static_cast<uint64_t>(plan.manifest().lanes_size())),
      steps_(steps),
      events_(static_cast<size_t>(ranks) * lanes_) {}

void TraceRecorder::Reserve(uint64_t instances) {
  for (std::vector<Event>& lane : events_) {
    lane.reserve(instances * static_cast<uint64_t>(steps_));
  }
}

void TraceRecorder::Record(uint64_t rank,
                           const planpb::Instruction& instruction, int64_t step,
                           uint64_t iteration, Clock::time_point begin,
                           Clock::time_point end) {
  if (step >= steps_) {
    return;
  }
  events_[rank * lanes_ + instruction.lane()].push_back(
      {&instruction, step, iteration, Nanoseconds(begin), Nanoseconds(end)});
}

bool TraceRecorder::HasEvents(uint64_t rank) const {
  return std::any_of(events_.begin() + rank * lanes_,
                     events_.begin() + (rank + 1) * lanes_,
                     [](const auto& lane) { return !lane.empty(); });
}

uint64_t TraceRecorder::BytesOf(const planpb::Instruction& instruction) const {
  if (!instruction.has_collective()) {
    return instruction.bytes_moved();
  }
  return BytesSent(instruction.collective(), binding_).value_or(0);
}

std::string TraceRecorder::EventJson(uint64_t rank, const Event& event) const {
  const planpb::Instruction& instruction = *event.instruction;
  uint64_t flops = 0;
  for (const planpb::Flops& each : instruction.flops()) {
    flops += each.count();
  }
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
      ",\"pid\":", rank, ",\"tid\":", instruction.lane(),
      ",\"args\":{\"instruction\":", instruction.id(),
      ",\"step\":", event.step + 1, ",\"microbatch\":", event.iteration,
      ",\"flops\":", flops, ",\"bytes\":", BytesOf(instruction), source, "}}");
}

absl::Status TraceRecorder::Write(Vfs& vfs, const std::string& path) const {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  absl::string_view separator = "\n";
  const auto add = [&](const std::string& event) {
    absl::StrAppend(&text, separator, event);
    separator = ",\n";
  };
  for (uint64_t row = 0; row < events_.size(); ++row) {
    const uint64_t rank = row / lanes_;
    const uint64_t lane = row % lanes_;
    if (!HasEvents(rank)) {
      continue;
    }
    if (lane == 0) {
      add(NameJson("process_name", rank, 0, absl::StrCat("rank ", rank)));
    }
    add(NameJson("thread_name", rank, lane,
                 plan_.manifest().lanes(static_cast<int>(lane)).name()));
    for (const Event& event : events_[row]) {
      add(EventJson(rank, event));
    }
  }
  absl::StrAppend(&text, "\n]}\n");
  return WriteFileAtomically(vfs, path, text);
}

}  // namespace accel::runtime
