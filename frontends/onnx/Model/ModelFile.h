// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an ONNX file that nobody vouches for: either a ModelProto whose
// versions this compiler knows, or one precise error.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_MODELFILE_H
#define ACCEL_FRONTENDS_ONNX_MODEL_MODELFILE_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace accel::onnx {

/// Versions of the IR and of the default operator set that the importer knows.
constexpr int64_t oldestIrVersion = 3, newestIrVersion = 14;
constexpr int64_t oldestOpset = 6, newestOpset = 28;
/// The oldest operator set that converters know; nodes of older ones are
/// written as this one has them.
constexpr int64_t convertedOpset = 13;

/// Reads the model at `path`. Nothing is allocated beyond a small multiple of
/// the file's size.
mlir::FailureOr<std::unique_ptr<pb::ModelProto>>
readModelFile(llvm::StringRef path, mlir::MLIRContext &context);

/// A domain under its one name: that of the default operator set is empty.
inline llvm::StringRef getDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? llvm::StringRef() : domain;
}

/// The version of the default operator set that `model` imports, or 0.
int64_t defaultOpset(const pb::ModelProto &model);

} // namespace accel::onnx

#endif
