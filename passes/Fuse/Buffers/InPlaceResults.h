// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of kernels that lie where an operand lay that nobody needs any more.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_INPLACERESULTS_H
#define ACCEL_PASSES_FUSE_BUFFERS_INPLACERESULTS_H

#include "passes/Fuse/Buffers/KernelCall.h"
#include "passes/Fuse/Buffers/ValueBuffers.h"

#include <optional>

namespace accel {

/// The number of an operand of `call` whose buffer `result` may overwrite, as
/// nobody reads the operand afterwards, the kernel reads it only where it
/// writes, and no other result takes the buffer; none if there is no such one.
std::optional<unsigned> findOverwrittenOperand(KernelCall &call,
                                               mlir::Value result,
                                               const ValueBuffers &values);

} // namespace accel

#endif
