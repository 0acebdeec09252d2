// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each kind of instruction means, in operations of a stream. When it runs
// is the business of streams, how that of devices.
#ifndef ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_ISSUER_H_
#define ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_ISSUER_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "runtime/device/operations.h"
#include "runtime/executor/microbatch_reader.h"
#include "runtime/executor/weight_loader.h"
#include "runtime/plan/schema/visitor.h"

namespace accel::runtime {

// What the streams of one rank share. Nothing here changes during a function
// but the metrics, each of which one instruction writes.
struct IssueContext {
  const PlanView& plan;
  const MemoryLayout& layout;
  const MicrobatchReader* batches;  // of the function; never null
  const WeightLoader& loader;
  // For tests: each collective takes so much longer.
  std::chrono::nanoseconds collective_delay{0};

  int64_t step = 0;
  std::vector<double> metrics;  // by index
};

// Of one stream.
//
// Threads: Issue by one thread at a time.
class InstructionIssuer : private InstructionVisitor {
 public:
  // Borrows: the context.
  explicit InstructionIssuer(IssueContext& context);

  // Allocates nothing unless it fails or loads weights.
  absl::Status Issue(const Instance& instance, Operations& operations);
  // How long the last fetch has read data.
  std::chrono::nanoseconds read_time() const { return read_time_; }

 private:
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Launch& launch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fetch& fetch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Repeat& repeat) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::ReadMetric& metric) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Load& load) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fill& fill) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Copy& copy) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Collective& collective) override;

  // The bytes of access `access` in the current iteration.
  ByteRange RangeOf(const planpb::Instruction& instruction,
                    uint32_t access) const;

  IssueContext& context_;
  std::vector<KernelArgument> arguments_;  // of one launch

  // Of the instruction that is being issued.
  Operations* operations_ = nullptr;
  uint64_t iteration_ = 0;
  std::chrono::nanoseconds read_time_{0};
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_ISSUER_H_
