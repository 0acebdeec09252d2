// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights in the background, and what becomes of the file.
#include "compiler/PlanFile.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "frontends/onnx/ErrorCodes.h"
#include "runtime/io/path.h"
#include "runtime/plan/container/external_file.h"

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
                const onnx::WeightTable &weights, const WeightLayout &layout,
                bool onThread) {
  std::unique_ptr<PlanFile> file(new PlanFile(vfs, weights, layout));
  if (layout.storage == WeightStorage::External &&
      llvm::none_of(weights.getKeys(), [&](const std::string &key) {
        return file->isReferred(*weights.find(key));
      })) {
    return emitCodedError(UnknownLoc::get(&context), onnx::codes::WeightFile)
           << "--weights=external: expected weights in files beside the model, "
              "got none there and "
           << weights.getKeys().size()
           << " inside it; export it with torch.onnx.export(..., "
              "external_data=True), or leave the option out";
  }
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

bool PlanFile::isReferred(const onnx::WeightEntry &entry) const {
  return layout.storage == WeightStorage::External &&
         entry.bytes.isExternal() && entry.isVerbatim();
}

/// One parameter is in memory at a time.
absl::Status PlanFile::copyWeight(StringRef key, uint64_t &position) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes = weights.read(key);
  if (!bytes) {
    return absl::InternalError("weights of '" + key.str() +
                               "': " + llvm::toString(bytes.takeError()));
  }
  std::string padding(llvm::alignTo(position, layout.alignment) - position,
                      '\0');
  StringRef data = (*bytes)->getBuffer();
  absl::Status status = container->Append(padding);
  status.Update(container->Append({data.data(), data.size()}));
  position += padding.size();
  WeightSource source;
  source.section = section;
  source.offset = position;
  sources.emplace_back(key.str(), source);
  position += data.size();
  return status;
}

absl::Status PlanFile::referToWeight(StringRef key,
                                     const onnx::WeightEntry &entry) {
  const onnx::TensorBytes &bytes = entry.bytes;
  auto known = llvm::find_if(externalFiles, [&](const auto &file) {
    return file.path() == bytes.location;
  });
  WeightSource source;
  source.file = known - externalFiles.begin();
  source.offset = bytes.offset;
  if (entry.transposed) {
    source.rows = entry.type.getDimSize(0);
    source.columns = entry.type.getDimSize(1);
  }
  sources.emplace_back(key.str(), source);
  if (known != externalFiles.end()) {
    return absl::OkStatus();
  }
  auto described = runtime::DescribeExternalFile(
      vfs, runtime::JoinPath(bytes.folder, bytes.location), bytes.location);
  if (described.ok()) {
    externalFiles.push_back(*std::move(described));
  }
  return described.status();
}

absl::Status PlanFile::writeWeights() {
  uint64_t position = 0;
  for (const std::string &key : weights.getKeys()) {
    if (isStopped) {
      return absl::OkStatus();
    }
    const onnx::WeightEntry &entry = *weights.find(key);
    absl::Status status;
    if (isReferred(entry)) {
      status = referToWeight(key, entry);
    } else {
      if (!section) {
        absl::StatusOr<uint32_t> begun =
            container->BeginSection("weights", planpb::SECTION_WEIGHTS);
        if (!begun.ok()) {
          return begun.status();
        }
        section = *begun;
      }
      status = copyWeight(key, position);
    }
    if (!status.ok()) {
      return status;
    }
  }
  if (!section) {
    return absl::OkStatus();
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
