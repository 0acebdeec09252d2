// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of windows that a product makes, as the gradient of a convolution's
// input and a transposed convolution are: products of windows themselves, which
// need no windows in memory.
#ifndef ACCEL_PASSES_FUSE_WINDOWPRODUCTS_H
#define ACCEL_PASSES_FUSE_WINDOWPRODUCTS_H

#include "mlir/IR/PatternMatch.h"

namespace accel {

/// Adds the patterns. They go before those of `populateWindowExpansions`.
void populateWindowProducts(mlir::RewritePatternSet &patterns);

} // namespace accel

#endif
