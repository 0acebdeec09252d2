// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as one log of the Static Analysis Results Interchange Format,
// SARIF 2.1.0 (OASIS), which code hosts and build servers show.
#ifndef ACCEL_COMPILER_SARIFLOG_H
#define ACCEL_COMPILER_SARIFLOG_H

#include "compiler/ErrorCatalogue.h"
#include "compiler/Place.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

class SarifLog {
public:
  /// `model` is the path of the model, which is what every result is about
  /// that names no line of the user's.
  explicit SarifLog(llvm::StringRef model) : model(model.str()) {}

  /// Adds a result. Null `info`: it has no code.
  void add(mlir::DiagnosticSeverity severity, llvm::StringRef text,
           const ErrorInfo *info, const Place &place);
  /// Says something about the result that was added last.
  void addNote(llvm::StringRef text, const Place &place);

  void print(llvm::raw_ostream &stream, int exitCode) const;

private:
  llvm::json::Object makeLocation(const Place &place) const;

  std::string model;
  std::vector<llvm::json::Object> results;
};

} // namespace accel

#endif
