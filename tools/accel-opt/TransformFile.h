// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of accel-opt: one that is read, one that is written.
#ifndef ACCEL_TOOLS_ACCEL_OPT_TRANSFORMFILE_H
#define ACCEL_TOOLS_ACCEL_OPT_TRANSFORMFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace accel {

struct TransformFiles {
  llvm::StringRef input;  ///< "-": standard input
  llvm::StringRef values; ///< read as well; empty: none
  llvm::StringRef output; ///< "-": standard output
};

using Transform = llvm::function_ref<mlir::LogicalResult(
    std::unique_ptr<llvm::MemoryBuffer> input, llvm::raw_ostream &output)>;

/// Calls `transform`. The output is no file that is read, and appears complete
/// or, after a failure, not at all; standard output gets what there is. Errors
/// are printed.
mlir::LogicalResult transformFile(const TransformFiles &files,
                                  Transform transform);

} // namespace accel

#endif
