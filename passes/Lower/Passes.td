// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Lower that serve every target.
#ifndef ACCEL_PASSES_LOWER_PASSES_TD
#define ACCEL_PASSES_LOWER_PASSES_TD
include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"accel-expand-math", "::mlir::func::FuncOp"> {
  let summary = "replaces mathematical functions by arithmetic";
  let description = [{
    exp, log, tanh, erf, sin, cos, pow and maxima and minima that keep NaN become arithmetic, so that no call leaves a
    kernel; f32's sin, cos and pow are computed in f64. Sums and differences with a product that is used once become
    `math.fma`: what is fused is decided here, for all targets.

    Requires: f32 or f64; tanh and erf f32.
    Ensures: of `math` only fma, sqrt, absf and floor are left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}
#endif
