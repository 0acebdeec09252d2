// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors keep the open files alive.
#include "compiler/SavedParameters.h"

#include "runtime/io/safetensors_set.h"

namespace accel {

absl::StatusOr<onnx::SavedParameters>
readSavedParameters(runtime::Vfs &vfs, llvm::StringRef path) {
  auto opened = runtime::SafetensorsSet::Open(vfs, path.str());
  if (!opened.ok()) {
    return opened.status();
  }
  std::shared_ptr<const runtime::SafetensorsSet> files = *std::move(opened);
  onnx::SavedParameters saved;
  saved.path = path.str();
  for (const auto &[name, tensor] : files->tensors()) {
    auto read = [files, tensor]() -> llvm::Expected<std::string> {
      std::string bytes(tensor.entry->end - tensor.entry->begin, '\0');
      absl::Status status = files->Read(
          tensor, 0,
          absl::MakeSpan(reinterpret_cast<std::byte *>(bytes.data()),
                         bytes.size()));
      if (!status.ok()) {
        return llvm::createStringError(std::string(status.message()));
      }
      return bytes;
    };
    saved.tensors[name] = {std::string(runtime::DTypeName(tensor.entry->dtype)),
                           tensor.entry->shape, std::move(read)};
  }
  return saved;
}

std::vector<std::string> listParameterFiles(runtime::Vfs &vfs,
                                            llvm::StringRef path) {
  auto files = runtime::SafetensorsSet::ListFiles(vfs, path.str());
  return files.ok() ? *files : std::vector<std::string>{path.str()};
}

} // namespace accel
