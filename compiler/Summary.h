// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a person reads after a compilation: what was made, what it trains, what
// was decided for them.
#ifndef ACCEL_COMPILER_SUMMARY_H
#define ACCEL_COMPILER_SUMMARY_H

#include "compiler/ModelFacts.h"
#include "compiler/Options.h"
#include "runtime/plan/schema/plan.pb.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

/// What a plan refers to instead of containing it; empty if nothing.
std::string describeExternalFiles(llvm::ArrayRef<planpb::ExternalFile> files);

/// About ten lines. `memory` says what fits a limit, if there is one, `weights`
/// what describeExternalFiles does,
/// `planBytes` is the size of the file, `seconds` the time that it took.
void printSummary(const ModelFacts &facts, const CompilerOptions &options,
                  llvm::StringRef memory, llvm::StringRef weights,
                  uint64_t planBytes, double seconds,
                  llvm::raw_ostream &stream);

} // namespace accel

#endif
