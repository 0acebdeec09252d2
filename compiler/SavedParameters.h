// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state dict of a model, from the file that `--params` names.
#ifndef ACCEL_COMPILER_SAVEDPARAMETERS_H
#define ACCEL_COMPILER_SAVEDPARAMETERS_H

#include "frontends/onnx/ImportOptions.h"
#include "runtime/io/vfs.h"

#include "absl/status/statusor.h"

namespace accel {

/// Reads the headers of a safetensors file, or of all files of an index; each
/// tensor is read when it is asked for. Errors begin with the file. Borrows:
/// `vfs`, until the last tensor is read.
absl::StatusOr<onnx::SavedParameters> readSavedParameters(runtime::Vfs &vfs,
                                                          llvm::StringRef path);

/// What it reads: the file, or the index and its files. Just `path` if that
/// cannot be read, which readSavedParameters tells.
std::vector<std::string> listParameterFiles(runtime::Vfs &vfs,
                                            llvm::StringRef path);

} // namespace accel

#endif
