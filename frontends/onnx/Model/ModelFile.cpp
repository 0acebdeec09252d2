// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells an ONNX file from a truncated one and from anything else by walking the
// top level of the wire format first.
#include "frontends/onnx/Model/ModelFile.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/TextEncoding.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <limits>
#include <system_error>

using namespace mlir;

namespace accel::onnx {
namespace {

InFlightDiagnostic fileError(MLIRContext &context, StringRef path) {
  return emitCodedError(UnknownLoc::get(&context), codes::ModelFile)
         << path << ": ";
}

/// What the top level of a serialized message looks like.
struct TopLevel {
  bool isModel = true;
  std::optional<uint64_t>
      claimed; ///< set if a field claims more bytes than are left
  uint64_t left = 0;
  uint64_t offset = 0;
};

bool readVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    uint8_t byte = bytes.front();
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      return true;
    }
  }
  return false;
}

/// Whether a ModelProto has a field of this number and wire type.
bool isModelField(uint64_t field, uint64_t wireType) {
  constexpr uint64_t integers[] = {1, 5};
  constexpr uint64_t messages[] = {2, 3, 4, 6, 7, 8, 14, 20, 25, 26};
  return (wireType == 0 && llvm::is_contained(integers, field)) ||
         (wireType == 2 && llvm::is_contained(messages, field));
}

TopLevel scanTopLevel(StringRef bytes) {
  TopLevel found;
  const uint64_t size = bytes.size();
  while (!bytes.empty()) {
    found.offset = size - bytes.size();
    uint64_t tag = 0, value = 0;
    if (!readVarint(bytes, tag) || !isModelField(tag >> 3, tag & 7)) {
      found.isModel = false;
      return found;
    }
    bool complete = readVarint(bytes, value);
    if ((tag & 7) == 0 && complete) {
      continue;
    }
    if (!complete || value > bytes.size()) {
      found.claimed = value;
      found.left = bytes.size();
      return found;
    }
    bytes = bytes.drop_front(value);
  }
  return found;
}

constexpr uint64_t kMostModelBytes = std::numeric_limits<int32_t>::max();

InFlightDiagnostic sizeError(MLIRContext &context, StringRef path,
                             const llvm::Twine &size) {
  return fileError(context, path)
         << "expected at most " << kMostModelBytes
         << " bytes (the limit of a protobuf message), got " << size
         << "; keep the weights outside: torch.onnx.export(..., "
            "external_data=True)";
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
readStandardInput(MLIRContext &context) {
  constexpr size_t piece = size_t(1) << 16;
  llvm::SmallVector<char, 0> bytes;
  while (bytes.size() <= kMostModelBytes) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(size + piece);
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
        llvm::sys::fs::getStdinHandle(),
        llvm::MutableArrayRef(bytes.data() + size, piece));
    if (!count) {
      return fileError(context, standardInput)
             << "cannot read the model: " << llvm::toString(count.takeError());
    }
    bytes.truncate(size + *count);
    if (*count == 0) {
      return llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(bytes.data(), bytes.size()));
    }
  }
  return sizeError(context, standardInput, "more");
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> openModel(StringRef path,
                                                         MLIRContext &context) {
  if (path == standardInput) {
    return readStandardInput(context);
  }
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (code == std::errc::no_such_file_or_directory) {
    return fileError(context, path)
           << "expected an ONNX file, got none (" << code.message()
           << "); check the path, or write one with torch.onnx.export(model, "
              "args, \"model.onnx\", dynamo=True)";
  }
  if (code) {
    return fileError(context, path)
           << "cannot read the model: " << code.message()
           << "; check the path and its permissions";
  }
  if (status.type() != llvm::sys::fs::file_type::regular_file) {
    return fileError(context, path)
           << "expected an ONNX file, got "
           << (status.type() == llvm::sys::fs::file_type::directory_file
                   ? "a folder"
                   : "a special file");
  }
  if (status.getSize() > kMostModelBytes) {
    return sizeError(context, path, llvm::Twine(status.getSize()));
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return fileError(context, path)
           << "cannot read the model: " << buffer.getError().message()
           << "; check the path and its permissions";
  }
  return std::move(*buffer);
}

LogicalResult checkVersions(const pb::ModelProto &model, StringRef path,
                            MLIRContext &context) {
  if (model.ir_version() < oldestIrVersion ||
      model.ir_version() > newestIrVersion) {
    return fileError(context, path)
           << "expected ONNX IR version " << oldestIrVersion << " to "
           << newestIrVersion << ", got " << model.ir_version()
           << "; convert the file with a matching release of the onnx package";
  }
  int64_t opset = defaultOpset(model);
  if (opset < oldestOpset || opset > newestOpset) {
    return fileError(context, path)
           << "expected operator set " << oldestOpset << " to " << newestOpset
           << " of the default domain, got "
           << (opset == 0 ? std::string("none") : std::to_string(opset))
           << "; export again with torch.onnx.export(..., opset_version=20)";
  }
  return success();
}

} // namespace

int64_t defaultOpset(const pb::ModelProto &model) {
  for (const pb::OperatorSetIdProto &entry : model.opset_import()) {
    if (getDomain(entry.domain()).empty()) {
      return entry.version();
    }
  }
  return 0;
}

FailureOr<std::unique_ptr<pb::ModelProto>> readModelFile(StringRef path,
                                                         MLIRContext &context) {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      openModel(path, context);
  if (failed(buffer)) {
    return failure();
  }
  StringRef bytes = (*buffer)->getBuffer();
  TopLevel top = scanTopLevel(bytes);
  if (top.claimed) {
    return fileError(context, path)
           << "the file is truncated: expected " << *top.claimed
           << " bytes after offset " << top.offset << ", got " << top.left
           << "; copy or export it again";
  }
  auto model = std::make_unique<pb::ModelProto>();
  if (!top.isModel || bytes.empty() ||
      !model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      model->ir_version() == 0 || !model->has_graph()) {
    return fileError(context, path)
           << "expected an ONNX model (a protobuf with an IR version and a "
              "graph), got "
           << (bytes.empty() ? "an empty file" : "something else")
           << "; write one with torch.onnx.export(model, args, \"model.onnx\", "
              "dynamo=True)";
  }
  if (failed(checkVersions(*model, path, context))) {
    return failure();
  }
  if (std::optional<InvalidText> text = findInvalidText(*model)) {
    return fileError(context, path)
           << (text->isUtf8 ? "expected names without control characters, got "
                              "some in '"
                            : "expected all names in UTF-8, got other bytes in "
                              "'")
           << text->place
           << "'; the file is damaged, or its writer is: export it again";
  }
  return model;
}

} // namespace accel::onnx
