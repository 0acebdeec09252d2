// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `accelc --explain` says about each code, and what accelc exits with. The
// codes are declared by those who emit errors; what to do about one is said
// here, because it is said in options of accelc.
#ifndef ACCEL_COMPILER_ERRORCATALOGUE_H
#define ACCEL_COMPILER_ERRORCATALOGUE_H

#include "compiler/ExitCode.h"
#include "dialects/Diagnostics/ErrorCode.h"

#include "llvm/ADT/ArrayRef.h"

namespace accel {

struct ErrorInfo {
  ErrorCode code;
  ExitCode exit;                   ///< of a warning: under -Werror
  llvm::StringLiteral explanation; ///< paragraphs, lines unwrapped
  llvm::StringLiteral remedy;
};

/// All of them, errors before warnings, by name.
llvm::ArrayRef<ErrorInfo> getErrorCatalogue();

/// Requires: the code is one of frontends/onnx, passes or compiler.
const ErrorInfo &getErrorInfo(const ErrorCode &code);

/// By name, in any case, with or without `ACCEL-`; null if there is none.
const ErrorInfo *findErrorInfo(llvm::StringRef name);

} // namespace accel

#endif
