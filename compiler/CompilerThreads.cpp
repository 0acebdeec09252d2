// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of the threads that the system lets start.
#include "compiler/CompilerThreads.h"

#include "compiler/ThreadStart.h"

#include "llvm/ADT/Twine.h"

namespace accel {

CompilerThreads::CompilerThreads(unsigned count)
    : wanted(llvm::hardware_concurrency(count).compute_thread_count()),
      started(wanted > 1 ? countStartableThreads(wanted) : 1),
      pool(llvm::hardware_concurrency(std::max(started, 1U))) {}

void CompilerThreads::attachTo(mlir::MLIRContext &context) {
  if (started > 1) {
    startThreads(pool);
    context.setThreadPool(pool);
  }
}

std::optional<std::string> CompilerThreads::describeShortage() const {
  if (started >= wanted) {
    return std::nullopt;
  }
  return ("--threads: expected to start " + llvm::Twine(wanted) +
          " threads, got " + llvm::Twine(started) +
          "; the plan is the same, it takes longer (ulimit -v, ulimit -u and a "
          "container's limit of processes bound them)")
      .str();
}

} // namespace accel
