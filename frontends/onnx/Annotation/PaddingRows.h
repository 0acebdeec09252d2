// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of embeddings that their lookups do not train, PyTorch's
// `padding_idx`: as the file has them, or as the user says.
#ifndef ACCEL_FRONTENDS_ONNX_ANNOTATION_PADDINGROWS_H
#define ACCEL_FRONTENDS_ONNX_ANNOTATION_PADDINGROWS_H

#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel::onnx {

/// The padding row that the exporter's metadata record for a lookup in a table
/// of `rows` rows, if any.
std::optional<int64_t> findPaddingRow(const pb::NodeProto &node, int64_t rows);

/// Whether a lookup divides its rows' gradients by how often the microbatch
/// looks them up.
bool dividesByFrequency(const pb::NodeProto &node);

/// Gives all lookups of the embeddings in `rows` their padding row, or none,
/// and says in `notes` which embeddings have one. Fails after errors for names
/// that no lookup reads and for rows that an embedding does not have.
llvm::LogicalResult
assignPaddingRows(mlir::func::FuncOp forward,
                  const std::map<std::string, std::optional<int64_t>> &rows,
                  ImportNotes &notes);

} // namespace accel::onnx

#endif
