// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random pauses before instructions: a run with them must give the same bits.
#ifndef ACCEL_TOOLS_ACCEL_RUN_STREAM_JITTER_H_
#define ACCEL_TOOLS_ACCEL_RUN_STREAM_JITTER_H_

#include <cstdint>
#include <functional>

#include "runtime/plan/schema/plan.pb.h"

namespace accel::tools {

// For ExecutorOptions::before_instruction. About one instruction in eight waits
// up to half a millisecond; which ones depends on the seed, the thread's number
// and how many came before.
// Threads: any number of them, each with a sequence of its own.
std::function<void(const planpb::Instruction&)> MakeStreamJitter(uint64_t seed);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_STREAM_JITTER_H_
