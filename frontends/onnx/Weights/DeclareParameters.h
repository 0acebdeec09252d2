// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a model as operations.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_DECLAREPARAMETERS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_DECLAREPARAMETERS_H

#include "frontends/onnx/Weights/ModelWeights.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel::onnx {

/// Adds one `accel.parameter` to `module` for each of `parameters`, which train
/// and begin with the values of the file, and says where an export puts them.
void declareParameters(mlir::ModuleOp module,
                       llvm::ArrayRef<ModelParameter> parameters);

} // namespace accel::onnx

#endif
