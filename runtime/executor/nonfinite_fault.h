// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a step first held a number that is not finite: what ranks tell each
// other of it, and how it reads.
#ifndef ACCEL_RUNTIME_EXECUTOR_NONFINITE_FAULT_H_
#define ACCEL_RUNTIME_EXECUTOR_NONFINITE_FAULT_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Elements of a segment, or of another buffer.
struct FaultPlace {
  // Of the manifest, plus one; 0: of no segment.
  uint64_t bucket_plus_one = 0;
  uint64_t segment = 0;
  uint64_t buffer = 0;
  uint64_t element = 0;  // of the segment or the buffer
};

// One fault. Without padding, so that it can be sent.
struct NonFiniteFault {
  enum Kind : uint64_t {
    kNone,         // everything was finite
    kParameter,    // before the step
    kInput,        // what was fetched
    kInstruction,  // what an instruction wrote
  };
  // Of what is behind the loop over microbatches.
  static constexpr int64_t kBehindLoop = INT64_MAX;

  uint64_t kind = kNone;
  uint64_t rank = 0;
  int64_t microbatch = -1;   // -1: before the first one
  uint64_t instruction = 0;  // of the step, in program order
  uint64_t access = 0;       // of the instruction
  FaultPlace place;
  double value = 0;
  uint64_t faults = 0;    // elements that are not finite
  uint64_t elements = 0;  // of which there are so many
  int64_t row = -1;       // of the data, of an input; -1: not known

  // Of microbatches, then in program order, then of ranks.
  bool IsBefore(const NonFiniteFault& other) const;
};

// What one rank, and then all of them together, have found in a step.
struct ReplayReport {
  NonFiniteFault first;  // kNone: everything was finite
  // The largest gradient, if everything was finite.
  double largest_gradient = 0;
  FaultPlace largest_place;
};
static_assert(std::is_trivially_copyable_v<ReplayReport>);

// The first fault of all ranks and the largest of their gradients, the same on
// all. All ranks call this together; `communicator` is null for a rank alone.
absl::StatusOr<ReplayReport> AgreeOnReport(Communicator* communicator,
                                           const ReplayReport& own);

// "element [3, 5] of parameter 'wte.weight' (f32 [256, 64])", or of the
// gradient or another slot of it, or of a buffer.
std::string PlaceText(const PlanView& plan, const FaultPlace& place);

// Where it was, what, and what the user wrote that computes it. `row`: what the
// data call the fault's row, if it is known.
// Requires: the kind is not kNone.
std::string FaultText(const PlanView& plan, const NonFiniteFault& fault,
                      absl::string_view row);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_NONFINITE_FAULT_H_
