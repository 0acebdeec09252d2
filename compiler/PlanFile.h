// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a plan that is being compiled.
#ifndef ACCEL_COMPILER_PLANFILE_H
#define ACCEL_COMPILER_PLANFILE_H

#include "frontends/onnx/WeightTable.h"
#include "runtime/plan/container_writer.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace accel {

/// A file that goes if a signal ends the program while this lives. `watch` may
/// come before the file is there; it ends the watch over the one before.
class RemovedOnSignal {
public:
  RemovedOnSignal() = default;
  ~RemovedOnSignal() { watch(""); }
  RemovedOnSignal(const RemovedOnSignal &) = delete;
  RemovedOnSignal &operator=(const RemovedOnSignal &) = delete;

  void watch(llvm::StringRef other);

private:
  std::string path;
};

/// Begins with the weights. They are most of the bytes and wait for the disk,
/// so they are written on a thread of their own, while code is generated.
///
/// Destroyed without `finish`, and if the program is killed by a signal that
/// it can see, nothing is left of the file.
/// Borrows: the weights.
class PlanFile {
public:
  /// Where a parameter's weights begin in their section.
  using Offsets = std::vector<std::pair<std::string, uint64_t>>;

  /// Creates the file beside `path`. An error is emitted on `context`. Without
  /// `onThread` the weights are written when they are waited for. Borrows: the
  /// vfs.
  static mlir::FailureOr<std::unique_ptr<PlanFile>>
  begin(mlir::MLIRContext &context, runtime::Vfs &vfs, llvm::StringRef path,
        const onnx::WeightTable &weights, bool onThread);
  ~PlanFile();
  PlanFile(const PlanFile &) = delete;
  PlanFile &operator=(const PlanFile &) = delete;

  /// Waits until the weights are there. Other sections may be added then.
  absl::Status waitForWeights();
  /// Of the weights; none if there are none. Requires: they were waited for.
  std::optional<uint32_t> getWeightSection() const { return section; }
  const Offsets &getOffsets() const { return offsets; }

  runtime::ContainerWriter &getContainer() { return *container; }
  /// Makes the file visible.
  absl::Status finish(planpb::Manifest manifest);
  /// Bytes so far.
  uint64_t getSize() const { return container->size(); }

private:
  explicit PlanFile(const onnx::WeightTable &weights) : weights(weights) {}
  absl::Status writeWeights();

  RemovedOnSignal temporary;
  std::unique_ptr<runtime::ContainerWriter> container;
  const onnx::WeightTable &weights;
  std::optional<uint32_t> section;
  Offsets offsets;
  std::atomic<bool> isStopped = false;
  std::future<absl::Status> written;
};

} // namespace accel

#endif
