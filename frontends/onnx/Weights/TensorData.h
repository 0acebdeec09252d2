// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and bytes of TensorProtos: every form in which ONNX stores a tensor
// becomes little-endian row-major bytes.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_TENSORDATA_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_TENSORDATA_H

#include "frontends/onnx/Model/Schema.h"
#include "frontends/onnx/Weights/WeightTable.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

namespace accel::onnx {

/// The element type for an ONNX data type, or null if the `accel` dialect has
/// none.
mlir::Type getElementType(mlir::MLIRContext &context, int32_t dataType);

/// Bytes of one element in a file (a boolean takes one).
uint64_t getElementSize(mlir::Type elementType);

/// ONNX's name of a data type, for messages.
std::string getDataTypeName(int32_t dataType);

/// The type of `tensor`; errors name what is wrong: element type, negative or
/// overflowing dimensions.
llvm::Expected<mlir::RankedTensorType>
getTensorType(mlir::MLIRContext &context, const pb::TensorProto &tensor);

/// `[2, 3]`
std::string describeShape(const pb::TensorProto &tensor);

/// The bytes that lie in `tensor` itself. Requires: no external data. If
/// `steal`, `tensor` loses them.
llvm::Expected<TensorBytes> getInlineBytes(pb::TensorProto &tensor,
                                           mlir::RankedTensorType type,
                                           bool steal);

/// A constant of `type` from its bytes.
mlir::DenseElementsAttr getElements(mlir::RankedTensorType type,
                                    llvm::StringRef bytes);

} // namespace accel::onnx

#endif
