// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows MLIR's diagnostics to the user of a compiler: what is wrong, then where
// in the model it is.
//
//   error: Gather 'embed': expected indices from 0 to 6, got 9 [ACCEL-E0301]
//     at gpt2.onnx: node 'embed' (transformer.wte, /home/user/train.py:12)
//   note: ...
#ifndef ACCEL_COMPILER_DIAGNOSTICS_H
#define ACCEL_COMPILER_DIAGNOSTICS_H

#include "compiler/DiagnosticsStyle.h"
#include "compiler/Problems.h"
#include "compiler/SarifLog.h"
#include "frontends/onnx/ImportNote.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace accel {

/// Prints what is emitted on a context as long as this object lives. Borrows:
/// the context, the stream and the style.
class DiagnosticPrinter {
public:
  /// `model` is the path of the model. Where `problems` is not null, errors go
  /// there and are not shown as text or JSON. Borrows: `problems`.
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &stream,
                    llvm::StringRef model, const DiagnosticsStyle &style,
                    Problems *problems);

  /// The code of errors that have none themselves, from now on.
  void setDefaultCode(std::optional<ErrorCode> code) { defaultCode = code; }

  /// Shows the warnings of an import and, with `remarks`, what it did.
  void print(const onnx::ImportNotes &notes, bool remarks);

  /// Shows a warning that belongs to no place in the model.
  void printWarning(const llvm::Twine &text,
                    std::optional<ErrorCode> code = std::nullopt);

  /// Shows an error that belongs to no place in the model.
  void printError(const llvm::Twine &text,
                  std::optional<ErrorCode> code = std::nullopt);

  /// How many errors were shown.
  unsigned getErrorCount() const { return errors; }

  /// Everything so far, where the format is SARIF.
  const SarifLog &getLog() const { return log; }

  /// The code of the first error, if there was one and it had one.
  std::optional<ErrorCode> getFirstCode() const { return firstCode; }

private:
  void print(mlir::Diagnostic &diagnostic);
  void show(mlir::DiagnosticSeverity severity, const llvm::Twine &text,
            const ErrorInfo *info = nullptr, const Place &place = {});
  void showNote(mlir::Diagnostic &note);
  void write(mlir::DiagnosticSeverity severity, llvm::StringRef text,
             const ErrorInfo *info, bool wasWarning, const Place &place);
  void writeJson(mlir::DiagnosticSeverity severity, llvm::StringRef text,
                 const ErrorInfo *info, const Place &place);
  bool isIgnored(const ErrorInfo *info) const;
  const ErrorInfo *codeOf(mlir::Diagnostic &diagnostic) const;

  llvm::raw_ostream &stream;
  std::string model;
  const DiagnosticsStyle &style;
  Problems *problems;
  SarifLog log;
  std::optional<ErrorCode> defaultCode;
  std::optional<ErrorCode> firstCode;
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace accel

#endif
