// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is bound holds shapes and settings, so that it is read whole.
#include "compiler/BoundInputs.h"

#include "runtime/io/npy.h"

#include "absl/strings/str_cat.h"

using namespace accel;

/// Larger arrays are data, which runs give.
constexpr uint64_t kMostBytes = uint64_t(64) << 20;

llvm::Expected<InputBinding> accel::parseBinding(llvm::StringRef text) {
  auto [name, file] = text.split('=');
  if (name.empty() || file.empty()) {
    return llvm::createStringError(
        "expected --bind NAME=FILE.npy, e.g. --bind shape=shape.npy, got '" +
        text + "'");
  }
  return InputBinding{name.str(), file.str()};
}

absl::StatusOr<onnx::BoundTensor>
accel::readBoundTensor(runtime::Vfs &vfs, const InputBinding &binding) {
  auto file = vfs.Open(binding.file, runtime::OpenMode::kRead);
  if (!file.ok()) {
    return file.status();
  }
  auto read = runtime::ReadNpyLayout(**file);
  if (!read.ok()) {
    return read.status();
  }
  const runtime::NpyLayout &layout = *read;
  if (layout.data_size > kMostBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", binding.file, "': expected at most ", kMostBytes,
        " bytes of an input that is bound when the model is compiled, got ",
        layout.data_size, "; give it to accel-run --input instead"));
  }
  onnx::BoundTensor tensor;
  tensor.name = binding.name;
  tensor.elementType = std::string(runtime::DTypeName(layout.header.dtype));
  tensor.shape = layout.header.shape;
  tensor.bytes.resize(layout.data_size);
  absl::Status status = (*file)->ReadAt(
      layout.data_offset,
      absl::MakeSpan(reinterpret_cast<std::byte *>(tensor.bytes.data()),
                     tensor.bytes.size()));
  return status.ok() ? absl::StatusOr<onnx::BoundTensor>(std::move(tensor))
                     : status;
}
