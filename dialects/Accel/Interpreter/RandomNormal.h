// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normally distributed values as `accel.random_normal` defines them.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_RANDOMNORMAL_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_RANDOMNORMAL_H

#include "dialects/Accel/Interpreter/HostTensor.h"

namespace accel {

/// Element e is a function of (seed, site, e) alone. Requires: a float type.
HostTensor makeRandomNormal(mlir::RankedTensorType type, int64_t seed,
                            int64_t site, double mean, double deviation);

} // namespace accel

#endif
