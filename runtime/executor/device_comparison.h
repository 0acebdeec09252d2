// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a plan on two devices, instruction by instruction, and compares all
// that each instruction writes.
#ifndef ACCEL_RUNTIME_EXECUTOR_DEVICE_COMPARISON_H_
#define ACCEL_RUNTIME_EXECUTOR_DEVICE_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/data/dataset.h"
#include "runtime/device/device.h"
#include "runtime/executor/element_comparison.h"
#include "runtime/executor/step_driver.h"

namespace accel::runtime {

// Of all executions of one kernel, or of one kind of other instruction.
struct ComparedKernel {
  bool calls_library = false;  // in the tested device's variant
  bool uses_tf32 = false;      // likewise, for operands of f32
  bool uses_fp8 = false;       // likewise, operands of 8 bits
  uint64_t executions = 0;
  ElementComparison elements;
  // Where `elements` has its largest difference: "instruction 12 of 'step' ...,
  // iteration 1, buffer 'x'".
  std::string worst;
};

// Whatever differs is overwritten with what the reference has computed, so that
// a difference is that of one instruction.
//
// Threads: one at a time.
class DeviceComparison {
 public:
  // The reference runs its own variant of the code. Both have equal threads.
  // Borrows: everything. Requires: one rank; options without communicator.
  static absl::StatusOr<std::unique_ptr<DeviceComparison>> Create(
      Vfs& vfs, const Plan& plan, Device& reference, Device& tested,
      const Dataset& dataset, const ExecutorOptions& options);

  // Runs the function of a role on both.
  absl::Status Run(planpb::FunctionRole role, int64_t step);

  // By the names of kernels, and of other instructions in brackets.
  const std::map<std::string, ComparedKernel>& kernels() const {
    return kernels_;
  }

 private:
  explicit DeviceComparison(const Plan& plan) : plan_(plan) {}

  absl::Status Compare(const FunctionView& function, const Instance& instance);
  // Of what one access has written.
  absl::Status CompareAccess(const std::string& where,
                             const planpb::Access& access, uint64_t iteration,
                             ComparedKernel& kernel);
  std::string NameOf(const planpb::Instruction& instruction) const;
  // What the tested device calls for it; null: it has code, or is no launch.
  const planpb::LibraryCall* CallFor(
      const planpb::Instruction& instruction) const;

  const Plan& plan_;
  int variant_ = 0;  // of the tested device
  std::unique_ptr<StepDriver> reference_;
  std::unique_ptr<StepDriver> tested_;
  std::map<std::string, ComparedKernel> kernels_;
  std::vector<std::byte> expected_;
  std::vector<std::byte> got_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_DEVICE_COMPARISON_H_
