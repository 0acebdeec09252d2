// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a constant that the exporter computed from one parameter is to it: a
// transpose, a view, or the parameter plus 1. Only what the file proves is
// said.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDORIGINS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDORIGINS_H

#include "frontends/onnx/Weights/InitializerRoles.h"

namespace accel::onnx {

/// Whether `name` is the one of a node of the exported program that calls
/// aten.OPERATOR: `unsqueeze`, `unsqueeze_1`, ...
bool isFxNodeName(llvm::StringRef name, llvm::StringRef operatorName);

/// How `tensor`, folded from the values `origins` of which `parameter` is the
/// only parameter, holds it; none if the file does not tell. The evidence is
/// one of these:
/// - every use is that of an operator which takes the parameter, by its name,
///   in a shape that is always the same (PRelu, group norm, an indexed table);
/// - the constant's own name is the FX node of one ATen operator, or of several
///   of one kind, which leave one way back: the transpose of a matrix,
///   dimensions of size 1 that were put in, an alias;
/// - it is the FX node of a sum of the parameter and a constant, and another
///   initializer shows that this constant is 1.
std::optional<RecoveredParameter>
findFoldedParameter(const pb::TensorProto &tensor, llvm::StringRef parameter,
                    llvm::ArrayRef<std::string> origins,
                    const GraphIndex &index, const GraphSignature &signature);

} // namespace accel::onnx

#endif
