// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A code travels with an error as its metadata.
#include "dialects/Diagnostics/ErrorCode.h"

#include "mlir/IR/Attributes.h"

using namespace mlir;

namespace accel {

void setCode(Diagnostic &diagnostic, const ErrorCode &code) {
  if (!getCodeName(diagnostic)) {
    diagnostic.getMetadata().push_back(DiagnosticArgument(code.name));
  }
}

InFlightDiagnostic withCode(InFlightDiagnostic error, const ErrorCode &code) {
  setCode(*error.getUnderlyingDiagnostic(), code);
  return error;
}

InFlightDiagnostic emitCodedError(Location location, const ErrorCode &code) {
  return withCode(emitError(location), code);
}

std::optional<StringRef> getCodeName(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    bool isText = argument.getKind() ==
                  DiagnosticArgument::DiagnosticArgumentKind::String;
    if (isText && argument.getAsString().starts_with("ACCEL-")) {
      return argument.getAsString();
    }
  }
  return std::nullopt;
}

} // namespace accel
