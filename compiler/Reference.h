// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accelc knows and can say without a model: operators and codes.
#ifndef ACCEL_COMPILER_REFERENCE_H
#define ACCEL_COMPILER_REFERENCE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace accel {

/// The operators of the importer's table, with the operator sets in which they
/// are known, how many inputs they have and which attributes they may.
void printOperators(llvm::raw_ostream &output, bool json);

/// What `code` means and what to do about it; with "all", one line for each
/// code. False, with a complaint to `messages`, if there is no such code.
bool explainCode(llvm::StringRef code, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages);

} // namespace accel

#endif
