// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer: an ONNX file becomes a module of the `accel` dialect with
// parameters and `@forward`, all shapes static.
//
//   module @gpt2 attributes {accel.batch = 4 : i64, accel.model = {name =
//   "gpt2", ...}} {
//     accel.parameter @transformer.wte.weight : tensor<256x64xf32> trainable
//     {initial = {kind = "file", key = "transformer.wte.weight"}} func.func
//     @forward(%arg0: tensor<4x32xi64> {accel.name = "input_ids"}) ->
//     (tensor<4x32x256xf32> {accel.name = "logits"})
//   }
//
// Ensures: parameters have the names and orientation of the framework's state
// dict; no shape arithmetic is left; the locations of operations are those of
// the user's Python where the file records them; nothing in the module depends
// on where the file lies.
#ifndef ACCEL_FRONTENDS_ONNX_IMPORTONNX_H
#define ACCEL_FRONTENDS_ONNX_IMPORTONNX_H

#include "frontends/onnx/Export/ExportTemplate.h"
#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Weights/WeightTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace accel::onnx {

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The same with two other batches, to see which numbers depend on it. None
  /// if the file fixes the batch, does not convert with another one, or has no
  /// number that could be its loss.
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>, 2> otherBatches;
  WeightTable weights; ///< of the parameters with `initial = {kind = "file"}`
  ExportTemplate exportTemplate;      ///< for the trained model
  ImportNotes notes;                  ///< for the user
  std::vector<std::string> dataFiles; ///< of external data, beside the model
};

/// Imports the file at `path`. All errors are emitted on `context`, with
/// their codes.
mlir::FailureOr<ImportedModel> importOnnx(llvm::StringRef path,
                                          const ImportOptions &options,
                                          mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
