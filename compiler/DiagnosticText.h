// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A diagnostic as a person reads it.
#ifndef ACCEL_COMPILER_DIAGNOSTICTEXT_H
#define ACCEL_COMPILER_DIAGNOSTICTEXT_H

#include "compiler/DiagnosticsStyle.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

/// `error`, `warning`, `remark` or `note`.
llvm::StringRef getLabel(mlir::DiagnosticSeverity severity);

/// `error: TEXT [CODE]` and, if `place` is not empty, `  at PLACE`. In the
/// style's colours, wrapped at words to its width. Empty `code`: none.
void printAsText(llvm::raw_ostream &stream, const DiagnosticsStyle &style,
                 mlir::DiagnosticSeverity severity, llvm::StringRef text,
                 llvm::StringRef code, llvm::StringRef place);

} // namespace accel

#endif
