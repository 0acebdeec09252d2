// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows MLIR's diagnostics to the user of a compiler: what is wrong, then where
// in the model it is.
//
//   error: Gather 'embed': expected indices from 0 to 6, got 9 [ACCEL-E0301]
//     at gpt2.onnx: node 'embed' (transformer.wte, /home/user/train.py:12)
//   note: ...
#ifndef ACCEL_COMPILER_DIAGNOSTICS_H
#define ACCEL_COMPILER_DIAGNOSTICS_H

#include "compiler/Problems.h"
#include "frontends/onnx/ImportNote.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace accel {

/// How diagnostics are shown.
struct DiagnosticsStyle {
  bool quiet = false; ///< no remarks
  bool json = false;  ///< an object per line
  /// If not null, errors go there and are not shown. Borrowed.
  Problems *problems = nullptr;
};

/// Prints what is emitted on a context as long as this object lives. Borrows:
/// the context and the stream.
class DiagnosticPrinter {
public:
  /// `model` is the path of the model.
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &stream,
                    llvm::StringRef model, DiagnosticsStyle style);

  /// The code of errors that have none themselves, from now on.
  void setDefaultCode(std::optional<ErrorCode> code) { defaultCode = code; }

  /// Shows what an import did.
  void print(const onnx::ImportNotes &notes);

  /// Shows an error that belongs to no place in the model.
  void printError(const llvm::Twine &text,
                  std::optional<ErrorCode> code = std::nullopt);

  /// How many errors were shown.
  unsigned getErrorCount() const { return errors; }

private:
  void print(mlir::Diagnostic &diagnostic);
  void printText(mlir::DiagnosticSeverity severity, const llvm::Twine &text,
                 const ErrorInfo *info = nullptr, const Place &place = {});
  const ErrorInfo *codeOf(mlir::Diagnostic &diagnostic) const;

  llvm::raw_ostream &stream;
  std::string model;
  DiagnosticsStyle style;
  std::optional<ErrorCode> defaultCode;
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace accel

#endif
