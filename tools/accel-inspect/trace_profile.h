// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a trace's steps went: by module of the model, by
// instruction, and in waiting.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_TRACE_PROFILE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_TRACE_PROFILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/accel-inspect/trace_file.h"

namespace accel::tools {

// Of one step. Times are sums of medians: of each instruction, the median over
// the steps of the time it took in a step. So rows add up.
struct StepCost {
  // What a part of the step takes, in nanoseconds.
  double forward_ns = 0;
  double backward_ns = 0;
  double update_ns = 0;
  double other_ns = 0;  // load, reduce, report
  double executions = 0;
  double flops = 0;
  double bytes = 0;
  double roofline_ns = 0;  // the least that the machine allows; 0: not known

  double ns() const { return forward_ns + backward_ns + update_ns + other_ns; }
  void Add(const StepCost& other);
};

// A module with everything in it, or with what is in none of its children.
struct ModuleCost {
  std::string label;   // "h.*", or "(itself)"
  std::string module;  // "transformer.h.*"
  size_t depth = 0;
  size_t layers = 1;  // folded into it
  StepCost cost;
};

// Instructions of one name, phase and module; of several, if layers are folded.
struct GroupCost {
  std::string name;
  std::string phase;
  std::string module;
  StepCost cost;
};

struct StreamProfile {
  std::string name;
  // Depth first, in the order of first execution. What has no module stands
  // under its phase, "(update)", or under "(no module)".
  std::vector<ModuleCost> modules;
  std::vector<GroupCost> groups;  // the most expensive first
  StepCost busy;                  // all of them
  double waiting_ns = 0;          // no instruction ran; the median of steps
  // What the median step takes beyond these medians: instructions that are slow
  // in some steps only. Negative where each step is fast somewhere.
  double variation_ns = 0;
};

struct TraceProfile {
  std::string model;
  uint64_t rank = 0;
  std::vector<uint64_t> ranks;  // of the trace
  uint64_t threads = 0;
  std::string gpu;  // TraceFile::gpu
  size_t steps = 0;
  // From the begin of a step's first instruction to the end of its last one;
  // the median.
  double step_ns = 0;
  std::optional<TraceRoofline> roofline;
  std::vector<StreamProfile> streams;
};

struct ProfileOptions {
  std::optional<uint64_t> rank;  // nothing: the first one
  // Layers that repeat, h.0, h.1 ..., are one, h.*.
  bool fold = true;
};

absl::StatusOr<TraceProfile> ProfileTrace(const TraceFile& trace,
                                          const ProfileOptions& options);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_TRACE_PROFILE_H_
