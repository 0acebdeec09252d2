// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of windows that are made of a tensor with one element for each window,
// so that no windows need be in memory: those of a product, as the gradient of
// a convolution's input and a transposed convolution are, become products of
// windows; those computed element by element, as the gradients of pools and of
// depthwise convolutions are, arithmetic on slices.
#ifndef ACCEL_PASSES_FUSE_WINDOWPRODUCTS_H
#define ACCEL_PASSES_FUSE_WINDOWPRODUCTS_H

#include "passes/Fuse/WindowPhases.h"

#include "mlir/IR/PatternMatch.h"

#include <memory>

namespace accel {

/// `sum` as a sum of what a product makes; null if it is none. What a product
/// of 16 bits makes may be rounded before it is summed: then the sums are
/// rounded instead.
std::unique_ptr<WindowPhases> findProductOfWindows(ArithmeticBuilder &builder,
                                                   SumWindowsOp sum);
/// `sum` as a sum of what is computed element by element; null if it is none.
std::unique_ptr<WindowPhases> findComputedWindows(ArithmeticBuilder &builder,
                                                  SumWindowsOp sum);

/// Adds the patterns. They go before those of `populateWindowExpansions`.
void populateWindowProducts(mlir::RewritePatternSet &patterns);

} // namespace accel

#endif
