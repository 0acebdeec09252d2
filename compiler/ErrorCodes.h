// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The codes of what the compiler refuses and warns of by itself: what only the
// command line and the whole plan decide.
#ifndef ACCEL_COMPILER_ERRORCODES_H
#define ACCEL_COMPILER_ERRORCODES_H

#include "dialects/Diagnostics/ErrorCode.h"

namespace accel::driver_codes {

inline constexpr ErrorCode AdapterFolder{"ACCEL-E0103",
                                         "a folder of adapters cannot be read"};
inline constexpr ErrorCode ParameterFile{"ACCEL-E0104",
                                         "a file of parameters cannot be read"};
inline constexpr ErrorCode GlobalBatch{
    "ACCEL-E0603", "the samples of a step do not make whole microbatches"};
inline constexpr ErrorCode MemoryLimit{"ACCEL-E0801",
                                       "the step needs too much memory"};
inline constexpr ErrorCode PaddedSteps{
    "ACCEL-W0601", "much of a step is computed for padding"};

/// All of them.
inline constexpr ErrorCode all[] = {AdapterFolder, ParameterFile, GlobalBatch,
                                    MemoryLimit, PaddedSteps};

} // namespace accel::driver_codes

#endif
