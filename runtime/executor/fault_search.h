// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where the numbers of a step stop being finite, while somebody executes
// its instructions one by one.
#ifndef ACCEL_RUNTIME_EXECUTOR_FAULT_SEARCH_H_
#define ACCEL_RUNTIME_EXECUTOR_FAULT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/device.h"
#include "runtime/executor/finite_scan.h"
#include "runtime/executor/microbatch_reader.h"
#include "runtime/executor/nonfinite_fault.h"
#include "runtime/plan/memory/memory_layout.h"

namespace accel::runtime {

// The bytes of an access that mean something on this rank: of a buffer for a
// rank's part, which has room for the longest one, those that the rank owns.
ByteRange MeaningfulRange(const PlanView& plan, const MemoryLayout& layout,
                          const planpb::Access& access, uint64_t iteration);

// Of one rank and one step. Reads the memory while no stream works.
class FaultSearch {
 public:
  // `note_progress` is called after each piece that was read, so that others
  // wait for this rank. Borrows: everything.
  FaultSearch(const PlanView& plan, const MemoryLayout& layout,
              const DeviceMemory& memory, const MicrobatchReader& batches,
              int64_t step, std::function<void()> note_progress);

  // What the rank holds of all parameters; before the step.
  absl::Status CheckParameters();
  // What an instruction of `function` has just written.
  absl::Status CheckInstruction(const FunctionView& function,
                                const Instance& instance);
  // What the rank holds of all gradients, once they are complete: their largest
  // one.
  absl::Status FindLargestGradient();

  const ReplayReport& report() const { return report_; }

 private:
  // A slot of a segment, as far as this rank has it.
  struct SlotPart {
    uint32_t buffer = 0;
    OwnedRange owned;    // elements of the segment
    uint64_t first = 0;  // element of the buffer that the first one is
    FaultPlace place;    // of element 0 of the segment
  };

  absl::StatusOr<SlotPart> PartOf(uint64_t bucket, uint64_t segment,
                                  const planpb::Slot& slot) const;
  absl::Status ForEachSlot(
      absl::string_view name,
      absl::FunctionRef<absl::Status(const SlotPart& part)> visit) const;
  absl::StatusOr<FiniteScan> Scan(ByteRange range, planpb::ElementType dtype,
                                  planpb::Access::Infinities allowed);
  absl::StatusOr<FiniteScan> ScanSlot(const SlotPart& part);
  // What the scan has found; where is for the caller to add.
  NonFiniteFault FaultOf(const FiniteScan& scan,
                         NonFiniteFault::Kind kind) const;
  absl::Status CheckAccess(const FunctionView& function,
                           const Instance& instance, int access);
  // Where element `element` of what the access touches lies.
  FaultPlace PlaceOf(const planpb::Instruction& instruction,
                     const planpb::Access& access, const ByteRange& range,
                     uint64_t iteration, uint64_t element) const;
  int64_t MicrobatchOf(const FunctionView& function,
                       const Instance& instance) const;
  int64_t RowOf(const planpb::Instruction& instruction, int access,
                int64_t microbatch, uint64_t element) const;
  void Note(const NonFiniteFault& fault);

  const PlanView& plan_;
  const MemoryLayout& layout_;
  const DeviceMemory& memory_;
  const MicrobatchReader& batches_;
  const int64_t step_;
  const std::function<void()> note_progress_;
  std::vector<std::byte> piece_;
  ReplayReport report_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_FAULT_SEARCH_H_
