// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM as a code generator, for any target.
#ifndef ACCEL_PASSES_LOWER_GENERATECODE_H
#define ACCEL_PASSES_LOWER_GENERATECODE_H

#include "passes/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace accel {

/// How a target has LLVM make its code.
struct CodeGeneration {
  llvm::StringRef triple;
  std::string features; ///< LLVM's names, with + and commas
  std::optional<llvm::Reloc::Model> relocation;
  std::optional<llvm::CodeModel::Model> codeModel;
  llvm::CodeGenOptLevel level;
  /// Of LLVM's `opt`. No loop becomes a call of a library.
  llvm::StringRef pipeline;
  /// Gives kernels the form in which they are called.
  llvm::function_ref<void(llvm::Module &)> addEntries;
  llvm::CodeGenFileType file;
};

/// The object file or text that LLVM makes of a module in its dialect, for the
/// processor of `variant`. The same input gives the same bytes. An error on the
/// module names the variant.
mlir::FailureOr<llvm::SmallVector<char, 0>>
generateCode(mlir::ModuleOp codeModule, const CodeVariant &variant,
             const CodeGeneration &how);

} // namespace accel

#endif
