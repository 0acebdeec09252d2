// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the JSON of a trace, field by field.
#include "tools/accel-inspect/trace_file.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/report/trace_format.h"
#include "runtime/text/printable.h"

namespace accel::tools {
namespace {

using nlohmann::json;

constexpr absl::string_view kRemedy =
    "; accel-run PLAN --profile and accel-run PLAN --trace FILE write traces";
// Twice that many nanoseconds are still a whole number in a double.
constexpr double kMostMicroseconds = 4e12;

// What was found, short enough for a message.
std::string Shown(const json& value) {
  constexpr size_t kMost = 40;
  const std::string text = runtime::Printable(
      value.dump(-1, ' ', false, json::error_handler_t::replace));
  return text.size() <= kMost ? text
                              : absl::StrCat(text.substr(0, kMost), "...");
}

const json& Member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) {
    return kNothing;
  }
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

absl::Status Unexpected(const char* key, absl::string_view expected,
                        const json& found) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, " as '", key, "', got ",
                   found.is_null() ? "none" : Shown(found),
                   "; the file was damaged or changed, write the trace anew"));
}

absl::StatusOr<uint64_t> Whole(const json& object, const char* key) {
  const json& value = Member(object, key);
  if (!value.is_number_unsigned()) {
    return Unexpected(key, "a whole number", value);
  }
  return value.get<uint64_t>();
}

absl::StatusOr<double> Positive(const json& object, const char* key) {
  const json& value = Member(object, key);
  if (!value.is_number() || !(value.get<double>() > 0) ||
      !std::isfinite(value.get<double>())) {
    return Unexpected(key, "a number above 0", value);
  }
  return value.get<double>();
}

absl::StatusOr<int64_t> Nanoseconds(const json& object, const char* key) {
  const json& value = Member(object, key);
  const double us = value.is_number() ? value.get<double>() : -1;
  if (!(us >= 0 && us <= kMostMicroseconds)) {
    return Unexpected(key, "microseconds", value);
  }
  return std::llround(us * 1000);
}

absl::StatusOr<std::string> Text(const json& object, const char* key,
                                 bool required) {
  const json& value = Member(object, key);
  if (value.is_string()) {
    return runtime::Printable(value.get<std::string>());
  }
  if (required || !value.is_null()) {
    return Unexpected(key, "a text", value);
  }
  return "";
}

absl::Status CheckFormat(const json& facts) {
  if (Member(facts, "format") != std::string(runtime::kTraceFormat)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a trace of accel-run, got other JSON", kRemedy));
  }
  const json& version = Member(facts, "version");
  if (version != runtime::kTraceVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "expected version ", runtime::kTraceVersion, " of a trace, got ",
        Shown(version), ", written by ", Shown(Member(facts, "producer")),
        "; use the accel-inspect of that release"));
  }
  return absl::OkStatus();
}

absl::Status ReadFacts(const json& facts, TraceFile& trace) {
  RETURN_IF_ERROR(CheckFormat(facts));
  ASSIGN_OR_RETURN(trace.model, Text(facts, "model", true));
  ASSIGN_OR_RETURN(trace.threads, Whole(facts, "threads"));
  ASSIGN_OR_RETURN(trace.gpu, Text(facts, "gpu", false));
  const json& roofline = Member(facts, "roofline");
  if (!roofline.is_null()) {
    TraceRoofline read;
    ASSIGN_OR_RETURN(read.flops_per_second,
                     Positive(roofline, "flops_per_second"));
    ASSIGN_OR_RETURN(read.bytes_per_second,
                     Positive(roofline, "bytes_per_second"));
    trace.roofline = read;
  }
  return absl::OkStatus();
}

absl::Status ReadCost(const json& args, TraceEvent& event) {
  ASSIGN_OR_RETURN(const uint64_t flops, Whole(args, "flops"));
  ASSIGN_OR_RETURN(const uint64_t bytes, Whole(args, "bytes"));
  event.flops = static_cast<double>(flops);
  event.bytes = static_cast<double>(bytes);
  if (!Member(args, "roofline_us").is_null()) {
    ASSIGN_OR_RETURN(const double us, Positive(args, "roofline_us"));
    event.roofline_ns = us * 1000;
  }
  return absl::OkStatus();
}

absl::StatusOr<TraceEvent> ReadEvent(const json& object) {
  TraceEvent event;
  const json& args = Member(object, "args");
  ASSIGN_OR_RETURN(event.rank, Whole(object, "pid"));
  ASSIGN_OR_RETURN(event.stream, Whole(object, "tid"));
  ASSIGN_OR_RETURN(event.begin_ns, Nanoseconds(object, "ts"));
  ASSIGN_OR_RETURN(event.ns, Nanoseconds(object, "dur"));
  ASSIGN_OR_RETURN(event.name, Text(object, "name", true));
  ASSIGN_OR_RETURN(event.phase, Text(object, "cat", true));
  ASSIGN_OR_RETURN(event.instruction, Whole(args, "instruction"));
  ASSIGN_OR_RETURN(event.step, Whole(args, "step"));
  ASSIGN_OR_RETURN(event.module, Text(args, "module", false));
  RETURN_IF_ERROR(ReadCost(args, event));
  return event;
}

absl::Status ReadStream(const json& object, TraceFile& trace) {
  if (Member(object, "name") != "thread_name") {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const uint64_t rank, Whole(object, "pid"));
  ASSIGN_OR_RETURN(const uint64_t stream, Whole(object, "tid"));
  ASSIGN_OR_RETURN(trace.streams[std::make_pair(rank, stream)],
                   Text(Member(object, "args"), "name", true));
  return absl::OkStatus();
}

absl::Status ReadEntry(const json& object, TraceFile& trace) {
  const json& kind = Member(object, "ph");
  if (kind == "M") {
    return ReadStream(object, trace);
  }
  if (kind != "X") {
    return Unexpected("ph", "\"X\" or \"M\"", kind);
  }
  ASSIGN_OR_RETURN(TraceEvent event, ReadEvent(object));
  trace.events.push_back(std::move(event));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TraceFile> ParseTrace(absl::string_view text) {
  if (text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a trace of accel-run, got an empty file", kRemedy));
  }
  const json root = json::parse(text.begin(), text.end(), nullptr,
                                /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a trace of accel-run, got a file that is no "
                     "JSON, or was cut short",
                     kRemedy));
  }
  TraceFile trace;
  RETURN_IF_ERROR(ReadFacts(Member(root, "otherData"), trace));
  const json& events = Member(root, "traceEvents");
  if (!events.is_array()) {
    return Unexpected("traceEvents", "a list", events);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const absl::Status status = ReadEntry(events[i], trace);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("event ", i, ": ", status.message()));
    }
  }
  if (trace.events.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected instructions, got none: the run took no step", kRemedy));
  }
  return trace;
}

}  // namespace accel::tools
