// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights in the background, and what becomes of the file.
#include "compiler/PlanFile.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Signals.h"

using namespace mlir;

namespace accel {

void RemovedOnSignal::watch(StringRef other) {
  if (!path.empty()) {
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  path = other.str();
  if (!path.empty()) {
    llvm::sys::RemoveFileOnSignal(path);
  }
}

FailureOr<std::unique_ptr<PlanFile>>
PlanFile::begin(MLIRContext &context, runtime::Vfs &vfs, StringRef path,
                const onnx::WeightTable &weights, bool onThread) {
  std::unique_ptr<PlanFile> file(new PlanFile(weights));
  absl::StatusOr<std::unique_ptr<runtime::ContainerWriter>> container =
      runtime::ContainerWriter::Create(
          vfs, path.str(),
          [&](const std::string &name) { file->temporary.watch(name); });
  if (!container.ok()) {
    return emitError(UnknownLoc::get(&context),
                     std::string(container.status().message()));
  }
  file->container = *std::move(container);
  file->written =
      std::async(onThread ? std::launch::async : std::launch::deferred,
                 [&plan = *file] { return plan.writeWeights(); });
  return file;
}

PlanFile::~PlanFile() {
  isStopped = true;
  if (written.valid()) {
    written.wait();
  }
}

/// One parameter is in memory at a time.
absl::Status PlanFile::writeWeights() {
  if (weights.empty() || isStopped) {
    return absl::OkStatus();
  }
  absl::StatusOr<uint32_t> index =
      container->BeginSection("weights", planpb::SECTION_WEIGHTS);
  if (!index.ok()) {
    return index.status();
  }
  section = *index;
  uint64_t position = 0;
  for (const std::string &key : weights.getKeys()) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes =
        weights.read(key);
    if (!bytes) {
      return absl::InternalError("weights of '" + key +
                                 "': " + llvm::toString(bytes.takeError()));
    }
    std::string padding(llvm::alignTo(position, plan::kAlignment) - position,
                        '\0');
    StringRef data = (*bytes)->getBuffer();
    absl::Status status = container->Append(padding);
    status.Update(container->Append({data.data(), data.size()}));
    if (!status.ok() || isStopped) {
      return status;
    }
    position += padding.size();
    offsets.emplace_back(key, position);
    position += data.size();
  }
  absl::Status status = container->EndSection();
  // The disk is busy with it while there is something else to do.
  status.Update(container->Sync());
  return status;
}

absl::Status PlanFile::waitForWeights() {
  return written.valid() ? written.get() : absl::OkStatus();
}

absl::Status PlanFile::finish(planpb::Manifest manifest) {
  return container->Finish(std::move(manifest)).status();
}

} // namespace accel
