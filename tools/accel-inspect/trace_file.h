// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace of accel-run as values. The file comes from outside: nothing in it is
// believed.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_TRACE_FILE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_TRACE_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::tools {

// One execution of an instruction.
struct TraceEvent {
  uint64_t rank = 0;
  uint64_t stream = 0;
  uint64_t instruction = 0;
  uint64_t step = 0;  // from 1
  int64_t begin_ns = 0;
  int64_t ns = 0;
  double flops = 0;
  double bytes = 0;
  std::optional<double> roofline_ns;  // the least time that the machine allows
  std::string name;
  std::string phase;
  std::string module;  // "transformer.h.0.attn", or empty
};

struct TraceRoofline {
  double flops_per_second = 0;
  double bytes_per_second = 0;
};

struct TraceFile {
  std::string model;
  uint64_t threads = 0;  // of each rank
  std::string gpu;       // whose clock told the times; empty: the host's did
  std::optional<TraceRoofline> roofline;
  std::map<std::pair<uint64_t, uint64_t>, std::string>
      streams;                     // by rank, stream
  std::vector<TraceEvent> events;  // at least one
};

// The text of a file that accel-run --trace wrote. Errors: expected, got,
// remedy.
absl::StatusOr<TraceFile> ParseTrace(absl::string_view text);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_TRACE_FILE_H_
