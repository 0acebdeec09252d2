// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a compilation.
#ifndef ACCEL_COMPILER_COMPILERTHREADS_H
#define ACCEL_COMPILER_COMPILERTHREADS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ThreadPool.h"

#include <optional>
#include <string>

namespace accel {

/// As many threads as are wanted and as the system lets start.
class CompilerThreads {
public:
  /// `wanted`: 0 for as many as there are cores.
  explicit CompilerThreads(unsigned wanted);

  /// Starts the threads and lets `context` use them, if there is more than one.
  /// The context must go before this object does.
  void attachTo(mlir::MLIRContext &context);

  /// What to warn of where fewer started than were wanted.
  std::optional<std::string> describeShortage() const;

private:
  unsigned wanted, started;
  llvm::DefaultThreadPool pool;
};

} // namespace accel

#endif
