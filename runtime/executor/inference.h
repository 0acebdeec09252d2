// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan that answers: tensors in, tensors out, on one rank.
#ifndef ACCEL_RUNTIME_EXECUTOR_INFERENCE_H_
#define ACCEL_RUNTIME_EXECUTOR_INFERENCE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/dataset.h"
#include "runtime/device/device.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// "[4, 10] of f32".
std::string FormatTensor(const planpb::Tensor& tensor);

// Threads: one thread at a time, the one that created it.
class Inference {
 public:
  // Verifies the plan and loads its code. FailedPrecondition if the plan has no
  // function to infer. The binding is one rank's of all of the device's
  // threads, whatever `options` has. Borrows: everything.
  static absl::StatusOr<std::unique_ptr<Inference>> Create(
      Vfs& vfs, const Plan& plan, Device& device, ExecutorOptions options);

  // Executor::Initialize.
  absl::Status Initialize(Executor::Restore restore = nullptr);

  // The bytes of an input of the plan's manifest, row by row. Refused: another
  // number of bytes, integers out of the input's range, and booleans that are
  // neither 0 nor 1.
  absl::Status SetInput(const planpb::Tensor& input,
                        absl::Span<const std::byte> bytes);
  // FailedPrecondition, with their names, if some input was never set.
  absl::Status Run();
  // Behind Run.
  absl::StatusOr<std::vector<std::byte>> ReadOutput(
      const planpb::Tensor& output) const;

  const Executor& executor() const { return *executor_; }

 private:
  Inference(const Plan& plan, std::unique_ptr<Dataset> nothing)
      : plan_(plan), nothing_(std::move(nothing)) {}

  const Plan& plan_;
  std::unique_ptr<Dataset> nothing_;  // a plan that answers fetches no samples
  std::unique_ptr<Executor> executor_;
  std::vector<bool> is_set_;  // by input
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_INFERENCE_H_
