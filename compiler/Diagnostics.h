// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows MLIR's diagnostics to the user of a compiler: what is wrong, then where
// in the model it is.
//
//   error: Gather 'embed': expected indices from 0 to 6, got 9
//     at gpt2.onnx: node 'embed' (transformer.wte, /home/user/train.py:12)
//   note: ...
#ifndef ACCEL_COMPILER_DIAGNOSTICS_H
#define ACCEL_COMPILER_DIAGNOSTICS_H

#include "frontends/onnx/ImportNote.h"

#include "mlir/IR/Diagnostics.h"

namespace accel {

/// Prints what is emitted on a context as long as this object lives. Borrows:
/// the context and the stream.
class DiagnosticPrinter {
public:
  /// `model` is the path of the model. With `quiet`, remarks are not shown.
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &stream,
                    llvm::StringRef model, bool quiet);

  /// Shows what an import did.
  void print(const onnx::ImportNotes &notes);

  /// Shows an error that belongs to no place in the model.
  void printError(const llvm::Twine &text);

  /// How many errors were shown.
  unsigned getErrorCount() const { return errors; }

private:
  void print(mlir::Diagnostic &diagnostic);
  void printText(mlir::DiagnosticSeverity severity, const llvm::Twine &text);

  llvm::raw_ostream &stream;
  std::string model;
  bool quiet;
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

/// `gpt2.onnx: node 'NAME' (SCOPE, FILE:LINE)`, without what the location does
/// not say; empty if it is about the whole model.
std::string describePlace(mlir::Location location, llvm::StringRef model);

} // namespace accel

#endif
