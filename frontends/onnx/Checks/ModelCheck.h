// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gate in front of the importer: what ONNX's own checker refuses is refused
// here, before anything is made of the model. Behind it an attribute has the
// type that its operator gives it, and a name stands for one thing.
//
// Two rules are not enforced, because what they ask for is computed anyway:
// nodes may come in any order, and outputs need no type.
#ifndef ACCEL_FRONTENDS_ONNX_CHECKS_MODELCHECK_H
#define ACCEL_FRONTENDS_ONNX_CHECKS_MODELCHECK_H

#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

namespace accel::onnx {

/// Emits an error for every rule that `model`, read from `path`, breaks.
mlir::LogicalResult checkModel(const pb::ModelProto &model,
                               llvm::StringRef path,
                               mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
