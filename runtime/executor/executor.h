// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a plan: initialises the state, takes steps, and lets the host look
// at and change state between them. It is one rank, or all of a run.
#ifndef ACCEL_RUNTIME_EXECUTOR_EXECUTOR_H_
#define ACCEL_RUNTIME_EXECUTOR_EXECUTOR_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/executor/batch_plan.h"
#include "runtime/executor/nonfinite_fault.h"
#include "runtime/executor/slot_tensor.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Payload of errors that the data caused, so that programs can tell them apart.
inline constexpr absl::string_view kDataErrorPayload = "accel/data";

class Communicator;
class Dataset;
class TraceRecorder;
struct TunedProducts;

struct ExecutorOptions {
  RankBinding binding;
  // Joins all ranks of the binding, this one at its coordinates. Borrowed; null
  // for a rank alone.
  Communicator* communicator = nullptr;
  int64_t global_batch = 1;
  SampleOrigin origin;
  // What the function to evaluate is run on. Borrowed; null: the data of steps.
  const Dataset* evaluation = nullptr;
  int64_t seed = 0;
  // Of the files that the plan refers to; empty: the plan's folder.
  std::string weights_dir;
  // One thread, program order, the same bits.
  bool serial = false;
  // A device may replay a step that it has captured.
  bool graphs = true;
  // StreamOptions::tuned.
  const TunedProducts* tuned = nullptr;
  // How long a stream waits while no stream finishes an instruction.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  // Records each instruction of each step. Borrowed; null: nothing is.
  TraceRecorder* trace = nullptr;
  // Told by the thread that creates rank 0 of this process which part of that
  // it has just finished.
  std::function<void(absl::string_view part)> part_done;
  // Asked between the microbatches of a step, by any thread: whether the run
  // shall end. Null: never.
  std::function<bool()> wants_end;
  // For tests: each collective takes so much longer.
  std::chrono::nanoseconds collective_delay{0};
  // For tests: called by each stream before each of its instructions.
  std::function<void(const planpb::Instruction&)> before_instruction;
};

// After an error the state is undefined and every call returns that error.
//
// Threads: one thread at a time, the one that created the executor.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs the function that sets the state up. Once, before any other. With
  // `restore`, that is called for each rank of this process, on the rank's
  // thread, twice: for the parameters, before anything is computed of them, and
  // for all else behind the function. It writes what the rank holds.
  enum class RestoredPart { kParameters, kOthers };
  using Restore =
      std::function<absl::Status(Executor& rank, RestoredPart part)>;
  virtual absl::Status Initialize(Restore restore = nullptr) = 0;

  // Runs the function of this role on the data of step `step` (from 0), the one
  // to evaluate on step `step` of BatchPlan::CreateOnce of its own data.
  // Returns the metrics, by their index in the plan; NaN where it reports none.
  // FailedPrecondition if the plan has no such function. Cancelled on all ranks
  // if one of them wanted to end, and then the state is that before the step:
  // it is given up between two microbatches.
  virtual absl::StatusOr<std::vector<double>> Run(planpb::FunctionRole role,
                                                  int64_t step) = 0;
  absl::StatusOr<std::vector<double>> RunStep(int64_t step) {
    return Run(planpb::FUNCTION_STEP, step);
  }
  // A step in program order, calling `observe` when the gradients are complete
  // and not yet used.
  virtual absl::StatusOr<std::vector<double>> RunObservedStep(
      int64_t step, absl::FunctionRef<absl::Status()> observe) = 0;

  // In the function that ran last, how long the rank that waited longest did
  // not compute because its data were not there: what of fetching microbatches
  // was not hidden behind computing others, the first one of a step included.
  // Nothing of a device that waits by itself.
  virtual std::optional<std::chrono::nanoseconds> DataWait() const = 0;

  // Executes the microbatches of step `step` once more, one instruction after
  // the other, until the gradients are complete, and looks for the first number
  // that is not finite. Right after the step, and only if that was not finite:
  // then parameters are what they were before it, and data and dropout are the
  // same. Leaves parameters, what the optimizer keeps and counters as they are.
  // All ranks do this together and return the same report.
  // FailedPrecondition if the plan does not say where gradients are complete.
  virtual absl::StatusOr<ReplayReport> ReplayStep(int64_t step) = 0;

  // Bytes [offset, offset + size) of a persistent buffer, between steps.
  // OutOfRange if they do not lie in it.
  virtual absl::Status ReadBuffer(uint32_t buffer, uint64_t offset,
                                  absl::Span<std::byte> dst) const = 0;
  virtual absl::Status WriteBuffer(uint32_t buffer, uint64_t offset,
                                   absl::Span<const std::byte> src) = 0;

  // Elements [first, first + elements) of a slot, wherever they lie, between
  // steps or where RunObservedStep observes. Ranks that are processes and hold
  // parts of it call this together, in the same order; `dst` is empty on those
  // that only give their parts.
  virtual absl::Status ReadTensor(const SlotTensor& slot, uint64_t first,
                                  uint64_t elements,
                                  absl::Span<std::byte> dst) const = 0;

  // The elements of a slot that ranks of this process hold.
  virtual absl::StatusOr<OwnedRange> HeldElements(
      const SlotTensor& slot) const = 0;
  // Elements of it, from `first` on, between steps. OutOfRange if they are not
  // held here. Unlike ReadTensor, no other rank takes part.
  virtual absl::Status ReadHeld(const SlotTensor& slot, uint64_t first,
                                absl::Span<std::byte> dst) const = 0;
  virtual absl::Status WriteHeld(const SlotTensor& slot, uint64_t first,
                                 absl::Span<const std::byte> src) = 0;

  virtual const MemoryLayout& layout() const = 0;
  // Microbatches of this rank in a step.
  virtual int64_t iterations() const = 0;
  // What the plan allocates in this process, all its ranks.
  virtual uint64_t PlannedBytes() const = 0;
  // For people: "x86-64-v4 code, 2 threads".
  virtual std::string Describe() const = 0;
  // StreamGroup::LibraryCalls of a rank.
  virtual std::map<std::string, std::string> LibraryCalls() const = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_EXECUTOR_H_
