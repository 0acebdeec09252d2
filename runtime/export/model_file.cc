// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the format.
#include "runtime/export/model_file.h"

#include "absl/strings/match.h"
#include "runtime/base/status_macros.h"
#include "runtime/export/adapters.h"
#include "runtime/export/onnx_file.h"
#include "runtime/export/slot_file.h"
#include "runtime/io/atomic_file.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kWeights = "master";

bool IsOnnx(const std::string& path) { return absl::EndsWith(path, ".onnx"); }

}  // namespace

absl::Status CheckModelFile(const Plan& plan, const std::string& path) {
  if (IsOnnx(path)) {
    return CheckOnnxExport(plan);
  }
  if (IsAdapterFile(path)) {
    return CheckAdapters(plan.view());
  }
  return absl::EndsWith(path, ".safetensors")
             ? SlotFileBytes(plan.view(), kWeights).status()
             : absl::InvalidArgumentError(
                   "expected a name that ends in .onnx or .safetensors");
}

absl::Status CheckModelRoom(Vfs& vfs, const Plan& plan,
                            const std::string& path) {
  if (IsOnnx(path)) {
    return CheckRoom(vfs, path, OnnxBytes(plan));
  }
  ASSIGN_OR_RETURN(const uint64_t bytes,
                   IsAdapterFile(path) ? AdapterFileBytes(plan.view())
                                       : SlotFileBytes(plan.view(), kWeights));
  return CheckRoom(vfs, path, bytes);
}

std::vector<std::string> ListModelFiles(const std::string& path) {
  std::vector<std::string> files = {path};
  if (IsAdapterFile(path)) {
    files.push_back(AdapterConfigPath(path));
  }
  return files;
}

absl::Status WriteModelFile(Vfs& vfs, const Plan& plan,
                            const ParameterReader& reader,
                            const std::string& path, ExportRole role) {
  if (IsAdapterFile(path)) {
    return WriteAdapters(vfs, plan.view(), reader, path, role);
  }
  return IsOnnx(path)
             ? ExportOnnx(vfs, plan, reader, path, role)
             : WriteSlotFile(vfs, plan.view(), kWeights, reader, path, role);
}

}  // namespace accel::runtime
