// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that inputs are bound to when a model is compiled (`--bind`).
#ifndef ACCEL_COMPILER_BOUNDINPUTS_H
#define ACCEL_COMPILER_BOUNDINPUTS_H

#include "compiler/Options.h"
#include "frontends/onnx/ImportOptions.h"
#include "runtime/io/vfs.h"

#include "absl/status/statusor.h"
#include "llvm/Support/Error.h"

namespace accel {

/// The value of a `--bind NAME=FILE.npy`.
llvm::Expected<InputBinding> parseBinding(llvm::StringRef text);

/// Reads the array. Errors begin with its file.
absl::StatusOr<onnx::BoundTensor> readBoundTensor(runtime::Vfs &vfs,
                                                  const InputBinding &binding);

} // namespace accel

#endif
