// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that a model has for the place of a sample in its microbatch, as
// `torch.arange(x.shape[0])` is.
#ifndef ACCEL_PASSES_DIFFERENTIATE_SAMPLENUMBERS_H
#define ACCEL_PASSES_DIFFERENTIATE_SAMPLENUMBERS_H

#include "passes/Differentiate/SampleAxis.h"

#include "mlir/IR/Value.h"

namespace accel {

/// Whether `value`, which depends on no sample, is known to have other elements
/// for one of the `batch` samples along `axis` than for another: so that what
/// it is combined with depends on a sample's neighbours.
bool tellsSamplesApart(mlir::Value value, SampleAxis axis, int64_t batch);

} // namespace accel

#endif
