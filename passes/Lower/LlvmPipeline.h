// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's passes over the code of kernels.
#ifndef ACCEL_PASSES_LOWER_LLVMPIPELINE_H
#define ACCEL_PASSES_LOWER_LLVMPIPELINE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace accel {

/// Runs `pipeline`, in the words of LLVM's `opt`. No loop becomes a call of a
/// library.
llvm::Error runPipeline(llvm::Module &module, llvm::TargetMachine &machine,
                        llvm::StringRef pipeline);

} // namespace accel

#endif
