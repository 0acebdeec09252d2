// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phases of a compilation, in order: the one table behind the pipeline,
// `--compile-to`, `--dump-phases` and the documentation.
#ifndef ACCEL_COMPILER_PHASES_H
#define ACCEL_COMPILER_PHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace accel {

enum class Phase {
  Frontend,
  Import,
  Differentiate,
  Precision,
  Accumulate,
  Shard,
  Partition,
  Fuse,
  Schedule,
  Memory,
  Lower
};

struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;       ///< on the command line and in file names
  llvm::StringLiteral meaning;    ///< what it does
  llvm::StringLiteral afterwards; ///< what is true when it is done
};

/// All phases, in the order in which they run.
llvm::ArrayRef<PhaseInfo> getPhases();

const PhaseInfo &getPhaseInfo(Phase phase);

std::optional<Phase> findPhase(llvm::StringRef name);

/// `frontend, import, ...`: for messages.
std::string listPhaseNames();

} // namespace accel

#endif
