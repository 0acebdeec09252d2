// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler tells the build systems that call it.
#ifndef ACCEL_COMPILER_EXITCODE_H
#define ACCEL_COMPILER_EXITCODE_H

namespace accel {

/// What a program exits with. Stable: build systems read it. The numbers
/// between are those of accel-run.
enum class ExitCode {
  Ok = 0,
  /// The model or an option does not make a training step, or none that fits
  /// the memory limit.
  CompileError = 1,
  CommandLine = 2,
  Unsupported = 3, ///< an operator that the compiler does not know
  InputOutput = 4, ///< a file cannot be read, is damaged, cannot be written
  Internal = 70,   ///< our mistake
};

} // namespace accel

#endif
