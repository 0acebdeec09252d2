// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What dropout draws its random numbers from.
#ifndef ACCEL_PASSES_IMPORT_RANDOMINPUTS_H
#define ACCEL_PASSES_IMPORT_RANDOMINPUTS_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

#include <utility>

namespace accel {

/// The step's indices of `samples` samples, and its seed.
inline std::pair<mlir::Value, mlir::Value>
createRandomInputs(mlir::OpBuilder &builder, mlir::Location loc,
                   int64_t samples) {
  mlir::Type i64 = builder.getI64Type();
  mlir::Value indices =
      InputOp::create(builder, loc, mlir::RankedTensorType::get({samples}, i64),
                      "sample_indices");
  mlir::Value seed = InputOp::create(
      builder, loc, mlir::RankedTensorType::get({}, i64), "seed");
  return {indices, seed};
}

} // namespace accel

#endif
