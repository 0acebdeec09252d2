// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds the symbolic dimensions of a model's inputs to sizes, so that every
// later shape is static.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_DIMENSIONS_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_DIMENSIONS_H

#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace accel::onnx {

struct BoundInputs {
  int64_t batch = 0; ///< the microbatch: the leading dimension of all inputs
  std::string batchSymbol; ///< empty: the file fixes it
  llvm::SmallVector<mlir::RankedTensorType> types;
};

/// The types of `inputs` with all dimensions bound. The rules, in this order:
/// 1. `--dim NAME=SIZE` binds the file's own symbol NAME;
/// 2. a symbolic first dimension shared by all inputs is the microbatch: `--dim
/// batch=SIZE` binds it, else it is 4;
/// 3. `--dim seq=SIZE` binds the one other symbol that is unbound, if there is
/// just one;
/// 4. whatever is left unbound is one error with the flags to add.
mlir::FailureOr<BoundInputs>
bindDimensions(llvm::ArrayRef<const pb::ValueInfoProto *> inputs,
               const ImportOptions &options, llvm::StringRef path,
               mlir::MLIRContext &context);

/// Some size for every symbol of `inputs`: for what can be said of a model
/// whose dimensions are not bound.
ImportOptions assumeSizes(llvm::ArrayRef<const pb::ValueInfoProto *> inputs);

} // namespace accel::onnx

#endif
