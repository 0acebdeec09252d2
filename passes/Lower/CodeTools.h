// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code is made with besides LLVM, for command lines: no MLIR in here.
#ifndef ACCEL_PASSES_LOWER_CODETOOLS_H
#define ACCEL_PASSES_LOWER_CODETOOLS_H

#include <string>

namespace accel {

/// Programs of others that code is made with.
struct CodeTools {
  std::string
      cudaPath; ///< where ptxas is looked for; empty: where it mostly is
  bool keepsPtx = false; ///< code for GPUs stays PTX, in all variants
  /// The longest time of one run of ptxas: a thousand times what any plan takes
  /// on a machine that does nothing else.
  unsigned ptxasSeconds = 600;
};

} // namespace accel

#endif
