// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From vectorised kernels to machine code for one kind of processor: a flat
// image without relocations or undefined symbols.
#ifndef ACCEL_PASSES_LOWER_CODEGEN_H
#define ACCEL_PASSES_LOWER_CODEGEN_H

#include "passes/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace accel {

/// Where a kernel lies in an image: `void kernel(void *const *buffers, int64_t
/// begin, int64_t end)`.
struct CodeEntry {
  std::string kernel;
  uint64_t offset = 0; ///< of its first instruction
  uint64_t size = 0;
};

/// Code and its constants, to be mapped anywhere.
struct CodeImage {
  std::vector<char> code;
  std::vector<CodeEntry>
      entries; ///< in the order of the functions in the module
};

/// Lowers functions of vectors, memrefs and scf to the LLVM dialect, the same
/// for all variants.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp codeModule,
                                mlir::TimingScope &timing);

/// Makes a context ready for compileKernels, which may then be called from
/// several threads.
void prepareTranslation(mlir::MLIRContext &context);

/// Machine code of every function of a module in the LLVM dialect. An error
/// names what the code refers to outside itself. The same input gives the same
/// bytes.
mlir::FailureOr<CodeImage> compileKernels(mlir::ModuleOp codeModule,
                                          const CodeVariant &variant);

} // namespace accel

#endif
