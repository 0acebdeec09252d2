// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a model with their types and values, and the values of its
// constants.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_MODELWEIGHTS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_MODELWEIGHTS_H

#include "frontends/onnx/Weights/ParameterRecovery.h"
#include "frontends/onnx/Weights/WeightTable.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <map>

namespace accel::onnx {

/// One parameter of the model, whichever and however many initializers hold it.
struct ModelParameter {
  std::string name;
  mlir::RankedTensorType type;
  RecoveredParameter::Kind kind = RecoveredParameter::Kind::Plain;
  llvm::SmallVector<RecoveredParameter, 1>
      holders;                     ///< the one that gives the value first
  mlir::RankedTensorType heldType; ///< of the first holder
};

/// Everything that the file's initializers hold.
struct ModelWeights {
  std::vector<ModelParameter> parameters; ///< in the order of the recovery
  llvm::StringMap<size_t> byName;
  WeightTable table; ///< of parameters whose value the file has
  std::vector<std::string>
      absent;             ///< parameters whose external file does not exist
  std::string absentFile; ///< the first such file
};

/// Collects the parameters of `graph` and takes their data out of it and of
/// `recovery.folded`: afterwards only constants have data. Errors name the
/// initializer.
mlir::FailureOr<ModelWeights> collectWeights(pb::GraphProto &graph,
                                             Recovery &recovery,
                                             llvm::StringRef path,
                                             mlir::MLIRContext &context);

/// The bytes of a constant initializer, which must be there.
mlir::FailureOr<std::string> readConstant(const pb::TensorProto &tensor,
                                          llvm::StringRef path,
                                          mlir::MLIRContext &context);

/// The same as an attribute.
mlir::FailureOr<mlir::DenseElementsAttr>
readConstantElements(const pb::TensorProto &tensor, llvm::StringRef path,
                     mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
