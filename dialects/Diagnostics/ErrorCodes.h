// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stable codes of what may keep a model from training (ACCEL-E...), of
// warnings (ACCEL-W...), and what `accelc --explain` says about each.
//
// A code stands for a kind of mistake, not for a sentence: sentences get
// better, codes stay. One is never used again for something else.
#ifndef ACCEL_DIALECTS_DIAGNOSTICS_ERRORCODES_H
#define ACCEL_DIALECTS_DIAGNOSTICS_ERRORCODES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace accel {

enum class ErrorCode {
  // The model's files.
  ModelFile,
  WeightFile,
  // Operators.
  UnknownOperator,
  OperatorSet,
  UnknownAttribute,
  InputCount,
  OtherDomain,
  BatchNorm,
  // Nodes.
  InvalidNode,
  ComputedShape,
  GraphStructure,
  // Parameters and dimensions.
  FoldedWeights,
  AbsentWeights,
  Dimensions,
  ElementType,
  TrainedParameters,
  EmptyTensor,
  // The objective.
  NoObjective,
  LossForm,
  GlobalBatch,
  // Differentiation.
  NotTrainable,
  // Memory.
  MemoryLimit,
  // Warnings.
  IdleDropout,
  DropoutWithoutEffect,
  MergedParameters,
  PaddedSteps,
  ParameterWithoutInfluence,
};

struct ErrorInfo {
  ErrorCode code;
  llvm::StringLiteral name; ///< ACCEL-E0203
  llvm::StringLiteral title;
  llvm::StringLiteral explanation; ///< paragraphs, lines unwrapped
  llvm::StringLiteral remedy;
};

/// Whether it is the code of a warning and not of an error.
inline bool isWarning(const ErrorInfo &info) {
  return info.name.starts_with("ACCEL-W");
}

/// All of them, by name.
llvm::ArrayRef<ErrorInfo> getErrorCatalogue();

const ErrorInfo &getErrorInfo(ErrorCode code);

/// By name, in any case, with or without `ACCEL-`; null if there is none.
const ErrorInfo *findErrorInfo(llvm::StringRef name);

/// Gives an error its code, unless it has one.
void setCode(mlir::Diagnostic &diagnostic, ErrorCode code);

/// An error that has its code from the start.
mlir::InFlightDiagnostic emitCodedError(mlir::Location location,
                                        ErrorCode code);

/// `error` with a code: `return withCode(op.emitError(), code) << ...;`
mlir::InFlightDiagnostic withCode(mlir::InFlightDiagnostic error,
                                  ErrorCode code);

/// The code of an error or a warning; null if it has none.
const ErrorInfo *getCode(mlir::Diagnostic &diagnostic);

} // namespace accel

#endif
