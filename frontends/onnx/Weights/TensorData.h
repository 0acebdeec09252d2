// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and bytes of TensorProtos: every form in which ONNX stores a tensor
// becomes little-endian row-major bytes.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_TENSORDATA_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_TENSORDATA_H

#include "frontends/onnx/Model/Schema.h"
#include "frontends/onnx/Weights/WeightTable.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

namespace accel::onnx {

/// The element type for an ONNX data type, or null if the `accel` dialect has
/// none.
mlir::Type getElementType(mlir::MLIRContext &context, int32_t dataType);

/// The same; integers of 8 and 16 bits are read as those of 32.
mlir::Type getValueType(mlir::MLIRContext &context, int32_t dataType);

/// The data types that getValueType has an element type for, for messages.
llvm::StringRef getValueTypeNames();

/// The numbers from `first` to `last`.
struct IntegerRange {
  int64_t first, last;
};

/// What an integer of 8 or 16 bits can be; nothing for other data types.
std::optional<IntegerRange> getNarrowRange(int32_t dataType);

/// Bytes of one element in a file (a boolean takes one).
uint64_t getElementSize(mlir::Type elementType);
/// Bytes of all elements of a tensor of `type` where a file has it.
uint64_t getStoredSize(mlir::RankedTensorType type, int32_t dataType);
/// Such bytes as those of getValueType.
std::string widenStored(std::string bytes, int32_t dataType);

/// ONNX's name of a data type, for messages.
std::string getDataTypeName(int32_t dataType);

/// The type of `tensor`; errors name what is wrong: element type, negative or
/// overflowing dimensions.
llvm::Expected<mlir::RankedTensorType>
getTensorType(mlir::MLIRContext &context, const pb::TensorProto &tensor);

/// `[2, 3]`
std::string describeShape(const pb::TensorProto &tensor);

/// The bytes that lie in `tensor` itself, widened. Requires: no external data.
/// If `steal`, `tensor` loses them.
llvm::Expected<TensorBytes> getInlineBytes(pb::TensorProto &tensor,
                                           mlir::RankedTensorType type,
                                           bool steal);

/// A constant of `type` from its bytes.
mlir::DenseElementsAttr getElements(mlir::RankedTensorType type,
                                    llvm::StringRef bytes);

} // namespace accel::onnx

#endif
