// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an error or a warning carries a stable code. Which codes there are is
// said by who emits them: frontends/onnx/ErrorCodes.h, passes/ErrorCodes.h and
// compiler/ErrorCodes.h; what a code means to a user is in the compiler's
// catalogue.
#ifndef ACCEL_DIALECTS_DIAGNOSTICS_ERRORCODE_H
#define ACCEL_DIALECTS_DIAGNOSTICS_ERRORCODE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace accel {

/// A kind of mistake. A code stands for a kind of mistake, not for a sentence:
/// sentences get better, codes stay. One is never used again for something
/// else.
struct ErrorCode {
  llvm::StringLiteral name;  ///< ACCEL-E0203; of warnings ACCEL-W0301
  llvm::StringLiteral title; ///< "an attribute of an operator is not known"

  friend bool operator==(const ErrorCode &a, const ErrorCode &b) {
    return a.name == b.name;
  }
};

/// Whether it is the code of a warning and not of an error.
inline bool isWarning(const ErrorCode &code) {
  return code.name.starts_with("ACCEL-W");
}

/// Gives an error its code, unless it has one.
void setCode(mlir::Diagnostic &diagnostic, const ErrorCode &code);

/// An error that has its code from the start.
mlir::InFlightDiagnostic emitCodedError(mlir::Location location,
                                        const ErrorCode &code);

/// `error` with a code: `return withCode(op.emitError(), code) << ...;`
mlir::InFlightDiagnostic withCode(mlir::InFlightDiagnostic error,
                                  const ErrorCode &code);

/// The name of the code of an error or a warning, if it has one.
std::optional<llvm::StringRef> getCodeName(mlir::Diagnostic &diagnostic);

} // namespace accel

#endif
