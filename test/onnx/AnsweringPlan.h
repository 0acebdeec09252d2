// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan that answers, by the names of what it takes and gives.
#ifndef ACCEL_TEST_ONNX_ANSWERINGPLAN_H
#define ACCEL_TEST_ONNX_ANSWERINGPLAN_H

#include "runtime/device/device.h"
#include "runtime/executor/inference.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace accel::test {

/// A CPU that answers on one thread.
std::unique_ptr<runtime::Device> makeDevice(runtime::Vfs &vfs);

/// Borrows: what it is opened with.
class AnsweringPlan {
public:
  static absl::StatusOr<std::unique_ptr<AnsweringPlan>>
  open(runtime::Vfs &vfs, runtime::Device &device, const std::string &path);

  /// An input that the plan does not have is bound, or nothing reads it.
  absl::Status setInput(const std::string &name, llvm::StringRef bytes);
  absl::Status run() { return inference->Run(); }
  /// Null if there is none of the name.
  const planpb::Tensor *findOutput(const std::string &name) const;
  absl::StatusOr<std::string> read(const planpb::Tensor &output) const;

private:
  std::unique_ptr<runtime::Plan> plan;
  std::unique_ptr<runtime::Inference> inference;
};

} // namespace accel::test

#endif
