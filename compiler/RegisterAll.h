// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One place that knows every dialect and every pass, for accel-opt and the
// driver.
#ifndef ACCEL_COMPILER_REGISTERALL_H
#define ACCEL_COMPILER_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace accel {

/// Adds every dialect the compiler uses to `registry`.
void registerAllAccelDialects(mlir::DialectRegistry &registry);

/// Registers the passes of every phase under their command-line names. Call
/// once per process.
void registerAllAccelPasses();

} // namespace accel

#endif
