// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of code variants, for command lines: no MLIR in here.
#ifndef ACCEL_PASSES_TARGET_TARGETNAMES_H
#define ACCEL_PASSES_TARGET_TARGETNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace accel {

/// All variants that there are, the most capable first.
llvm::ArrayRef<llvm::StringLiteral> getVariantNames();

/// Whether a variant is for GPUs.
bool isForGpus(llvm::StringRef name);
/// Whether it is code of one generation of GPUs, which ptxas makes; otherwise
/// those of GPUs are PTX.
bool isCubin(llvm::StringRef name);

/// The variants of a list, "x86-64-v4,x86-64-v3", the most capable first; `cpu`
/// stands for all of CPUs. Empty after `complain` was called with what was
/// expected and what was found.
std::vector<std::string>
parseVariants(llvm::StringRef list,
              llvm::function_ref<void(const llvm::Twine &)> complain);

} // namespace accel

#endif
