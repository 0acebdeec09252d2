// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a plan that is being compiled.
#ifndef ACCEL_COMPILER_PLANFILE_H
#define ACCEL_COMPILER_PLANFILE_H

#include "dialects/Plan/IR/PlanOps.h"
#include "frontends/onnx/Weights/WeightTable.h"
#include "runtime/plan/container/container_writer.h"

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

/// Where the value of a parameter lies.
struct WeightSource {
  std::optional<uint32_t> section; ///< of the plan; else `file`
  uint32_t file = 0;               ///< an external file's index
  uint64_t offset = 0;
  /// The parameter's, where the bytes are those of its transpose; else 0.
  int64_t rows = 0, columns = 0;
};

/// Where the weights shall lie that the model keeps in files of external data;
/// those that lie inside the model are always copied.
enum class WeightStorage { Plan, External };

/// Begins with the weights. They are most of the bytes and wait for the disk,
/// so they are written on a thread of their own, while code is generated.
///
/// Destroyed without `finish`, and if the program is killed by a signal that
/// it can see, nothing is left of the file.
/// Borrows: the weights.
/// How the plan holds weights.
struct WeightLayout {
  WeightStorage storage = WeightStorage::Plan;
  /// What each tensor that is copied begins at a multiple of in its section.
  uint64_t alignment = plan::kAlignment;
};

class PlanFile {
public:
  /// By the parameter's key.
  using Sources = std::vector<std::pair<std::string, WeightSource>>;

  /// Creates the file beside `path`. An error is emitted on `context`. Without
  /// `onThread` the weights are written when they are waited for. With
  /// `External` it is an error if the model has no external data. Borrows: the
  /// vfs.
  static mlir::FailureOr<std::unique_ptr<PlanFile>>
  begin(mlir::MLIRContext &context, runtime::Vfs &vfs, llvm::StringRef path,
        const onnx::WeightTable &weights, const WeightLayout &layout,
        bool onThread);
  ~PlanFile();
  PlanFile(const PlanFile &) = delete;
  PlanFile &operator=(const PlanFile &) = delete;

  /// Waits until the weights are there. Other sections may be added then.
  absl::Status waitForWeights();
  /// Of the weights; none if none was copied. Requires: they were waited for.
  std::optional<uint32_t> getWeightSection() const { return section; }
  const Sources &getSources() const { return sources; }
  const std::vector<planpb::ExternalFile> &getExternalFiles() const {
    return externalFiles;
  }

  runtime::ContainerWriter &getContainer() { return *container; }
  /// Makes the file visible.
  absl::Status finish(planpb::Manifest manifest);
  /// Bytes so far.
  uint64_t getSize() const { return container->size(); }

private:
  PlanFile(runtime::Vfs &vfs, const onnx::WeightTable &weights,
           const WeightLayout &layout)
      : vfs(vfs), weights(weights), layout(layout) {}
  bool isReferred(const onnx::WeightEntry &entry) const;
  absl::Status writeWeights();
  absl::Status copyWeight(llvm::StringRef key, uint64_t &position);
  absl::Status referToWeight(llvm::StringRef key,
                             const onnx::WeightEntry &entry);

  RemovedOnSignal temporary;
  std::unique_ptr<runtime::ContainerWriter> container;
  runtime::Vfs &vfs;
  const onnx::WeightTable &weights;
  const WeightLayout layout;
  std::optional<uint32_t> section;
  Sources sources;
  std::vector<planpb::ExternalFile> externalFiles;
  std::atomic<bool> isStopped = false;
  std::future<absl::Status> written;
};

} // namespace accel

#endif
