// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that may not start: a limit of address space, or of a container's
// processes, is no reason not to compile. LLVM's thread pool starts its threads
// one by one when there is work, and ends the program if one does not start; so
// the number is found out before, and all of them are started at once.
#ifndef ACCEL_COMPILER_THREADSTART_H
#define ACCEL_COMPILER_THREADSTART_H

#include "llvm/Support/ThreadPool.h"

namespace accel {

/// How many of `wanted` threads the system lets run beside this one.
unsigned countStartableThreads(unsigned wanted);

/// Starts all threads of a pool. Requires: none has started, and so many can.
void startThreads(llvm::ThreadPoolInterface &pool);

} // namespace accel

#endif
